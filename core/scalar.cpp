// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/scalar.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "core/errors.hpp"

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
    text += "use True or False, or convert the array with astype";
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
                    name(type) +
                    ": kinds go up only (bool, int, float, complex), whatever the value; write " +
                    remedy + ", or convert the array with astype");
}

/// 0 for bool, 1 for integers, 2 for real and 3 for complex floating dtypes: what a scalar of the
/// same rank, or of a lower one, can be written into without loss of kind.
int kind_rank(dtype type) {
  switch (kind(type)) {
    case dtype_kind::boolean:
      return 0;
    case dtype_kind::signed_integer:
    case dtype_kind::unsigned_integer:
      return 1;
    case dtype_kind::real_floating:
      return 2;
    case dtype_kind::complex_floating:
      return 3;
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

}  // namespace

scalar scalar::of_unsigned(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) return of(static_cast<std::int64_t>(value));
  return {.kind = scalar_kind::integer, .as_unsigned = value, .is_unsigned = true};
}

dtype promote_scalar(const char* op, dtype array, const scalar& value) {
  const int rank = static_cast<int>(value.kind);
  const int array_rank = kind_rank(array);
  if (value.kind == scalar_kind::complex && array_rank == 2) return complex_of(array);
  // bool is a kind of its own: neither side of it mixes with numbers.
  if ((rank == 0) != (array_rank == 0) || rank > array_rank) reject_mix(op, array, value.kind);
  check_range(op, value, array);
  return array;
}

element to_element(const char* op, const scalar& value, dtype type) {
  if (static_cast<int>(value.kind) > kind_rank(type)) reject_element(op, type, value.kind);
  check_range(op, value, type);
  return visit(type,
               [&]<class T>(type_identity<T>) { return element::of(as_value<T>::of(value)); });
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
