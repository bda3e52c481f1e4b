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
#include "core/scalar_conversion.hpp"
#include "core/scalar_range.hpp"

namespace skerry {
namespace {

const char* python_name(ScalarKind python_kind) {
  switch (python_kind) {
    case ScalarKind::boolean:
      return "bool";
    case ScalarKind::integer:
      return "int";
    case ScalarKind::real:
      return "float";
    case ScalarKind::complex:
      return "complex";
  }
  __builtin_unreachable();
}

/// Truncates to an integer; empty if the result fits neither int64 nor uint64.
std::optional<Scalar> truncated(double value) {
  constexpr double two_63 = 9223372036854775808.0;
  if (value >= -two_63 && value < two_63)
    return Scalar::from_value(static_cast<std::int64_t>(value));
  if (value >= two_63 && value < 2 * two_63) {
    return Scalar::of_unsigned(static_cast<std::uint64_t>(value));
  }
  return std::nullopt;
}

std::string integer_text(const Scalar& value) {
  if (value.is_unsigned) return std::to_string(value.as_unsigned);
  if (!value.out_of_range) return std::to_string(value.integer);
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value.real);
  return std::string("about ") + text;
}

template <class T>
bool fits(const Scalar& value) {
  if (value.out_of_range) return false;
  if (value.is_unsigned) return value.as_unsigned <= std::uint64_t{std::numeric_limits<T>::max()};
  return std::in_range<T>(value.integer);
}

bool fits_integer_dtype(const Scalar& value, Dtype type) {
  return visit(type, [&]<class T>(type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return fits<T>(value);
    return false;
  });
}

std::string range_text(Dtype type) {
  return visit(type, []<class T>(type_identity<T>) -> std::string {
    if constexpr (!std::is_integral_v<T>)
      return "float64 range";
    else
      return std::to_string(std::numeric_limits<T>::min()) + " to " +
             std::to_string(std::numeric_limits<T>::max());
  });
}

[[noreturn]] void reject_range(const Scalar& value, Dtype type) {
  throw OverflowError(std::string("int out of range of ") + name(type) + ": " +
                      integer_text(value) + " is not in " + range_text(type));
}

void check_range(const Scalar& value, Dtype type) {
  if (value.kind != ScalarKind::integer) return;
  const bool fit = is_integer(type) ? fits_integer_dtype(value, type)
                                    : !value.out_of_range || std::isfinite(value.real);
  if (!fit) reject_range(value, type);
}

[[noreturn]] void reject_mix(Dtype array, ScalarKind python_kind) {
  std::string text = std::string(name(array)) + " array and Python " + python_name(python_kind) +
                     " have no common dtype; ";
  if (python_kind == ScalarKind::boolean) {
    text += "a bool combines only with bool arrays; use 0 or 1";
  } else if (kind(array) == DtypeKind::boolean) {
    text += "use True or False, or cast the array with astype";
  } else {
    text += std::string("convert the array first, for example to ") +
            (python_kind == ScalarKind::real ? "float64" : "complex128") + " with astype";
  }
  throw DtypeError(text);
}

[[noreturn]] void reject_element(Dtype type, ScalarKind python_kind) {
  const bool is_complex = python_kind == ScalarKind::complex;
  const char* const remedy = type == Dtype::bool_ ? "bool(value)"
                             : !is_integer(type)  ? "value.real"
                             : is_complex         ? "int(value.real)"
                                                  : "int(value)";
  throw DtypeError(
      std::string("Python ") + python_name(python_kind) + " for " + name(type) +
      ": a scalar converts only to the same or a higher kind (bool, int, float, complex)" +
      (promotion_is_strict() ? "" : ", or without loss") + "; write " + remedy +
      ", or cast the array with astype");
}

int rank_of(const Scalar& value) { return static_cast<int>(value.kind); }

/// Converts a value to the kind of `type`, which is lower; empty if that is not exact.
std::optional<Scalar> lowered(const Scalar& value, Dtype type) {
  if (value.kind == ScalarKind::complex && value.imag != 0) return std::nullopt;
  if (kind_rank(type) == 2) return Scalar::from_value(value.real);
  std::optional<Scalar> whole = value;
  if (value.kind != ScalarKind::integer) whole = truncated(value.real);
  if (!whole || (rank_of(value) >= 2 && std::trunc(value.real) != value.real)) return std::nullopt;
  if (type != Dtype::bool_) return whole;
  const bool is_zero_or_one =
      !whole->is_unsigned && !whole->out_of_range && (whole->integer == 0 || whole->integer == 1);
  if (!is_zero_or_one) return std::nullopt;
  return Scalar::from_value(whole->integer == 1);
}

bool is_true(const Scalar& value) {
  switch (value.kind) {
    case ScalarKind::boolean:
      return value.boolean;
    case ScalarKind::integer:
      return value.integer != 0 || value.is_unsigned || value.out_of_range;
    case ScalarKind::real:
    case ScalarKind::complex:
      return value.real != 0 || value.imag != 0;
  }
  __builtin_unreachable();
}

/// Converts a value that is in range and not of a higher kind than T.
template <class T>
T real_value(const Scalar& value) {
  switch (value.kind) {
    case ScalarKind::boolean:
      return static_cast<T>(value.boolean);
    case ScalarKind::integer:
      if (value.out_of_range) return static_cast<T>(value.real);
      return value.is_unsigned ? static_cast<T>(value.as_unsigned) : static_cast<T>(value.integer);
    case ScalarKind::real:
    case ScalarKind::complex:
      return static_cast<T>(value.real);
  }
  __builtin_unreachable();
}

template <class T>
struct AsValue {
  static T from_scalar(const Scalar& value) { return real_value<T>(value); }
};
template <class T>
struct AsValue<complex<T>> {
  static complex<T> from_scalar(const Scalar& value) {
    return {real_value<T>(value), static_cast<T>(value.imag)};
  }
};

/// The type of an element's components: T for complex<T>, else the type itself.
template <class T>
struct ElementComponent {
  using type = T;
};
template <class T>
struct ElementComponent<complex<T>> {
  using type = T;
};

template <class T>
Scalar max_finite_value() {
  if constexpr (requires { T::max_finite; })
    return Scalar::from_value(double{T::max_finite});
  else if constexpr (std::is_floating_point_v<T>)
    return Scalar::from_value(double{std::numeric_limits<T>::max()});
  else
    return Scalar::of_unsigned(std::uint64_t{std::numeric_limits<T>::max()});
}

/// Promotes a scalar and an array whose mix the standard leaves undefined: a scalar of a higher
/// kind, or a bool with a numeric array.
[[gnu::noinline]] Dtype promote_open_mix(Dtype array, const Scalar& value) {
  if (promotion_is_strict()) reject_mix(array, value.kind);
  return rank_of(value) > kind_rank(array) ? default_dtype(value.kind) : array;
}

}  // namespace

Scalar Scalar::of_unsigned(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) return from_value(static_cast<std::int64_t>(value));
  return {.kind = ScalarKind::integer, .as_unsigned = value, .is_unsigned = true};
}

Dtype promote_scalar_kind(Dtype array, const Scalar& value) {
  const int rank = rank_of(value);
  const int array_rank = kind_rank(array);
  if (rank == array_rank || (rank != 0 && rank < array_rank)) [[likely]]
    return array;
  if (value.kind == ScalarKind::complex && array_rank == 2) return complex_of(array);
  return promote_open_mix(array, value);
}

Dtype promote_scalar(Dtype array, const Scalar& value) {
  const Dtype type = promote_scalar_kind(array, value);
  check_range(value, type);
  return type;
}

Element to_element(const Scalar& value, Dtype type) {
  if (rank_of(value) > kind_rank(type)) {
    const std::optional<Scalar> same = promotion_is_strict() ? std::nullopt : lowered(value, type);
    if (!same) reject_element(type, value.kind);
    return to_element(*same, type);
  }
  check_range(value, type);
  return visit(type, [&]<class T>(type_identity<T>) {
    return Element::from_value(AsValue<T>::from_scalar(value));
  });
}

Scalar cast_scalar(const Scalar& value, Dtype type) {
  if (rank_of(value) <= kind_rank(type)) return value;
  if (promotion_is_strict()) reject_element(type, value.kind);
  if (type == Dtype::bool_) return Scalar::from_value(is_true(value));
  if (value.kind == ScalarKind::complex) reject_element(type, value.kind);
  const std::optional<Scalar> whole = truncated(value.real);
  if (!whole) {
    throw OverflowError(std::string("float out of range of ") + name(type) + ": " +
                        std::to_string(value.real) + " is not in " + range_text(type));
  }
  return *whole;
}

int side_of_range(const Scalar& value, Dtype type) {
  const bool is_above =
      value.is_unsigned || (value.out_of_range ? value.real > 0 : value.integer > 0);
  const bool is_inside = visit(type, [&]<class T>(type_identity<T>) {
    using Component = typename ElementComponent<T>::type;
    if constexpr (std::is_same_v<Component, bool>)
      return true;  // any number converts to bool
    else if constexpr (std::is_integral_v<Component>)
      return fits<Component>(value);
    else
      return static_cast<bool>(std::isfinite(static_cast<double>(real_value<Component>(value))));
  });
  if (is_inside) return 0;
  return is_above ? 1 : -1;
}

Scalar last_value(Dtype type, int side) {
  return visit(type, [&]<class T>(type_identity<T>) {
    using Component = typename ElementComponent<T>::type;
    const Scalar max_finite = max_finite_value<Component>();
    if (side > 0) return max_finite;
    if constexpr (std::is_integral_v<Component>)
      return Scalar::from_value(std::int64_t{std::numeric_limits<Component>::min()});
    else
      return Scalar::from_value(-max_finite.real);
  });
}

Dtype default_dtype(ScalarKind python_kind) {
  switch (python_kind) {
    case ScalarKind::boolean:
      return Dtype::bool_;
    case ScalarKind::integer:
      return default_integer;
    case ScalarKind::real:
      return default_real;
    case ScalarKind::complex:
      return default_complex;
  }
  __builtin_unreachable();
}

}  // namespace skerry
