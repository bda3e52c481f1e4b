// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/element_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {

ElementOrder parse_order(const Arguments& arguments, int parameter, const NdArray& x) {
  const int order_index = choice(arguments, parameter, {"C", "F", "A", "K"});
  if (order_index == 0) return ElementOrder::c;
  if (order_index == 3) return ElementOrder::memory;
  const bool fortran = is_f_contiguous(x.layout(), x.itemsize()) && !x.is_c_contiguous();
  return order_index == 1 || (order_index == 2 && fortran) ? ElementOrder::f : ElementOrder::c;
}

bool parse_new_order(const Arguments& arguments, int parameter) {
  return choice(arguments, parameter, {"C", "F"}) == 1;
}

axis_list reversed_axes(int rank) {
  axis_list axes(static_cast<std::size_t>(rank));
  std::iota(axes.rbegin(), axes.rend(), 0);
  return axes;
}

NdArray reversed(const NdArray& x) { return permute_dims(x, reversed_axes(x.rank())); }

NdArray flattened(const NdArray& x) {
  static constexpr std::int64_t all[] = {-1};
  return x.rank() == 1 ? x : reshape(x, all, std::nullopt);
}

NdArray in_order(const NdArray& x, ElementOrder order) {
  if (order == ElementOrder::c) return x;
  return order == ElementOrder::f ? reversed(x) : permute_dims(x, axes_in_memory(x));
}

NdArray copy_in_order(const NdArray& x, ElementOrder order) {
  if (order == ElementOrder::memory) return copy(x);
  if (order == ElementOrder::c) return copy_c_order(x);
  return reversed(copy_c_order(reversed(x)));
}

NdArray reshape_in_order(const NdArray& x, axis_list shape, ElementOrder order,
                         std::optional<bool> copied) {
  if (order == ElementOrder::memory) throw ValueError("order must be 'C', 'F' or 'A', not 'K'");
  if (order == ElementOrder::c) return reshape(x, shape, copied);
  std::reverse(shape.begin(), shape.end());
  return reversed(reshape(reversed(x), shape, copied));
}

}  // namespace skerry::python
