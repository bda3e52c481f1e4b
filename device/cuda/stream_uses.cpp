// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/stream_uses.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "device/cuda/device_graph.hpp"
#include "device/cuda/runtime.hpp"

namespace skerry {

namespace {

/// Spin lock, held while events are recorded; only threads that use one array at once contend for
/// it.
class BusyGuard {
 public:
  explicit BusyGuard(std::atomic_flag& flag) noexcept : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;
  ~BusyGuard() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag_;
};

constexpr auto for_read = static_cast<std::size_t>(Access::read);
constexpr auto for_write = static_cast<std::size_t>(Access::write);

}  // namespace

StreamUses::StreamUses(cuda::StreamState& stream_state) noexcept
    : unfinished_{{&stream_state, stream_state.now()}, {}} {
  for (auto& ordered_epoch : ordered_epochs_)
    ordered_epoch.store(unfinished_.written.epoch, std::memory_order_relaxed);
  all_on_.store(unfinished_.written.epoch, std::memory_order_relaxed);
}

void StreamUses::note_who_uses(const cuda::StreamState& stream_state,
                               std::uint64_t epoch) noexcept {
  bool alone = true;
  unfinished_.for_each([&](const cuda::StreamUse& stream_use) {
    alone &= stream_use.stream_state == &stream_state;
  });
  all_on_.store(alone ? epoch : 0, std::memory_order_relaxed);
}

bool StreamUses::are_all_on_slowly(const cuda::StreamState& stream_state, std::uint64_t epoch) {
  const BusyGuard guard(busy_);
  discard_finished();
  note_who_uses(stream_state, epoch);
  return all_on_.load(std::memory_order_relaxed) == epoch;
}

void StreamUses::discard_finished() {
  unfinished_.erase_if([](const cuda::StreamUse& stream_use) { return stream_use.known_done(); });
}

cuda::StreamUse* StreamUses::find_read(const cuda::StreamState& stream_state) noexcept {
  const auto read_use = std::find_if(
      unfinished_.reads.begin(), unfinished_.reads.end(),
      [&](const cuda::StreamUse& stream_use) { return stream_use.stream_state == &stream_state; });
  return read_use == unfinished_.reads.end() ? nullptr : &*read_use;
}

void StreamUses::note_read(cuda::StreamState& stream_state, std::uint64_t epoch) {
  if (cuda::StreamUse* const read_use = find_read(stream_state)) {
    read_use->epoch = epoch;
  } else {
    unfinished_.reads.push_back({&stream_state, epoch});
  }
}

void StreamUses::order_slowly(Access access, cuda::StreamState& stream_state, std::uint64_t epoch) {
  const BusyGuard guard(busy_);
  discard_finished();
  // A stream that has read since the write is already ordered after it.
  if (unfinished_.written.stream_state != nullptr && find_read(stream_state) == nullptr) {
    unfinished_.written.stream_state->precede(stream_state, unfinished_.written.epoch);
  }
  if (access == Access::read) {
    note_read(stream_state, epoch);
    ordered_epochs_[for_read].store(epoch, std::memory_order_relaxed);
    ordered_epochs_[for_write].store(0, std::memory_order_relaxed);
    note_who_uses(stream_state, epoch);
    return;
  }
  for (const cuda::StreamUse& stream_use : unfinished_.reads)
    stream_use.stream_state->precede(stream_state, stream_use.epoch);
  unfinished_.written = {&stream_state, epoch};
  unfinished_.reads.clear();
  for (auto& ordered_epoch : ordered_epochs_) ordered_epoch.store(epoch, std::memory_order_relaxed);
  all_on_.store(epoch, std::memory_order_relaxed);
}

void StreamUses::precede(cuda::StreamState& stream_state) {
  if (are_all_on(stream_state)) return;
  const BusyGuard guard(busy_);
  discard_finished();
  unfinished_.for_each([&](const cuda::StreamUse& stream_use) {
    stream_use.stream_state->precede(stream_state, stream_use.epoch);
  });
}

void StreamUses::note_import(cuda::StreamState& stream_state) {
  const BusyGuard guard(busy_);
  unfinished_.written = {&stream_state, stream_state.now(), true};
  all_on_.store(0, std::memory_order_relaxed);
}

void StreamUses::extend(cuda::StreamState& stream_state, std::uint64_t epoch) {
  const BusyGuard guard(busy_);
  if (unfinished_.written.stream_state == &stream_state) {
    unfinished_.written.epoch = epoch;
  } else {
    note_read(stream_state, epoch);
  }
  for (auto& ordered_epoch : ordered_epochs_) ordered_epoch.store(0, std::memory_order_relaxed);
  all_on_.store(0, std::memory_order_relaxed);
}

void StreamUses::note_export(cuda::StreamState& stream_state) {
  const BusyGuard guard(busy_);
  if (std::ranges::find(exported_, &stream_state) == exported_.end())
    exported_.push_back(&stream_state);
}

cuda::UnfinishedUses StreamUses::take() noexcept {
  for (cuda::StreamState* const stream_state : exported_) {
    try {
      note_read(*stream_state, stream_state->now());
    } catch (const std::bad_alloc&) {
      static_cast<void>(stream_state->finish());
    }
  }
  return std::move(unfinished_);
}

cuda::UnfinishedUses StreamUses::unfinished() {
  const BusyGuard guard(busy_);
  discard_finished();
  return unfinished_;
}

namespace cuda {

void OrderedWork::capture() {
  has_passed_ = true;
  for (const MemoryUse& memory_use : uses_)
    DeviceGraph::captured()->add_use(memory_use.memory(), memory_use.mode());
}

void OrderedWork::extend() noexcept {
  const std::uint64_t epoch = stream_state_.now();
  for (const MemoryUse& memory_use : uses_) {
    StreamUses* const storage_uses = stream_uses(memory_use.memory());
    if (storage_uses == nullptr) continue;
    try {
      storage_uses->extend(stream_state_, epoch);
    } catch (const std::bad_alloc&) {
      // Without a record nothing could wait for the work, so wait here.
      static_cast<void>(stream_state_.finish());
    }
  }
}

}  // namespace cuda

}  // namespace skerry
