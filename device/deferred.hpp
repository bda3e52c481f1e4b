// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.hpp"
#include "core/operation.hpp"

namespace skerry {

/// An error that only a kernel can find, since it is in the values of an array. On a CUDA device
/// the call that enqueues the kernel has long returned then.
struct DeferredError {
  /// Throws. Called by a later wait of the host, with what the kernel stored.
  void (*raise)(const DeferredError& error, std::int64_t stored_value);
  std::int64_t values[2];
  /// That the kernel is a part of; kept as a pointer.
  const char* operation = current_operation();
};
/// Throws the error, in the name of its own operation.
inline void raise(const DeferredError& error, std::int64_t stored_value) {
  const OperationScope scope(error.operation);
  error.raise(error, stored_value);
}

/// A word in which kernels on the current stream of a CUDA device store, atomically, what they
/// find; 0 until then. The first wait of the host for that stream after them (or for all of the
/// device, or a copy to the host on that stream) calls `what.raise` if one did. A wait that finds
/// several raises the oldest and drops the others. Lives until the kernels are enqueued.
class DeferredWord {
 public:
  /// Throws DeviceError, OutOfMemoryError; where all words are taken, what a wait throws.
  DeferredWord(Device device, const DeferredError& error);
  DeferredWord(const DeferredWord&) = delete;
  DeferredWord& operator=(const DeferredWord&) = delete;
  ~DeferredWord();

  [[nodiscard]] std::int64_t* get() const noexcept { return word_; }

 private:
  Device device_;
  std::int64_t* word_;
};

}  // namespace skerry
