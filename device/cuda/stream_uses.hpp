// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory_use.hpp"
#include "device/cuda/timeline.hpp"

namespace skerry {

/// The uses of one storage that may not be done: the last write, and what has read since. By it
/// uses take effect in the order in which they were made, whatever streams they run on, and memory
/// is not used again too early.
class StreamUses {
 public:
  /// Nothing is in flight.
  StreamUses() = default;
  /// Memory that is in order with a stream: as if that had written it.
  explicit StreamUses(cuda::Timeline& home) noexcept;

  /// Work that is submitted to `by` now, in `stretch`, comes after the earlier uses that it has to
  /// come after. Calls nothing where all of them are on that stream. Throws DeviceError,
  /// ValueError; a use that fails to start leaves an order that is stricter than need be.
  void order(Access how, cuda::Timeline& by, std::uint64_t stretch) {
    if (settled_[static_cast<std::size_t>(how)].load(std::memory_order_relaxed) != stretch)
        [[unlikely]]
      order_slowly(how, by, stretch);
  }
  /// The work of a use was submitted when its stretch had ended: it belongs to this one, too.
  void extend(cuda::Timeline& by, std::uint64_t stretch);

  /// Whether all uses that the host has not seen the end of are on that stream, so that its work
  /// comes after them by itself.
  [[nodiscard]] bool are_all_on(const cuda::Timeline& by) {
    const std::uint64_t now = by.now();
    return all_on_.load(std::memory_order_relaxed) == now || look_for_others(by, now);
  }
  /// Work submitted to `by` from now on comes after all uses. Calls nothing where that is so.
  void come_before(cuda::Timeline& by);
  /// Others have used memory that is new here, and `by` waits for them.
  void come_after(cuda::Timeline& by);

  /// All uses that the host has not seen the end of.
  [[nodiscard]] cuda::UnfinishedUses unfinished();
  /// For a storage that nobody uses any more: whether there are none, or only those of one stream.
  /// May say no where it is so.
  [[nodiscard]] bool are_only_of(const cuda::DeviceState& on, const void* stream) const noexcept {
    const cuda::Timeline* const by = known_.written.by;
    return known_.reads.empty() && exported_.empty() &&
           (by == nullptr || (&by->on() == &on && by->handle() == stream));
  }
  /// All uses of a storage that nobody uses any more.
  [[nodiscard]] cuda::UnfinishedUses take() noexcept;

  /// Another library uses the memory from now on, and puts what it does before later work of `by`.
  void note_export(cuda::Timeline& by);

 private:
  void order_slowly(Access how, cuda::Timeline& by, std::uint64_t stretch);
  [[nodiscard]] bool look_for_others(const cuda::Timeline& by, std::uint64_t stretch);
  void note_who_uses(const cuda::Timeline& by, std::uint64_t stretch) noexcept;
  void forget_finished();
  [[nodiscard]] cuda::StreamUse* find_read(const cuda::Timeline& by) noexcept;
  void note_read(cuda::Timeline& by, std::uint64_t stretch);

  /// For a read and for a write: the stretch in which it needs nothing.
  std::array<std::atomic<std::uint64_t>, 2> settled_{};
  /// The stretch during which all uses are on its stream; 0 where they may not be.
  std::atomic<std::uint64_t> all_on_{0};
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  ///< guards what follows
  cuda::UnfinishedUses known_;
  std::vector<cuda::Timeline*> exported_;
};

namespace cuda {

/// Puts work that is submitted while it lives after the earlier uses of what it touches.
class OrderedWork {
 public:
  OrderedWork(Timeline& by, std::span<const MemoryUse> uses)
      : by_(by), uses_(uses), stretch_(by.now()) {
    for (const MemoryUse& each : uses) {
      if (StreamUses* const known = each.memory().uses()) known->order(each.mode(), by, stretch_);
    }
  }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;
  ~OrderedWork() {
    if (by_.now() != stretch_ && !has_passed_) [[unlikely]]
      extend();
  }
  /// Before work for which the host waits itself; passed() follows when it has.
  void begin_wait() noexcept { ended_ = by_.end_stretch(); }
  void passed() noexcept {
    by_.passed(ended_);
    has_passed_ = true;
  }

 private:
  void extend() noexcept;

  Timeline& by_;
  std::span<const MemoryUse> uses_;
  std::uint64_t stretch_;
  std::uint64_t ended_ = 0;
  bool has_passed_ = false;
};

}  // namespace cuda

}  // namespace skerry
