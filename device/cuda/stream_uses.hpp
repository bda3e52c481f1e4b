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
#include "device/graph.hpp"
#include "device/storage_attachment.hpp"

namespace skerry {

/// The unfinished uses of one storage: the last write and all later reads. They order uses on
/// different streams as the program made them, and delay the reuse of freed memory.
class StreamUses {
 public:
  /// No unfinished uses.
  StreamUses() = default;
  /// Memory ordered with a stream, as if the stream had written it.
  explicit StreamUses(cuda::StreamState& stream_state) noexcept;

  /// Orders work that is now submitted to `stream_state`, in `epoch`, after the earlier uses that
  /// it conflicts with. Makes no call if all of them are on that stream. Throws DeviceError,
  /// ValueError; if the work then fails to start, the order is stricter than necessary.
  void order(Access access, cuda::StreamState& stream_state, std::uint64_t epoch) {
    if (ordered_epochs_[static_cast<std::size_t>(access)].load(std::memory_order_relaxed) != epoch)
        [[unlikely]]
      order_slowly(access, stream_state, epoch);
  }
  /// Moves a recorded use to `epoch`. Call if its work was submitted after the recorded epoch had
  /// ended.
  void extend(cuda::StreamState& stream_state, std::uint64_t epoch);

  /// True if all uses not known to be done are on that stream, so that its later work needs no
  /// event.
  [[nodiscard]] bool are_all_on(const cuda::StreamState& stream_state) {
    const std::uint64_t now = stream_state.now();
    return all_on_.load(std::memory_order_relaxed) == now || are_all_on_slowly(stream_state, now);
  }
  /// Orders later work of `stream_state` after all uses. Makes no call if that is already so.
  void precede(cuda::StreamState& stream_state);
  /// Records that other libraries have used newly imported memory, and that `stream_state` waits
  /// for them.
  void note_import(cuda::StreamState& stream_state);

  /// Returns the uses that are not known to be done.
  [[nodiscard]] cuda::UnfinishedUses unfinished();
  /// For a storage without further users: true if it has no uses, or only uses on `stream`.
  /// Conservative: may return a false negative.
  [[nodiscard]] bool are_only_of(const cuda::DeviceState& device_state,
                                 const void* stream) const noexcept {
    const cuda::StreamState* const stream_state = unfinished_.written.stream_state;
    return unfinished_.reads.empty() && exported_.empty() &&
           (stream_state == nullptr ||
            (&stream_state->device_state() == &device_state && stream_state->handle() == stream));
  }
  /// Moves out all uses, for a storage without further users.
  [[nodiscard]] cuda::UnfinishedUses take() noexcept;

  /// Records that another library may use the memory from now on, ordered before later work of
  /// `stream_state`.
  void note_export(cuda::StreamState& stream_state);

 private:
  void order_slowly(Access access, cuda::StreamState& stream_state, std::uint64_t epoch);
  [[nodiscard]] bool are_all_on_slowly(const cuda::StreamState& stream_state, std::uint64_t epoch);
  void note_who_uses(const cuda::StreamState& stream_state, std::uint64_t epoch) noexcept;
  void discard_finished();
  [[nodiscard]] cuda::StreamUse* find_read(const cuda::StreamState& stream_state) noexcept;
  void note_read(cuda::StreamState& stream_state, std::uint64_t epoch);

  /// For reads and for writes, the epoch in which they need no ordering.
  std::array<std::atomic<std::uint64_t>, 2> ordered_epochs_{};
  /// The epoch during which all uses are on its stream; 0 if they may not be.
  std::atomic<std::uint64_t> all_on_{0};
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  ///< guards the members below
  cuda::UnfinishedUses unfinished_;
  std::vector<cuda::StreamState*> exported_;
};

namespace cuda {

/// Orders work submitted during its lifetime after earlier conflicting uses. In a capture, the
/// graph keeps the uses, and each replay is ordered.
class OrderedWork {
 public:
  OrderedWork(StreamState& stream_state, std::span<const MemoryUse> uses)
      : stream_state_(stream_state), uses_(uses), epoch_(stream_state.now()) {
    if (Graph::captured() != nullptr) [[unlikely]] {
      capture();
      return;
    }
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
  /// Call before work that the host waits for; note_done() follows the wait.
  void begin_wait() noexcept { ended_ = stream_state_.end_epoch(); }
  void note_done() noexcept {
    stream_state_.note_done(ended_);
    has_passed_ = true;
  }

 private:
  void capture();
  void extend() noexcept;

  StreamState& stream_state_;
  std::span<const MemoryUse> uses_;
  std::uint64_t epoch_;
  std::uint64_t ended_ = 0;
  bool has_passed_ = false;
};

}  // namespace cuda

}  // namespace skerry
