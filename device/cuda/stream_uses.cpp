// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/stream_uses.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "device/cuda/runtime.hpp"

namespace skerry {

namespace {

/// Held while events are recorded, which two threads that use one array at once wait for.
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

StreamUses::StreamUses(cuda::Timeline& home) noexcept : known_{{&home, home.now()}, {}} {
  for (auto& each : settled_) each.store(known_.written.stretch, std::memory_order_relaxed);
  all_on_.store(known_.written.stretch, std::memory_order_relaxed);
}

void StreamUses::note_who_uses(const cuda::Timeline& by, std::uint64_t stretch) noexcept {
  bool alone = true;
  known_.for_each([&](const cuda::StreamUse& each) { alone &= each.by == &by; });
  all_on_.store(alone ? stretch : 0, std::memory_order_relaxed);
}

bool StreamUses::look_for_others(const cuda::Timeline& by, std::uint64_t stretch) {
  const BusyGuard guard(busy_);
  forget_finished();
  note_who_uses(by, stretch);
  return all_on_.load(std::memory_order_relaxed) == stretch;
}

void StreamUses::forget_finished() {
  known_.forget_if([](const cuda::StreamUse& each) { return each.known_done(); });
}

cuda::StreamUse* StreamUses::find_read(const cuda::Timeline& by) noexcept {
  const auto found = std::find_if(known_.reads.begin(), known_.reads.end(),
                                  [&](const cuda::StreamUse& each) { return each.by == &by; });
  return found == known_.reads.end() ? nullptr : &*found;
}

void StreamUses::note_read(cuda::Timeline& by, std::uint64_t stretch) {
  if (cuda::StreamUse* const known = find_read(by)) {
    known->stretch = stretch;
  } else {
    known_.reads.push_back({&by, stretch});
  }
}

void StreamUses::order_slowly(Access how, cuda::Timeline& by, std::uint64_t stretch) {
  const BusyGuard guard(busy_);
  forget_finished();
  // A stream that has read since comes after the write already.
  if (known_.written.by != nullptr && find_read(by) == nullptr) {
    known_.written.by->come_before(by, known_.written.stretch);
  }
  if (how == Access::read) {
    note_read(by, stretch);
    settled_[for_read].store(stretch, std::memory_order_relaxed);
    settled_[for_write].store(0, std::memory_order_relaxed);
    note_who_uses(by, stretch);
    return;
  }
  for (const cuda::StreamUse& each : known_.reads) each.by->come_before(by, each.stretch);
  known_.written = {&by, stretch};
  known_.reads.clear();
  for (auto& each : settled_) each.store(stretch, std::memory_order_relaxed);
  all_on_.store(stretch, std::memory_order_relaxed);
}

void StreamUses::come_before(cuda::Timeline& by) {
  if (are_all_on(by)) return;
  const BusyGuard guard(busy_);
  forget_finished();
  known_.for_each([&](const cuda::StreamUse& each) { each.by->come_before(by, each.stretch); });
}

void StreamUses::come_after(cuda::Timeline& by) {
  const BusyGuard guard(busy_);
  known_.written = {&by, by.now(), true};
  all_on_.store(0, std::memory_order_relaxed);
}

void StreamUses::extend(cuda::Timeline& by, std::uint64_t stretch) {
  const BusyGuard guard(busy_);
  if (known_.written.by == &by) {
    known_.written.stretch = stretch;
  } else {
    note_read(by, stretch);
  }
  for (auto& each : settled_) each.store(0, std::memory_order_relaxed);
  all_on_.store(0, std::memory_order_relaxed);
}

void StreamUses::note_export(cuda::Timeline& by) {
  const BusyGuard guard(busy_);
  if (std::ranges::find(exported_, &by) == exported_.end()) exported_.push_back(&by);
}

cuda::UnfinishedUses StreamUses::take() noexcept {
  for (cuda::Timeline* const each : exported_) {
    try {
      note_read(*each, each->now());
    } catch (const std::bad_alloc&) {
      static_cast<void>(each->finish());
    }
  }
  return std::move(known_);
}

cuda::UnfinishedUses StreamUses::unfinished() {
  const BusyGuard guard(busy_);
  forget_finished();
  return known_;
}

namespace cuda {

void OrderedWork::extend() noexcept {
  const std::uint64_t stretch = by_.now();
  for (const MemoryUse& each : uses_) {
    StreamUses* const known = each.memory().uses();
    if (known == nullptr) continue;
    try {
      known->extend(by_, stretch);
    } catch (const std::bad_alloc&) {
      // Nobody could wait for the work, so it is waited for here.
      static_cast<void>(by_.finish());
    }
  }
}

}  // namespace cuda

}  // namespace skerry
