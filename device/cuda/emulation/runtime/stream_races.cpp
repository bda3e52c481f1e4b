// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/stream_races.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cuda/emulation/runtime/watched_memory.hpp"
#include "device/cuda/rehearsal/address_range.hpp"
#include "device/cuda/rehearsal/settings.hpp"
#include "device/cuda/rehearsal/stream_order.hpp"

namespace skerry::emulation {

namespace {

using rehearsal::OrderPoint;

/// The last access of a stream: what it did before is before it.
struct AccessMark {
  std::uint64_t stream = 0;  ///< 0: nobody
  std::uint64_t ticket = 0;
  std::shared_ptr<const std::string> by;
};

/// Bytes that were accessed by the same.
struct Segment {
  std::uint64_t end = 0;
  AccessMark write;
  std::vector<AccessMark> reads;
};
using segments = std::map<std::uint64_t, Segment>;

struct AccessedMemory {
  std::mutex mutex;
  segments all;  ///< by their first byte
};

AccessedMemory& accessed() {
  static auto* const memory = new AccessedMemory;  // threads of streams may outlive main()
  return *memory;
}

[[nodiscard]] bool is_of_a_device(const Allocation& range) {
  using range_of = rehearsal::AddressRange;
  return range.begin - range_of::first_wish < range_of::wished_stride * rehearsal::most_devices;
}

/// Makes a segment begin at an address inside of one.
void cut(segments& all, std::uint64_t at) {
  auto behind = all.upper_bound(at);
  if (behind == all.begin()) return;
  const auto here = std::prev(behind);
  if (here->first == at || here->second.end <= at) return;
  Segment rest = here->second;
  here->second.end = at;
  all.emplace_hint(behind, at, std::move(rest));
}

/// Calls `function` with each segment of a range; where there is none, there is one now.
template <class Function>
void for_segments(segments& all, const Allocation& range, Function&& function) {
  cut(all, range.begin);
  cut(all, range.end);
  std::uint64_t at = range.begin;
  auto here = all.lower_bound(at);
  while (at < range.end) {
    if (here == all.end() || here->first > at) {
      const std::uint64_t end = here == all.end() ? range.end : std::min(range.end, here->first);
      here = all.emplace_hint(here, at, Segment{.end = end, .write = {}, .reads = {}});
    }
    function(here->first, here->second);
    at = here->second.end;
    ++here;
  }
}

[[nodiscard]] bool races_with(const OrderPoint& now, const AccessMark& before) {
  return before.stream != 0 && !now.is_after(before.stream, before.ticket);
}

[[nodiscard]] Failure race_of(bool does_write, bool did_write, std::uint64_t address,
                              const std::string& by, const OrderPoint& now,
                              const AccessMark& other) {
  char place[32];
  std::snprintf(place, sizeof place, "%#llx", static_cast<unsigned long long>(address));
  Failure made{.code = code::launch_failure, .text = {}, .kind = FailureKind::race_streams};
  made.what = "race between streams: " + by + ", on stream " + std::to_string(now.stream) + ", " +
              (does_write ? "writes" : "reads") + " the memory at " + place + " that " + *other.by +
              ", on stream " + std::to_string(other.stream) + ", " +
              (did_write ? "writes" : "reads") + ", and no event is between them";
  made.kernel = by;
  made.other = OtherAccess{.by = *other.by, .writes = did_write};
  made.memory.address = address;
  made.text = made.what;
  return made;
}

class NotedWork {
 public:
  NotedWork(segments& all, const std::string& by)
      : all_(all), now_(rehearsal::current_order()), by_(std::make_shared<std::string>(by)) {}

  void read(const Allocation& range) {
    for_segments(all_, range, [&](std::uint64_t begin, Segment& in) {
      if (races_with(now_, in.write)) found(false, true, begin, in.write);
      std::erase_if(in.reads, [&](const AccessMark& one) { return one.stream == now_.stream; });
      in.reads.push_back(mark());
    });
  }

  void write(const Allocation& range) {
    for_segments(all_, range, [&](std::uint64_t begin, Segment& in) {
      if (races_with(now_, in.write)) found(true, true, begin, in.write);
      for (const AccessMark& one : in.reads) {
        if (races_with(now_, one)) found(true, false, begin, one);
      }
      in.write = mark();
      in.reads.clear();
    });
  }

  [[nodiscard]] const std::optional<Failure>& first() const noexcept { return first_; }

 private:
  [[nodiscard]] AccessMark mark() const { return {now_.stream, now_.ticket, by_}; }
  void found(bool does_write, bool did_write, std::uint64_t at, const AccessMark& other) {
    if (!first_) first_ = race_of(does_write, did_write, at, *by_, now_, other);
  }

  segments& all_;
  const OrderPoint& now_;
  std::shared_ptr<const std::string> by_;
  std::optional<Failure> first_;
};

}  // namespace

void follow_streams() noexcept {
  watch_memory();
  rehearsal::follows_order.store(true);
}
bool follows_streams() noexcept { return rehearsal::follows_order.load(); }

void leave_streams() {
  rehearsal::follows_order.store(false);
  AccessedMemory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  memory.all.clear();
}

std::optional<Failure> note_stream_accesses(const std::string& by, std::span<const Allocation> read,
                                            std::span<const Allocation> written) {
  if (!follows_streams() || rehearsal::current_order().stream == 0) return {};
  AccessedMemory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  NotedWork work(memory.all, by);
  for (const Allocation& range : read) {
    if (is_of_a_device(range)) work.read(range);
  }
  for (const Allocation& range : written) {
    if (is_of_a_device(range)) work.write(range);
  }
  return work.first();
}

void forget_stream_accesses(const void* data, std::size_t nbytes) {
  if (!follows_streams()) return;
  AccessedMemory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  cut(memory.all, begin);
  cut(memory.all, begin + nbytes);
  memory.all.erase(memory.all.lower_bound(begin), memory.all.lower_bound(begin + nbytes));
}

}  // namespace skerry::emulation
