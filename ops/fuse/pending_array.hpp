// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/ndarray.hpp"
#include "core/storage.hpp"

namespace skerry {

class Recording;

namespace detail {
/// The recording of this thread; null while it records nothing.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Recording* active_recording;
}  // namespace detail

/// The value of an array whose operation is recorded. An evaluation of the recording sets its
/// memory if it is still referenced. Guarded by the lock of the layer above, as the recording is,
/// except for is_delivered(), recording_number() and, once it is delivered, replace().
class PendingValue {
 public:
  PendingValue(const PendingValue&) = delete;
  PendingValue& operator=(const PendingValue&) = delete;
  ~PendingValue() { abandon_node(); }

  /// Returns the recording that computes the value; null once it has one, or can't get one any
  /// more.
  [[nodiscard]] Recording* recording() const noexcept {
    return recording_.load(std::memory_order_relaxed);
  }
  /// Returns the number of that recording, or of the last one.
  [[nodiscard]] unsigned recording_number() const noexcept {
    return recording_number_.load(std::memory_order_acquire);
  }
  /// True if take_memory() may be called.
  [[nodiscard]] bool is_computed() const noexcept { return static_cast<bool>(memory_); }
  /// Returns the memory of the value, which has the layout of the header; call mark_delivered().
  [[nodiscard]] StorageRef take_memory() noexcept { return std::move(memory_); }
  /// True once the array has its memory.
  [[nodiscard]] bool is_delivered() const noexcept {
    return state_.load(std::memory_order_acquire) != State::waiting;
  }
  void mark_delivered() noexcept { state_.store(State::delivered, std::memory_order_release); }
  /// Becomes the value of another recorded operation, in place of `other`. Returns false if it
  /// waits in another recording: another thread changes the array at the same time.
  [[nodiscard]] bool replace(std::unique_ptr<PendingValue> other) noexcept;

  /// Returns the number of objects without a value yet; for tests.
  [[nodiscard]] static long waiting_count() noexcept {
    return waiting_values.load(std::memory_order_relaxed);
  }

 private:
  friend class Recording;
  PendingValue(Recording& recording, std::int32_t node) noexcept;
  /// Detaches this from the recording, with or without a value.
  void detach() noexcept {
    recording_.store(nullptr, std::memory_order_relaxed);
    waiting_values.fetch_sub(1, std::memory_order_relaxed);
  }
  /// The node's result is not needed any more.
  void abandon_node() noexcept;

  enum class State : std::uint8_t {
    waiting,
    delivered,
    replaced  ///< for the thread that replaces it; others see it as delivered
  };

  static inline constinit std::atomic<long> waiting_values{0};

  std::atomic<Recording*> recording_;
  std::atomic<unsigned> recording_number_;
  std::int32_t node_;
  std::atomic<State> state_{State::waiting};
  StorageRef memory_;
};

/// The result of a recorded operation.
struct PendingArray {
  NdArray header;  ///< its dtype, device, shape and strides; its memory has no bytes
  std::unique_ptr<PendingValue> value;  ///< null if `header` is the array itself
};

}  // namespace skerry
