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

struct AccessKind {
  bool writes = false;
  bool is_strong = false;
};

[[nodiscard]] bool conflicts_with(AccessKind one, AccessKind other) {
  return (one.writes || other.writes) && !(one.is_strong && other.is_strong);
}

/// True if this kind conflicts with all that the other kind conflicts with.
[[nodiscard]] bool includes(AccessKind one, AccessKind other) {
  return (one.writes || !other.writes) && (!one.is_strong || other.is_strong);
}

struct StreamAccess {
  std::uint64_t stream = 0;
  std::uint64_t ticket = 0;
  AccessKind kind;
  std::shared_ptr<const Operation> operation;
};

/// Bytes with the same last accesses.
struct Segment {
  std::uint64_t end = 0;
  std::vector<StreamAccess> accesses;
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
      here = all.emplace_hint(here, address, Segment{.end = end, .accesses = {}});
    }
    function(here->first, here->second);
    address = here->second.end;
    ++here;
  }
}

[[nodiscard]] SourceLine source_line_of(const PythonLine& line) {
  return {.file = line.file,
          .line = line.number,
          .quote = line.number == 0 ? "" : line_text(line.file, line.number)};
}

[[nodiscard]] Failure race_of(bool does_write, std::uint64_t address, const Operation& operation,
                              const OrderPoint& now, const StreamAccess& other) {
  char address_text[32];
  std::snprintf(address_text, sizeof address_text, "%#llx",
                static_cast<unsigned long long>(address));
  Failure failure{.code = code::launch_failure, .text = {}, .kind = FailureKind::race_streams};
  failure.summary = "race between streams: " + operation.name + " on stream " +
                    std::to_string(now.stream) + " " + (does_write ? "writes" : "reads") +
                    " the memory at " + address_text + ", which " + other.operation->name +
                    " on stream " + std::to_string(other.stream) + " " +
                    (other.kind.writes ? "writes" : "reads") + ", and no event orders them";
  failure.kernel = operation.name;
  failure.source_line = source_line_of(operation.line);
  failure.other = OtherAccess{.operation_name = other.operation->name,
                              .source_line = source_line_of(other.operation->line),
                              .writes = other.kind.writes};
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

  void note(std::span<const Allocation> ranges, AccessKind kind) {
    for (const Allocation& range : ranges) {
      if (is_of_a_device(range)) note(range, kind);
    }
  }

  [[nodiscard]] const std::optional<Failure>& first() const noexcept { return first_; }

 private:
  void note(const Allocation& range, AccessKind kind) {
    for_segments(all_, range, [&](std::uint64_t begin, Segment& in) {
      // An earlier access need not be kept if what is unordered with it is reported for this one.
      std::erase_if(in.accesses, [&](const StreamAccess& one) {
        const bool is_ordered = now_.is_after(one.stream, one.ticket);
        const bool is_race = !is_ordered && conflicts_with(kind, one.kind);
        if (is_race && !first_) first_ = race_of(kind.writes, begin, *operation_, now_, one);
        return (is_ordered || is_race) && includes(kind, one.kind);
      });
      in.accesses.push_back({now_.stream, now_.ticket, kind, operation_});
    });
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
                                            std::span<const Allocation> written,
                                            std::span<const Allocation> strongly_read,
                                            std::span<const Allocation> strongly_written) {
  if (!follows_streams() || rehearsal::current_order().stream == 0) return {};
  AccessedMemory& memory = accessed();
  const std::lock_guard lock(memory.mutex);
  StreamAccessRecorder stream_accesses(memory.all, operation_name);
  stream_accesses.note(read, {.writes = false, .is_strong = false});
  stream_accesses.note(strongly_read, {.writes = false, .is_strong = true});
  stream_accesses.note(strongly_written, {.writes = true, .is_strong = true});
  stream_accesses.note(written, {.writes = true, .is_strong = false});
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
