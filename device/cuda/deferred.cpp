// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/deferred.hpp"

#include <cstring>
#include <optional>

#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"

namespace skerry::cuda {
namespace {

constexpr std::size_t word_count = 1024;
constexpr const char* doing = "deferred errors";

}  // namespace

/// At first use.
void DeferredErrors::allocate_words() {
  const std::lock_guard allocating(allocating_);
  if (is_allocated_) return;
  entries_.reserve(word_count);
  free_.reserve(word_count);
  void* words = nullptr;
  check(call<&Api::host_allocate>(&words, word_count * sizeof(std::int64_t)), on_, doing);
  std::memset(words, 0, word_count * sizeof(std::int64_t));
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < word_count; ++i) {
    free_.push_back(static_cast<std::int64_t*>(words) + i);
  }
  is_allocated_ = true;
}

std::int64_t* DeferredErrors::add(const DeferredError& error, void* stream) {
  const DeviceGuard guard(on_);
  allocate_words();
  std::unique_lock lock(mutex_);
  while (free_.empty()) {
    lock.unlock();
    const std::uint64_t before = next();
    check(call<&Api::device_synchronize>(), on_, doing);
    waited_for_all(before);
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
  for (auto each = entries_.rbegin(); each != entries_.rend(); ++each) {
    if (each->word != word) continue;
    each->number = next_.fetch_add(1);
    return;
  }
}

template <class IsOver>
void DeferredErrors::collect(IsOver&& is_over, std::uint64_t end) {
  if (pending_.load() == 0) return;
  std::optional<DeferredError> first;
  std::int64_t found = 0;
  {
    const std::lock_guard lock(mutex_);
    std::size_t kept = 0;
    for (Entry& each : entries_) {
      const std::int64_t stored = __atomic_load_n(each.word, __ATOMIC_ACQUIRE);
      if (stored != 0 && !each.is_reported && !first && (end == UINT64_MAX || each.number < end)) {
        first = each.error;
        found = stored;
        each.is_reported = true;
      }
      if (is_over(each)) {
        __atomic_store_n(each.word, 0, __ATOMIC_RELEASE);
        free_.push_back(each.word);
      } else {
        entries_[kept++] = each;
      }
    }
    entries_.resize(kept);
    pending_.store(kept);
  }
  if (first) first->raise(*first, found);
}

void DeferredErrors::waited(void* stream, std::uint64_t before) {
  const bool is_one = stream != nullptr && stream != per_thread_stream;
  collect(
      [&](const Entry& each) { return is_one && each.stream == stream && each.number < before; });
  raise_of_sources();
}

void DeferredErrors::waited_for_all(std::uint64_t before) {
  collect([&](const Entry& each) { return each.number < before; });
  raise_of_sources();
}

void DeferredErrors::raise_of_sources() {
  for (std::size_t i = 0; i < on_.sources.size(); ++i) {
    const std::uint64_t end = on_.sources[i].load();
    if (end != 0) detail::states[i]->deferred->collect([](const Entry&) { return false; }, end);
  }
}

void note_source(DeviceState& later, const DeviceState& earlier) noexcept {
  if (&later == &earlier) return;
  const auto raise_to = [&](std::size_t source, std::uint64_t end) {
    std::atomic<std::uint64_t>& known = later.sources[source];
    std::uint64_t before = known.load();
    while (before < end && !known.compare_exchange_weak(before, end)) {
    }
  };
  const auto own = static_cast<std::size_t>(later.where.index);
  for (std::size_t i = 0; i < earlier.sources.size(); ++i) {
    if (i != own) raise_to(i, earlier.sources[i].load());
  }
  raise_to(static_cast<std::size_t>(earlier.where.index), earlier.deferred->next());
}

std::int64_t* add_deferred(Device where, const DeferredError& error) {
  return use(where).deferred->add(error, cuda::current_stream_handle(where));
}

void close_deferred(Device where, const std::int64_t* word) noexcept {
  detail::states[where.index]->deferred->close(word);
}

}  // namespace skerry::cuda
