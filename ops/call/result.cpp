// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/result.hpp"

#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/memory.hpp"

namespace skerry {

constinit std::atomic<void (*)(const ndarray& target)> detail::before_write = nullptr;

ndarray empty_of(layout place, dtype type, device where) {
  std::int64_t nbytes = itemsize(type);
  for (const std::int64_t n : place.shape) nbytes *= n;
  storage_ref memory = allocate(where, static_cast<std::size_t>(nbytes));
  return {std::move(memory), std::move(place), type};
}

ndarray empty(const char* op, const dims& shape, dtype type, device where) {
  const std::int64_t nbytes = check_shape(op, shape.span(), itemsize(type));
  return {allocate(where, static_cast<std::size_t>(nbytes)), shape, type};
}

ndarray empty(const dims& shape, dtype type, device where) {
  return empty("empty", shape, type, where);
}

void require_writable(const char* op, const ndarray& target) {
  if (target.read_only()) {
    throw read_only_error(std::string(op) + ": the target is read-only: " + describe(target) +
                          "; write to a copy of it");
  }
  if (overlaps_itself(target.layout(), target.itemsize())) {
    throw read_only_error(std::string(op) + ": elements of the target share memory: " +
                          describe(target) + " is a broadcast view; write to a copy of it");
  }
  if (const auto tell = detail::before_write.load(std::memory_order_relaxed)) tell(target);
}

}  // namespace skerry
