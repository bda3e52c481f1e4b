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

using rehearsal::order_point;

/// The last access of a stream: what it did before is before it.
struct access_mark {
  std::uint64_t stream = 0;  ///< 0: nobody
  std::uint64_t ticket = 0;
  std::shared_ptr<const std::string> by;
};

/// Bytes that were accessed by the same.
struct segment {
  std::uint64_t end = 0;
  access_mark write;
  std::vector<access_mark> reads;
};
using segments = std::map<std::uint64_t, segment>;

struct accessed_memory {
  std::mutex mutex;
  segments all;  ///< by their first byte
};

accessed_memory& accessed() {
  static auto* const memory = new accessed_memory;  // threads of streams may outlive main()
  return *memory;
}

[[nodiscard]] bool is_of_a_device(const allocation& range) {
  using range_of = rehearsal::address_range;
  return range.begin - range_of::first_wish < range_of::wished_stride * rehearsal::most_devices;
}

/// Makes a segment begin at an address inside of one.
void cut(segments& all, std::uint64_t at) {
  auto behind = all.upper_bound(at);
  if (behind == all.begin()) return;
  const auto here = std::prev(behind);
  if (here->first == at || here->second.end <= at) return;
  segment rest = here->second;
  here->second.end = at;
  all.emplace_hint(behind, at, std::move(rest));
}

/// Calls `function` with each segment of a range; where there is none, there is one now.
template <class Function>
void for_segments(segments& all, const allocation& range, Function&& function) {
  cut(all, range.begin);
  cut(all, range.end);
  std::uint64_t at = range.begin;
  auto here = all.lower_bound(at);
  while (at < range.end) {
    if (here == all.end() || here->first > at) {
      const std::uint64_t end = here == all.end() ? range.end : std::min(range.end, here->first);
      here = all.emplace_hint(here, at, segment{.end = end, .write = {}, .reads = {}});
    }
    function(here->first, here->second);
    at = here->second.end;
    ++here;
  }
}

[[nodiscard]] bool races_with(const order_point& now, const access_mark& before) {
  return before.stream != 0 && !now.is_after(before.stream, before.ticket);
}

[[nodiscard]] failure race_of(bool does_write, bool did_write, std::uint64_t address,
                              const std::string& by, const order_point& now,
                              const access_mark& other) {
  char place[32];
  std::snprintf(place, sizeof place, "%#llx", static_cast<unsigned long long>(address));
  failure made{.code = code::launch_failure, .text = {}, .kind = failure_kind::race_streams};
  made.what = "race between streams: " + by + ", on stream " + std::to_string(now.stream) + ", " +
              (does_write ? "writes" : "reads") + " the memory at " + place + " that " + *other.by +
              ", on stream " + std::to_string(other.stream) + ", " +
              (did_write ? "writes" : "reads") + ", and no event is between them";
  made.kernel = by;
  made.other = other_access{.by = *other.by, .writes = did_write};
  made.memory.address = address;
  made.text = made.what;
  return made;
}

class noted_work {
 public:
  noted_work(segments& all, const std::string& by)
      : all_(all), now_(rehearsal::current_order()), by_(std::make_shared<std::string>(by)) {}

  void read(const allocation& range) {
    for_segments(all_, range, [&](std::uint64_t begin, segment& in) {
      if (races_with(now_, in.write)) found(false, true, begin, in.write);
      std::erase_if(in.reads, [&](const access_mark& one) { return one.stream == now_.stream; });
      in.reads.push_back(mark());
    });
  }

  void write(const allocation& range) {
    for_segments(all_, range, [&](std::uint64_t begin, segment& in) {
      if (races_with(now_, in.write)) found(true, true, begin, in.write);
      for (const access_mark& one : in.reads) {
        if (races_with(now_, one)) found(true, false, begin, one);
      }
      in.write = mark();
      in.reads.clear();
    });
  }

  [[nodiscard]] const std::optional<failure>& first() const noexcept { return first_; }

 private:
  [[nodiscard]] access_mark mark() const { return {now_.stream, now_.ticket, by_}; }
  void found(bool does_write, bool did_write, std::uint64_t at, const access_mark& other) {
    if (!first_) first_ = race_of(does_write, did_write, at, *by_, now_, other);
  }

  segments& all_;
  const order_point& now_;
  std::shared_ptr<const std::string> by_;
  std::optional<failure> first_;
};

}  // namespace

void follow_streams() noexcept {
  watch_memory();
  rehearsal::follows_order.store(true);
}
bool follows_streams() noexcept { return rehearsal::follows_order.load(); }

void leave_streams() {
  rehearsal::follows_order.store(false);
  accessed_memory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  memory.all.clear();
}

std::optional<failure> note_stream_accesses(const std::string& by, std::span<const allocation> read,
                                            std::span<const allocation> written) {
  if (!follows_streams() || rehearsal::current_order().stream == 0) return {};
  accessed_memory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  noted_work work(memory.all, by);
  for (const allocation& range : read) {
    if (is_of_a_device(range)) work.read(range);
  }
  for (const allocation& range : written) {
    if (is_of_a_device(range)) work.write(range);
  }
  return work.first();
}

void forget_stream_accesses(const void* data, std::size_t nbytes) {
  if (!follows_streams()) return;
  accessed_memory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  cut(memory.all, begin);
  cut(memory.all, begin + nbytes);
  memory.all.erase(memory.all.lower_bound(begin), memory.all.lower_bound(begin + nbytes));
}

}  // namespace skerry::emulation
