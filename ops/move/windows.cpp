// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/windows.hpp"

#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"
#include "ops/call/promotion.hpp"

namespace skerry {

NdArray sliding_windows(const NdArray& x, std::span<const std::int64_t> lengths,
                        std::span<const std::int64_t> axes) {
  const int more = static_cast<int>(axes.size());
  if (lengths.size() != axes.size()) {
    throw ValueError(std::to_string(lengths.size()) + " lengths for " +
                     std::to_string(axes.size()) + " axes");
  }
  if (x.rank() + more > max_rank) {
    throw ValueError("more than " + std::to_string(max_rank) + " axes");
  }
  Layout layout{.shape = Dims(x.rank() + more), .strides = Dims(x.rank() + more)};
  layout.offset = x.layout().offset;
  for (int axis = 0; axis < x.rank(); ++axis) {
    layout.shape[axis] = x.shape()[axis];
    layout.strides[axis] = x.layout().strides[axis];
  }
  for (int i = 0; i < more; ++i) {
    const std::int64_t length = lengths[static_cast<std::size_t>(i)];
    const int axis = normalize_axis(axes[static_cast<std::size_t>(i)], x.rank());
    if (length < 0 || length > layout.shape[axis]) {
      throw ValueError("invalid window length: " + std::to_string(length) + " along axis " +
                       std::to_string(axis) + " of " + describe(x));
    }
    layout.shape[axis] -= length - 1;
    layout.shape[x.rank() + i] = length;
    layout.strides[x.rank() + i] = layout.strides[axis];
  }
  return x.view(std::move(layout)).read_only_view();
}

}  // namespace skerry
