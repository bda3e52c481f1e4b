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
  if (detail::before_write != nullptr) detail::before_write(target);
}

}  // namespace skerry
