// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ndarray.hpp"
#include "python/bindings/function_table.hpp"

/// NumPy's order=: the order in which elements are read, or lie in memory.
namespace skerry::python {

using axis_list = std::vector<std::int64_t>;

/// C order, Fortran order, or the order in memory.
enum class ElementOrder : std::uint8_t { c, f, memory };

/// Returns order= of a call for the elements of x: 'C' by default, 'F', 'K' (the order in memory)
/// or 'A' (Fortran order for an array that is contiguous in it, else C order).
[[nodiscard]] ElementOrder parse_order(const Arguments& arguments, int parameter, const NdArray& x);
[[nodiscard]] inline ElementOrder order_of(const Arguments& arguments, int parameter,
                                           const NdArray& x) {
  return arguments.has(parameter) ? parse_order(arguments, parameter, x) : ElementOrder::c;
}
/// Returns true for order='F' of a new array, whose order is 'C' by default.
[[nodiscard]] bool parse_new_order(const Arguments& arguments, int parameter);
[[nodiscard]] inline bool is_fortran_order(const Arguments& arguments, int parameter) {
  return arguments.has(parameter) && parse_new_order(arguments, parameter);
}

[[nodiscard]] axis_list reversed_axes(int rank);
/// Returns a view with the axes reversed.
[[nodiscard]] NdArray reversed(const NdArray& x);
/// Returns the elements in C order along one axis: a view if possible.
[[nodiscard]] NdArray flattened(const NdArray& x);
/// Permutes the axes so that C order is the requested order.
[[nodiscard]] NdArray in_order(const NdArray& x, ElementOrder order);
/// Returns a copy whose elements lie in that order.
[[nodiscard]] NdArray copy_in_order(const NdArray& x, ElementOrder order);
/// Returns the elements of x in C or Fortran order with another shape, which they fill in the same
/// order.
[[nodiscard]] NdArray reshape_in_order(const NdArray& x, axis_list shape, ElementOrder order,
                                       std::optional<bool> copied);

}  // namespace skerry::python
