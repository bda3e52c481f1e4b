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

/// The error words of one device. Kernels store errors in pinned memory, so the host reads them
/// after a wait without another transfer. Each kernel has its own word, reused only after a wait
/// has shown that the kernel has ended, so that no two kernels share a word.
class DeferredErrors {
 public:
  explicit DeferredErrors(DeviceState& device_state) noexcept : device_state_(device_state) {}

  /// Waits for the device if all words are in use. Throws the deferred errors that this wait finds,
  /// DeviceError, OutOfMemoryError.
  [[nodiscard]] std::int64_t* add(const DeferredError& error, void* stream);
  /// Marks a word as complete: all kernels that use it are enqueued.
  void close(const std::int64_t* word) noexcept;

  /// Returns a word for a kernel of a graph, which owns it until give_back(). Throws DeviceError if
  /// no word is free, OutOfMemoryError.
  [[nodiscard]] std::int64_t* take();
  /// Records that a replay on `stream` has enqueued the kernels that use a graph's word.
  void note_replay(const DeferredError& error, std::int64_t* word, void* stream);
  void give_back(std::int64_t* word) noexcept;

  /// Returns the `end_number` of a wait that begins now: it covers entries that were closed before,
  /// with lower numbers.
  [[nodiscard]] std::uint64_t next() const noexcept { return next_.load(); }

  /// Call after a wait for `stream` that began at number `end_number`; a null stream means that no
  /// whole stream was waited for. Throws the errors stored by kernels of this device, and by those
  /// of other devices that work here depends on.
  void raise_after_wait(void* stream, std::uint64_t end_number);
  /// The same after a wait for the whole device.
  void raise_after_device_wait(std::uint64_t end_number);

 private:
  void raise_of_sources();

  struct Entry {
    DeferredError error;
    void* stream;
    std::uint64_t number;  ///< in order of closing; open entries have the highest
    std::int64_t* word;
    bool is_reported;
    bool is_owned = false;  ///< by a graph; then its word is not freed
  };

  /// Frees the words of entries for which `is_over` is true, then throws the first stored error of
  /// the entries with numbers below `end`.
  template <class IsOver>
  void collect(IsOver&& is_over, std::uint64_t end = UINT64_MAX);

  void allocate_words();

  DeviceState& device_state_;
  WaitingMutex allocating_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::size_t> pending_{0};
  std::vector<Entry> entries_;  ///< oldest first; never exceeds the reserved capacity
  std::vector<std::int64_t*> free_;
  bool is_allocated_ = false;  ///< guarded by allocating_
};

}  // namespace skerry::cuda
