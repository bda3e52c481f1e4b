// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/result.hpp"

#include <utility>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/memory.hpp"
#include "ops/call/device_dtypes.hpp"

namespace skerry {

NdArray empty_of(Layout layout, Dtype type, Device device) {
  std::int64_t nbytes = itemsize(type);
  for (const std::int64_t n : layout.shape) nbytes *= n;
  if (!is_host(device)) require_dtype(device, type);
  StorageRef memory = allocate(device, static_cast<std::size_t>(nbytes));
  return {std::move(memory), std::move(layout), type};
}

NdArray empty(const Dims& shape, Dtype type, Device device) {
  const std::int64_t nbytes = check_shape(shape.span(), itemsize(type));
  if (!is_host(device)) require_dtype(device, type);
  return {allocate(device, static_cast<std::size_t>(nbytes)), shape, type};
}

void require_writable(const NdArray& target) {
  if (target.read_only()) {
    throw ReadOnlyError("the target is read-only: " + describe(target) + "; write to a copy of it");
  }
  if (overlaps_itself(target.layout(), target.itemsize())) {
    throw ReadOnlyError("elements of the target share memory: " + describe(target) +
                        " is a broadcast view; write to a copy of it");
  }
}

}  // namespace skerry
