// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "device/deferred.hpp"
#include "device/outer_lock.hpp"

namespace skerry::cuda {

struct DeviceState;

/// The words of one device into which kernels store errors, in pinned memory: the host reads them
/// after a wait without another transfer. Every kernel has a word of its own, which is used again
/// only when a wait has shown that the kernel has ended; so nobody writes what another reads.
class DeferredErrors {
 public:
  explicit DeferredErrors(DeviceState& device_state) noexcept : device_state_(device_state) {}

  /// Waits for the device where all words are taken. Throws what that wait finds, DeviceError,
  /// OutOfMemoryError.
  [[nodiscard]] std::int64_t* add(const DeferredError& error, void* stream);
  /// All kernels that use the word are enqueued.
  void close(const std::int64_t* word) noexcept;

  /// A wait that begins now covers the entries that were closed with lower numbers.
  [[nodiscard]] std::uint64_t next() const noexcept { return next_.load(); }

  /// After a wait for `stream`, begun at number `end_number`. Null: for no stream as a whole.
  /// Throws what kernels of this device have stored, or of those that work here has come after.
  void raise_after_wait(void* stream, std::uint64_t end_number);
  /// After a wait for all of the device.
  void raise_after_device_wait(std::uint64_t end_number);

 private:
  void raise_of_sources();

  struct Entry {
    DeferredError error;
    void* stream;
    std::uint64_t number;  ///< in the order of closing; open ones have the highest
    std::int64_t* word;
    bool is_reported;
  };

  /// Throws the first error that is stored, of the entries with numbers below `end`.
  template <class IsOver>
  void collect(IsOver&& is_over, std::uint64_t end = UINT64_MAX);

  void allocate_words();

  DeviceState& device_state_;
  WaitingMutex allocating_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::size_t> pending_{0};
  std::vector<Entry> entries_;  ///< oldest first; never grows beyond what was reserved
  std::vector<std::int64_t*> free_;
  bool is_allocated_ = false;  ///< guarded by allocating_
};

}  // namespace skerry::cuda
