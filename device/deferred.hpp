// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.hpp"
#include "core/operation.hpp"

namespace skerry {

/// An error in an array's values, which only a kernel can detect. On a CUDA device the call that
/// enqueued the kernel has returned by then.
struct DeferredError {
  /// Throws the error. A later wait of the host calls it with the value that the kernel stored.
  void (*raise)(const DeferredError& error, std::int64_t stored_value);
  std::int64_t values[2];
  /// The operation that launched the kernel; kept as a pointer.
  const char* operation = current_operation();
};
/// Throws the error under its own operation's name.
inline void raise(const DeferredError& error, std::int64_t stored_value) {
  const OperationScope scope(error.operation);
  error.raise(error, stored_value);
}

/// A word in which kernels on the current stream of a CUDA device atomically store an error value;
/// 0 means no error. If one is set, the host's next wait for that stream (or for the device, or a
/// copy to the host on that stream) calls DeferredError::raise. A wait that finds several raises
/// the oldest and drops the others. Must live until the kernels are enqueued.
class DeferredWord {
 public:
  /// Throws DeviceError, OutOfMemoryError; if all words are in use, also what a wait throws.
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
