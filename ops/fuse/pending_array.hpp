// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/ndarray.hpp"

namespace skerry {

class Recording;

namespace detail {
/// The recording of this thread; null while it records nothing.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Recording* active_recording;
}  // namespace detail

/// The value of an array whose operation is recorded. An evaluation of the recording sets the value
/// if it is still referenced. Guarded by the lock of the layer above, as the recording is.
class PendingValue {
 public:
  PendingValue(const PendingValue&) = delete;
  PendingValue& operator=(const PendingValue&) = delete;
  ~PendingValue();

  /// Returns the recording that computes the value; null once it has one, or can't get one any
  /// more.
  [[nodiscard]] Recording* recording() const noexcept { return recording_; }
  [[nodiscard]] bool is_computed() const noexcept { return value_.has_value(); }
  [[nodiscard]] NdArray& value() noexcept { return *value_; }

  /// Returns the number of objects without a value yet; for tests.
  [[nodiscard]] static long waiting_count() noexcept { return waiting_values; }

 private:
  friend class Recording;
  PendingValue(Recording* recording, std::int32_t node) noexcept
      : recording_(recording), node_(node) {
    ++waiting_values;
  }
  /// Detaches this from the recording, with or without a value.
  void detach() noexcept {
    recording_ = nullptr;
    --waiting_values;
  }

  static inline constinit std::atomic<long> waiting_values{0};

  Recording* recording_;
  std::int32_t node_;
  std::optional<NdArray> value_;
};

/// The result of a recorded operation.
struct PendingArray {
  NdArray header;  ///< its dtype, device, shape and strides; its memory has no bytes
  std::unique_ptr<PendingValue> value;  ///< null if `header` is the array itself
};

}  // namespace skerry
