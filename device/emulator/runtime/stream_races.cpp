// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/stream_races.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/execute/report.hpp"
#include "device/emulator/runtime/observed_memory.hpp"
#include "device/emulator/runtime/python_line.hpp"
#include "device/rehearsal/address_range.hpp"
#include "device/rehearsal/settings.hpp"
#include "device/rehearsal/stream_order.hpp"

namespace skerry::emulation {

namespace {

using rehearsal::OrderPoint;

/// What accesses memory, and the line of the program that has called it.
struct Operation {
  std::string name;
  PythonLine line;
};

/// A stream's last access to a segment. Its earlier ones need not be kept: stream order puts them
/// before this one.
struct StreamAccess {
  std::uint64_t stream = 0;  ///< 0: none
  std::uint64_t ticket = 0;
  std::shared_ptr<const Operation> operation;
};

/// Bytes with the same last accesses.
struct Segment {
  std::uint64_t end = 0;
  StreamAccess write;
  std::vector<StreamAccess> reads;
};
using segments = std::map<std::uint64_t, Segment>;

struct AccessedMemory {
  std::mutex mutex;
  segments all;  ///< by address
};

AccessedMemory& accessed() {
  static auto* const memory = new AccessedMemory;  // leaked: threads of streams may outlive main()
  return *memory;
}

std::shared_ptr<const void> note_line() {
  return std::make_shared<const PythonLine>(python_line());
}

[[nodiscard]] PythonLine line_of(const OrderPoint& point) {
  return point.note == nullptr ? PythonLine{} : *static_cast<const PythonLine*>(point.note.get());
}

[[nodiscard]] bool is_of_a_device(const Allocation& range) {
  using range_of = rehearsal::AddressRange;
  return range.begin - range_of::first_wish < range_of::wished_stride * rehearsal::max_devices;
}

/// Splits the segment that contains an address at that address.
void cut(segments& all, std::uint64_t address) {
  auto behind = all.upper_bound(address);
  if (behind == all.begin()) return;
  const auto here = std::prev(behind);
  if (here->first == address || here->second.end <= address) return;
  Segment rest = here->second;
  here->second.end = address;
  all.emplace_hint(behind, address, std::move(rest));
}

/// Calls `function` with each segment of a range; adds segments where there are gaps.
template <class Function>
void for_segments(segments& all, const Allocation& range, Function&& function) {
  cut(all, range.begin);
  cut(all, range.end);
  std::uint64_t address = range.begin;
  auto here = all.lower_bound(address);
  while (address < range.end) {
    if (here == all.end() || here->first > address) {
      const std::uint64_t end = here == all.end() ? range.end : std::min(range.end, here->first);
      here = all.emplace_hint(here, address, Segment{.end = end, .write = {}, .reads = {}});
    }
    function(here->first, here->second);
    address = here->second.end;
    ++here;
  }
}

[[nodiscard]] bool races_with(const OrderPoint& now, const StreamAccess& previous_access) {
  return previous_access.stream != 0 &&
         !now.is_after(previous_access.stream, previous_access.ticket);
}

[[nodiscard]] SourceLine source_line_of(const PythonLine& line) {
  return {.file = line.file,
          .line = line.number,
          .quote = line.number == 0 ? "" : line_text(line.file, line.number)};
}

[[nodiscard]] Failure race_of(bool does_write, bool did_write, std::uint64_t address,
                              const Operation& operation, const OrderPoint& now,
                              const StreamAccess& other) {
  char address_text[32];
  std::snprintf(address_text, sizeof address_text, "%#llx",
                static_cast<unsigned long long>(address));
  Failure failure{.code = code::launch_failure, .text = {}, .kind = FailureKind::race_streams};
  failure.summary = "race between streams: " + operation.name + " on stream " +
                    std::to_string(now.stream) + " " + (does_write ? "writes" : "reads") +
                    " the memory at " + address_text + ", which " + other.operation->name +
                    " on stream " + std::to_string(other.stream) + " " +
                    (did_write ? "writes" : "reads") + ", and no event orders them";
  failure.kernel = operation.name;
  failure.source_line = source_line_of(operation.line);
  failure.other = OtherAccess{.operation_name = other.operation->name,
                              .source_line = source_line_of(other.operation->line),
                              .writes = did_write};
  failure.memory.address = address;
  failure.text = text_of(failure);
  return failure;
}

class StreamAccessRecorder {
 public:
  StreamAccessRecorder(segments& all, const std::string& operation_name)
      : all_(all),
        now_(rehearsal::current_order()),
        operation_(std::make_shared<const Operation>(operation_name, line_of(now_))) {}

  void read(const Allocation& range) {
    for_segments(all_, range, [&](std::uint64_t begin, Segment& in) {
      if (races_with(now_, in.write)) record_race(false, true, begin, in.write);
      std::erase_if(in.reads, [&](const StreamAccess& one) { return one.stream == now_.stream; });
      in.reads.push_back(mark());
    });
  }

  void write(const Allocation& range) {
    for_segments(all_, range, [&](std::uint64_t begin, Segment& in) {
      if (races_with(now_, in.write)) record_race(true, true, begin, in.write);
      for (const StreamAccess& one : in.reads) {
        if (races_with(now_, one)) record_race(true, false, begin, one);
      }
      in.write = mark();
      in.reads.clear();
    });
  }

  [[nodiscard]] const std::optional<Failure>& first() const noexcept { return first_; }

 private:
  [[nodiscard]] StreamAccess mark() const { return {now_.stream, now_.ticket, operation_}; }
  void record_race(bool does_write, bool did_write, std::uint64_t address,
                   const StreamAccess& other) {
    if (!first_) first_ = race_of(does_write, did_write, address, *operation_, now_, other);
  }

  segments& all_;
  const OrderPoint& now_;
  std::shared_ptr<const Operation> operation_;
  std::optional<Failure> first_;
};

}  // namespace

PythonLine current_line() { return line_of(rehearsal::current_order()); }

void follow_streams() noexcept {
  observe_memory();
  rehearsal::submission_notes.store(note_line);
  rehearsal::follows_order.store(true);
}
bool follows_streams() noexcept { return rehearsal::follows_order.load(); }

void unfollow_streams() {
  rehearsal::follows_order.store(false);
  AccessedMemory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  memory.all.clear();
}

std::optional<Failure> note_stream_accesses(const std::string& operation_name,
                                            std::span<const Allocation> read,
                                            std::span<const Allocation> written) {
  if (!follows_streams() || rehearsal::current_order().stream == 0) return {};
  AccessedMemory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  StreamAccessRecorder stream_accesses(memory.all, operation_name);
  for (const Allocation& range : read) {
    if (is_of_a_device(range)) stream_accesses.read(range);
  }
  for (const Allocation& range : written) {
    if (is_of_a_device(range)) stream_accesses.write(range);
  }
  return stream_accesses.first();
}

void discard_stream_accesses(const void* data, std::size_t nbytes) {
  if (!follows_streams()) return;
  AccessedMemory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  cut(memory.all, begin);
  cut(memory.all, begin + nbytes);
  memory.all.erase(memory.all.lower_bound(begin), memory.all.lower_bound(begin + nbytes));
}

}  // namespace skerry::emulation
