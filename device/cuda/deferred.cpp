// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/deferred.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "device/cuda/device_graph.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/host_action.hpp"

namespace skerry::cuda {
namespace {

constexpr std::size_t word_count = 1024;
constexpr const char* doing = "deferred errors";

}  // namespace

/// Allocates the pinned words at first use.
void DeferredErrors::allocate_words() {
  const std::lock_guard allocating(allocating_);
  if (is_allocated_) return;
  entries_.reserve(word_count);
  free_.reserve(word_count);
  void* words = nullptr;
  check(call<&Api::host_allocate>(&words, word_count * sizeof(std::int64_t)), device_state_, doing);
  std::memset(words, 0, word_count * sizeof(std::int64_t));
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < word_count; ++i) {
    free_.push_back(static_cast<std::int64_t*>(words) + i);
  }
  is_allocated_ = true;
}

std::int64_t* DeferredErrors::add(const DeferredError& error, void* stream) {
  const DeviceGuard guard(device_state_);
  allocate_words();
  std::unique_lock lock(mutex_);
  while (free_.empty()) {
    lock.unlock();
    const Announcement announcement([&] {
      return HostAction{.cause = "deferred errors", .source = device_state_.device, .waits = true};
    });
    const std::uint64_t end_number = next();
    check(call<&Api::device_synchronize>(), device_state_, doing);
    raise_after_device_wait(end_number);
    lock.lock();
  }
  std::int64_t* const word = free_.back();
  free_.pop_back();
  entries_.push_back({error, stream, UINT64_MAX, word, false});
  pending_.store(entries_.size());
  return word;
}

void DeferredErrors::close(const std::int64_t* word) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->word != word) continue;
    entry->number = next_.fetch_add(1);
    return;
  }
}

std::int64_t* DeferredErrors::take() {
  const DeviceGuard guard(device_state_);
  allocate_words();
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    throw DeviceError(to_string(device_state_.device) +
                          ": too many calls that check values on the device, such as of indices, "
                          "are captured or unfinished; synchronize the device before the capture",
                      device_state_.device, success, false);
  }
  std::int64_t* const word = free_.back();
  free_.pop_back();
  return word;
}

/// A word has one entry, that of the last replay.
void DeferredErrors::note_replay(const DeferredError& error, std::int64_t* word, void* stream) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = next_.fetch_add(1);
  const auto entry = std::ranges::find(entries_, word, &Entry::word);
  if (entry == entries_.end()) {
    entries_.push_back({error, stream, number, word, false, true});
    pending_.store(entries_.size());
    return;
  }
  entry->stream = stream;
  entry->number = number;
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0) entry->is_reported = false;
}

void DeferredErrors::give_back(std::int64_t* word) noexcept {
  const std::lock_guard lock(mutex_);
  const auto entry = std::ranges::find(entries_, word, &Entry::word);
  if (entry == entries_.end()) {
    free_.push_back(word);  // within the reserved capacity
  } else {
    entry->is_owned = false;
  }
}

template <class IsOver>
void DeferredErrors::collect(IsOver&& is_over, std::uint64_t end) {
  if (pending_.load() == 0) return;
  std::optional<DeferredError> first;
  std::int64_t first_value = 0;
  {
    const std::lock_guard lock(mutex_);
    std::size_t open_count = 0;
    for (Entry& entry : entries_) {
      const std::int64_t stored = __atomic_load_n(entry.word, __ATOMIC_ACQUIRE);
      if (stored != 0 && !entry.is_reported && !first &&
          (end == UINT64_MAX || entry.number < end)) {
        first = entry.error;
        first_value = stored;
        entry.is_reported = true;
      }
      if (is_over(entry)) {
        __atomic_store_n(entry.word, 0, __ATOMIC_RELEASE);
        if (!entry.is_owned) free_.push_back(entry.word);
      } else {
        entries_[open_count++] = entry;
      }
    }
    entries_.resize(open_count);
    pending_.store(open_count);
  }
  if (first) raise(*first, first_value);
}

void DeferredErrors::raise_after_wait(void* stream, std::uint64_t end_number) {
  const bool is_one = stream != nullptr && stream != per_thread_stream;
  collect([&](const Entry& entry) {
    return is_one && entry.stream == stream && entry.number < end_number;
  });
  raise_of_sources();
}

void DeferredErrors::raise_after_device_wait(std::uint64_t end_number) {
  collect([&](const Entry& entry) { return entry.number < end_number; });
  raise_of_sources();
}

void DeferredErrors::raise_of_sources() {
  for (std::size_t i = 0; i < device_state_.sources.size(); ++i) {
    const std::uint64_t end = device_state_.sources[i].load();
    if (end != 0) detail::states[i]->deferred->collect([](const Entry&) { return false; }, end);
  }
}

void note_dependency(DeviceState& later, const DeviceState& earlier) noexcept {
  if (&later == &earlier) return;
  const auto raise_to = [&](std::size_t source, std::uint64_t end) {
    std::atomic<std::uint64_t>& source_end = later.sources[source];
    std::uint64_t old_end = source_end.load();
    while (old_end < end && !source_end.compare_exchange_weak(old_end, end)) {
    }
  };
  const auto own_index = static_cast<std::size_t>(later.device.index);
  for (std::size_t i = 0; i < earlier.sources.size(); ++i) {
    if (i != own_index) raise_to(i, earlier.sources[i].load());
  }
  raise_to(static_cast<std::size_t>(earlier.device.index), earlier.deferred->next());
}

std::int64_t* add_deferred(Device device, const DeferredError& error) {
  DeviceState& device_state = usable_state(device);
  if (DeviceGraph* const graph = DeviceGraph::captured())
    return graph->add_deferred(device_state, error);
  return device_state.deferred->add(error, cuda::current_stream_handle(device));
}

void close_deferred(Device device, const std::int64_t* word) noexcept {
  detail::states[device.index]->deferred->close(word);
}

}  // namespace skerry::cuda
