// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.hpp"

namespace skerry {

/// An error that only a kernel can find, since it is in the values of an array. On a CUDA device
/// the call that enqueues the kernel has long returned then.
struct deferred_error {
  /// Throws. Called by a later wait of the host, with what the kernel stored.
  void (*raise)(const deferred_error& error, std::int64_t found);
  const char* op;  ///< kept as a pointer
  std::int64_t values[2];
};

/// A word in which kernels on the current stream of a CUDA device store, atomically, what they
/// find; 0 until then. The first wait of the host for that stream after them (or for all of the
/// device, or a copy to the host on that stream) calls `what.raise` if one did. A wait that finds
/// several raises the oldest and drops the others. Lives until the kernels are enqueued.
class deferred_word {
 public:
  /// Throws device_error, out_of_memory_error; where all words are taken, what a wait throws.
  deferred_word(device where, const deferred_error& error);
  deferred_word(const deferred_word&) = delete;
  deferred_word& operator=(const deferred_word&) = delete;
  ~deferred_word();

  [[nodiscard]] std::int64_t* get() const noexcept { return word_; }

 private:
  device where_;
  std::int64_t* word_;
};

}  // namespace skerry
