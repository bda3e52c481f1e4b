// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory_use.hpp"
#include "device/cuda/stream_state.hpp"
#include "device/storage_attachment.hpp"

namespace skerry {

/// The uses of one storage that may not be done: the last write, and what has read since. By it
/// uses take effect in the order in which they were made, whatever streams they run on, and memory
/// is not used again too early.
class StreamUses {
 public:
  /// Nothing is in flight.
  StreamUses() = default;
  /// Memory that is in order with a stream: as if that had written it.
  explicit StreamUses(cuda::StreamState& stream_state) noexcept;

  /// Work that is submitted to `stream_state` now, in `epoch`, comes after the earlier uses that it
  /// has to come after. Calls nothing where all of them are on that stream. Throws DeviceError,
  /// ValueError; a use that fails to start leaves an order that is stricter than need be.
  void order(Access access, cuda::StreamState& stream_state, std::uint64_t epoch) {
    if (ordered_epochs_[static_cast<std::size_t>(access)].load(std::memory_order_relaxed) != epoch)
        [[unlikely]]
      order_slowly(access, stream_state, epoch);
  }
  /// The work of a use was submitted when its stretch had ended: it belongs to this one, too.
  void extend(cuda::StreamState& stream_state, std::uint64_t epoch);

  /// Whether all uses that the host has not seen the end of are on that stream, so that its work
  /// comes after them by itself.
  [[nodiscard]] bool are_all_on(const cuda::StreamState& stream_state) {
    const std::uint64_t now = stream_state.now();
    return all_on_.load(std::memory_order_relaxed) == now || are_all_on_slowly(stream_state, now);
  }
  /// Work submitted to `stream_state` from now on comes after all uses. Calls nothing where that is
  /// so.
  void precede(cuda::StreamState& stream_state);
  /// Others have used memory that is new here, and `stream_state` waits for them.
  void note_import(cuda::StreamState& stream_state);

  /// All uses that the host has not seen the end of.
  [[nodiscard]] cuda::UnfinishedUses unfinished();
  /// For a storage that nobody uses any more: whether there are none, or only those of one stream.
  /// May say no where it is so.
  [[nodiscard]] bool are_only_of(const cuda::DeviceState& device_state,
                                 const void* stream) const noexcept {
    const cuda::StreamState* const stream_state = unfinished_.written.stream_state;
    return unfinished_.reads.empty() && exported_.empty() &&
           (stream_state == nullptr ||
            (&stream_state->device_state() == &device_state && stream_state->handle() == stream));
  }
  /// All uses of a storage that nobody uses any more.
  [[nodiscard]] cuda::UnfinishedUses take() noexcept;

  /// Another library uses the memory from now on, and puts what it does before later work of
  /// `stream_state`.
  void note_export(cuda::StreamState& stream_state);

 private:
  void order_slowly(Access access, cuda::StreamState& stream_state, std::uint64_t epoch);
  [[nodiscard]] bool are_all_on_slowly(const cuda::StreamState& stream_state, std::uint64_t epoch);
  void note_who_uses(const cuda::StreamState& stream_state, std::uint64_t epoch) noexcept;
  void discard_finished();
  [[nodiscard]] cuda::StreamUse* find_read(const cuda::StreamState& stream_state) noexcept;
  void note_read(cuda::StreamState& stream_state, std::uint64_t epoch);

  /// For a read and for a write: the stretch in which it needs nothing.
  std::array<std::atomic<std::uint64_t>, 2> ordered_epochs_{};
  /// The stretch during which all uses are on its stream; 0 where they may not be.
  std::atomic<std::uint64_t> all_on_{0};
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  ///< guards what follows
  cuda::UnfinishedUses unfinished_;
  std::vector<cuda::StreamState*> exported_;
};

namespace cuda {

/// Puts work that is submitted while it lives after the earlier uses of what it touches.
class OrderedWork {
 public:
  OrderedWork(StreamState& stream_state, std::span<const MemoryUse> uses)
      : stream_state_(stream_state), uses_(uses), epoch_(stream_state.now()) {
    for (const MemoryUse& memory_use : uses) {
      if (StreamUses* const storage_uses = stream_uses(memory_use.memory()))
        storage_uses->order(memory_use.mode(), stream_state, epoch_);
    }
  }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;
  ~OrderedWork() {
    if (stream_state_.now() != epoch_ && !has_passed_) [[unlikely]]
      extend();
  }
  /// Before work for which the host waits itself; passed() follows when it has.
  void begin_wait() noexcept { ended_ = stream_state_.end_epoch(); }
  void note_done() noexcept {
    stream_state_.note_done(ended_);
    has_passed_ = true;
  }

 private:
  void extend() noexcept;

  StreamState& stream_state_;
  std::span<const MemoryUse> uses_;
  std::uint64_t epoch_;
  std::uint64_t ended_ = 0;
  bool has_passed_ = false;
};

}  // namespace cuda

}  // namespace skerry
