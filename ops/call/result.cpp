// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/result.hpp"

#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/memory.hpp"

namespace skerry {

[[gnu::tls_model("initial-exec")]] constinit thread_local detail::write_hook detail::before_write =
    nullptr;

NdArray empty_of(Layout place, Dtype type, Device where) {
  std::int64_t nbytes = itemsize(type);
  for (const std::int64_t n : place.shape) nbytes *= n;
  StorageRef memory = allocate(where, static_cast<std::size_t>(nbytes));
  return {std::move(memory), std::move(place), type};
}

NdArray empty(const char* op, const Dims& shape, Dtype type, Device where) {
  const std::int64_t nbytes = check_shape(op, shape.span(), itemsize(type));
  return {allocate(where, static_cast<std::size_t>(nbytes)), shape, type};
}

NdArray empty(const Dims& shape, Dtype type, Device where) {
  return empty("empty", shape, type, where);
}

void require_writable(const char* op, const NdArray& target) {
  if (target.read_only()) {
    throw ReadOnlyError(std::string(op) + ": the target is read-only: " + describe(target) +
                        "; write to a copy of it");
  }
  if (overlaps_itself(target.layout(), target.itemsize())) {
    throw ReadOnlyError(std::string(op) + ": elements of the target share memory: " +
                        describe(target) + " is a broadcast view; write to a copy of it");
  }
  if (detail::before_write != nullptr) detail::before_write(target);
}

}  // namespace skerry
