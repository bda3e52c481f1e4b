// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/scalar.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "core/scalar_range.hpp"

namespace skerry {
namespace {

const char* python_name(scalar_kind python_kind) {
  switch (python_kind) {
    case scalar_kind::boolean:
      return "bool";
    case scalar_kind::integer:
      return "int";
    case scalar_kind::real:
      return "float";
    case scalar_kind::complex:
      return "complex";
  }
  __builtin_unreachable();
}

/// The whole part as an integer; empty where it is not in 64 bits.
std::optional<scalar> truncated(double value) {
  constexpr double two_63 = 9223372036854775808.0;
  if (value >= -two_63 && value < two_63) return scalar::of(static_cast<std::int64_t>(value));
  if (value >= two_63 && value < 2 * two_63) {
    return scalar::of_unsigned(static_cast<std::uint64_t>(value));
  }
  return std::nullopt;
}

std::string integer_text(const scalar& value) {
  if (value.is_unsigned) return std::to_string(value.as_unsigned);
  if (!value.out_of_range) return std::to_string(value.integer);
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value.real);
  return std::string("of about ") + text;
}

template <class T>
bool fits(const scalar& value) {
  if (value.out_of_range) return false;
  if (value.is_unsigned) return value.as_unsigned <= std::uint64_t{std::numeric_limits<T>::max()};
  return std::in_range<T>(value.integer);
}

bool fits_integer_dtype(const scalar& value, dtype type) {
  return visit(type, [&]<class T>(type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return fits<T>(value);
    return false;
  });
}

std::string range_text(dtype type) {
  return visit(type, []<class T>(type_identity<T>) -> std::string {
    if constexpr (!std::is_integral_v<T>)
      return "float64 range";
    else
      return std::to_string(std::numeric_limits<T>::min()) + " to " +
             std::to_string(std::numeric_limits<T>::max());
  });
}

[[noreturn]] void reject_range(const char* op, const scalar& value, dtype type) {
  throw overflow_error(std::string(op) + ": int out of range of " + name(type) + ": " +
                       integer_text(value) + " is not in " + range_text(type));
}

void check_range(const char* op, const scalar& value, dtype type) {
  if (value.kind != scalar_kind::integer) return;
  const bool fit = is_integer(type) ? fits_integer_dtype(value, type)
                                    : !value.out_of_range || std::isfinite(value.real);
  if (!fit) reject_range(op, value, type);
}

[[noreturn]] void reject_mix(const char* op, dtype array, scalar_kind python_kind) {
  std::string text = std::string(op) + ": " + name(array) + " array and Python " +
                     python_name(python_kind) + " have no common dtype; ";
  if (python_kind == scalar_kind::boolean) {
    text += "a bool goes with bool arrays only, use 0 or 1";
  } else if (kind(array) == dtype_kind::boolean) {
    text += "use True or False, or cast the array with astype";
  } else {
    text += std::string("convert the array first, for example to ") +
            (python_kind == scalar_kind::real ? "float64" : "complex128") + " with astype";
  }
  throw dtype_error(text);
}

[[noreturn]] void reject_element(const char* op, dtype type, scalar_kind python_kind) {
  const bool is_complex = python_kind == scalar_kind::complex;
  const char* const remedy = type == dtype::bool_ ? "bool(value)"
                             : !is_integer(type)  ? "value.real"
                             : is_complex         ? "int(value.real)"
                                                  : "int(value)";
  throw dtype_error(std::string(op) + ": Python " + python_name(python_kind) + " for " +
                    name(type) + ": kinds go up only (bool, int, float, complex)" +
                    (promotion_is_strict() ? ", whatever the value" : ", and something is lost") +
                    "; write " + remedy + ", or cast the array with astype");
}

int rank_of(const scalar& value) { return static_cast<int>(value.kind); }

/// A value of a higher kind as an integer, or as a real number, of the same value; else empty.
std::optional<scalar> lowered(const scalar& value, dtype type) {
  if (value.kind == scalar_kind::complex && value.imag != 0) return std::nullopt;
  if (kind_rank(type) == 2) return scalar::of(value.real);
  std::optional<scalar> whole = value;
  if (value.kind != scalar_kind::integer) whole = truncated(value.real);
  if (!whole || (rank_of(value) >= 2 && std::trunc(value.real) != value.real)) return std::nullopt;
  if (type != dtype::bool_) return whole;
  const bool is_truth =
      !whole->is_unsigned && !whole->out_of_range && (whole->integer == 0 || whole->integer == 1);
  if (!is_truth) return std::nullopt;
  return scalar::of(whole->integer == 1);
}

bool is_true(const scalar& value) {
  switch (value.kind) {
    case scalar_kind::boolean:
      return value.boolean;
    case scalar_kind::integer:
      return value.integer != 0 || value.is_unsigned || value.out_of_range;
    case scalar_kind::real:
    case scalar_kind::complex:
      return value.real != 0 || value.imag != 0;
  }
  __builtin_unreachable();
}

/// The value as a `T` that check_range and the rank of kinds have let through.
template <class T>
T real_value(const scalar& value) {
  switch (value.kind) {
    case scalar_kind::boolean:
      return static_cast<T>(value.boolean);
    case scalar_kind::integer:
      if (value.out_of_range) return static_cast<T>(value.real);
      return value.is_unsigned ? static_cast<T>(value.as_unsigned) : static_cast<T>(value.integer);
    case scalar_kind::real:
    case scalar_kind::complex:
      return static_cast<T>(value.real);
  }
  __builtin_unreachable();
}

template <class T>
struct as_value {
  static T of(const scalar& value) { return real_value<T>(value); }
};
template <class T>
struct as_value<complex<T>> {
  static complex<T> of(const scalar& value) {
    return {real_value<T>(value), static_cast<T>(value.imag)};
  }
};

/// The part of an element that has a range.
template <class T>
struct part {
  using type = T;
};
template <class T>
struct part<complex<T>> {
  using type = T;
};

template <class T>
scalar greatest_value() {
  if constexpr (std::is_same_v<T, float16>)
    return scalar::of(65504.0);
  else if constexpr (std::is_floating_point_v<T>)
    return scalar::of(double{std::numeric_limits<T>::max()});
  else
    return scalar::of_unsigned(std::uint64_t{std::numeric_limits<T>::max()});
}

/// For the standard bool is a kind of its own: neither side of it mixes with numbers.
[[gnu::noinline]] dtype promote_open_mix(const char* op, dtype array, const scalar& value) {
  if (promotion_is_strict()) reject_mix(op, array, value.kind);
  return rank_of(value) > kind_rank(array) ? default_dtype(value.kind) : array;
}

}  // namespace

scalar scalar::of_unsigned(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) return of(static_cast<std::int64_t>(value));
  return {.kind = scalar_kind::integer, .as_unsigned = value, .is_unsigned = true};
}

dtype promote_scalar_kind(const char* op, dtype array, const scalar& value) {
  const int rank = rank_of(value);
  const int array_rank = kind_rank(array);
  if (rank == array_rank || (rank != 0 && rank < array_rank)) [[likely]]
    return array;
  if (value.kind == scalar_kind::complex && array_rank == 2) return complex_of(array);
  return promote_open_mix(op, array, value);
}

dtype promote_scalar(const char* op, dtype array, const scalar& value) {
  const dtype type = promote_scalar_kind(op, array, value);
  check_range(op, value, type);
  return type;
}

element to_element(const char* op, const scalar& value, dtype type) {
  if (rank_of(value) > kind_rank(type)) {
    const std::optional<scalar> same = promotion_is_strict() ? std::nullopt : lowered(value, type);
    if (!same) reject_element(op, type, value.kind);
    return to_element(op, *same, type);
  }
  check_range(op, value, type);
  return visit(type,
               [&]<class T>(type_identity<T>) { return element::of(as_value<T>::of(value)); });
}

scalar cast_scalar(const char* op, const scalar& value, dtype type) {
  if (rank_of(value) <= kind_rank(type)) return value;
  if (promotion_is_strict()) reject_element(op, type, value.kind);
  if (type == dtype::bool_) return scalar::of(is_true(value));
  if (value.kind == scalar_kind::complex) reject_element(op, type, value.kind);
  const std::optional<scalar> whole = truncated(value.real);
  if (!whole) {
    throw overflow_error(std::string(op) + ": float out of range of " + name(type) + ": " +
                         std::to_string(value.real) + " is not in " + range_text(type));
  }
  return *whole;
}

int side_of_range(const scalar& value, dtype type) {
  const bool is_above =
      value.is_unsigned || (value.out_of_range ? value.real > 0 : value.integer > 0);
  const bool is_inside = visit(type, [&]<class T>(type_identity<T>) {
    using Part = typename part<T>::type;
    if constexpr (std::is_same_v<Part, bool>)
      return true;  // of any number
    else if constexpr (std::is_integral_v<Part>)
      return fits<Part>(value);
    else
      return static_cast<bool>(std::isfinite(static_cast<double>(real_value<Part>(value))));
  });
  if (is_inside) return 0;
  return is_above ? 1 : -1;
}

scalar last_value(dtype type, int side) {
  return visit(type, [&]<class T>(type_identity<T>) {
    using Part = typename part<T>::type;
    const scalar greatest = greatest_value<Part>();
    if (side > 0) return greatest;
    if constexpr (std::is_integral_v<Part>)
      return scalar::of(std::int64_t{std::numeric_limits<Part>::min()});
    else
      return scalar::of(-greatest.real);
  });
}

dtype default_dtype(scalar_kind python_kind) {
  switch (python_kind) {
    case scalar_kind::boolean:
      return dtype::bool_;
    case scalar_kind::integer:
      return default_integer;
    case scalar_kind::real:
      return default_real;
    case scalar_kind::complex:
      return default_complex;
  }
  __builtin_unreachable();
}

}  // namespace skerry
