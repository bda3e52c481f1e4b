// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/library_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "device/emulator/driver/captures.hpp"
#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/host_kernels.hpp"
#include "device/emulator/runtime/launch_list.hpp"
#include "device/emulator/runtime/reports.hpp"
#include "device/emulator/runtime/running_work.hpp"
#include "device/emulator/runtime/stream_races.hpp"
#include "device/emulator/runtime/undefined_memory.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/work.hpp"

namespace skerry::emulation {

namespace {

constinit std::mutex rejection_mutex;
std::string& rejection_text() {
  static auto* const text = new std::string;
  return *text;
}

constinit std::mutex collective_mutex;
std::string& last_collective_text() {
  static auto* const text = new std::string;
  return *text;
}
std::string collective_text() {
  const std::lock_guard lock(collective_mutex);
  return last_collective_text();
}

std::vector<Allocation> ranges_with(const std::vector<AccessedRange>& ranges, RangeAccess one,
                                    RangeAccess other) {
  std::vector<Allocation> all;
  for (const AccessedRange& range : ranges) {
    const auto begin = reinterpret_cast<std::uint64_t>(range.data);
    const bool is_included =
        range.access == one || range.access == other || range.access == RangeAccess::read_write;
    if (is_included && range.nbytes != 0) all.push_back({begin, begin + range.nbytes});
  }
  return all;
}

std::optional<Failure> find_race(const std::string& routine,
                                 const std::vector<AccessedRange>& ranges) {
  return note_stream_accesses(routine,
                              ranges_with(ranges, RangeAccess::read, RangeAccess::unspecified),
                              ranges_with(ranges, RangeAccess::write, RangeAccess::write));
}

bool are_accessible(int ordinal, const std::string& routine,
                    const std::vector<AccessedRange>& ranges) {
  const DeviceMemoryMap memory(ordinal);
  for (const AccessedRange& range : ranges) {
    if (range.nbytes == 0) continue;
    const auto first = reinterpret_cast<std::uint64_t>(range.data);
    const Allocation allocation = memory.find(first);
    if (allocation.end > allocation.begin && range.nbytes <= allocation.end - first) continue;
    const std::uint64_t missed = allocation.end > allocation.begin ? allocation.end : first;
    report(ordinal,
           {code::illegal_address,
            routine + ": an operand of " + std::to_string(range.nbytes) +
                " bytes is not within accessible memory: " + text_of(memory.nearest(missed))});
    return false;
  }
  return true;
}

void define_written(const std::vector<AccessedRange>& ranges) {
  for (const AccessedRange& range : ranges) {
    if (range.access != RangeAccess::read) define_memory(range.data, range.nbytes);
  }
}

constinit std::mutex end_checks_mutex;
std::vector<void (*)()>& end_checks() {
  static auto* const checks = new std::vector<void (*)()>;
  return *checks;
}

class LibraryTask final : public rehearsal::Task {
 public:
  LibraryTask(std::string routine, std::vector<AccessedRange> accessed_ranges,
              std::function<void()> function, std::function<std::vector<AccessedRange>()> listed)
      : routine_(std::move(routine)),
        accessed_ranges_(std::move(accessed_ranges)),
        function_(std::move(function)),
        listed_(std::move(listed)) {}

  int run(int ordinal) noexcept override try {
    const RunningWork running_work;
    if (!are_accessible(ordinal, routine_, accessed_ranges_)) return code::illegal_address;
    std::vector<AccessedRange> accessed = accessed_ranges_;  // a graph runs the task repeatedly
    if (listed_) {
      const std::vector<AccessedRange> more = listed_();
      if (!are_accessible(ordinal, routine_, more)) return code::illegal_address;
      accessed.insert(accessed.end(), more.begin(), more.end());
    }
    const std::optional<Failure> race = find_race(routine_, accessed);
    if (race && report_if_error(ordinal, *race)) return race->code;
    const std::shared_lock lock(memory_mutex());
    function_();
    list_library_call(routine_);
    define_written(accessed);
    return cuda::success;
  } catch (const std::exception& error) {
    report(ordinal, {code::launch_failure, routine_ + ": " + error.what()});
    return code::launch_failure;
  }

 private:
  std::string routine_;
  std::vector<AccessedRange> accessed_ranges_;
  std::function<void()> function_;
  std::function<std::vector<AccessedRange>()> listed_;
};

/// Holds no lock while it waits: a task of another device may need it to come to its collective
/// call.
class CollectiveTask final : public rehearsal::Task {
 public:
  CollectiveTask(std::string routine, std::vector<AccessedRange> accessed_ranges,
                 std::function<bool()> function)
      : routine_(std::move(routine)),
        accessed_ranges_(std::move(accessed_ranges)),
        function_(std::move(function)) {}

  int run(int ordinal) noexcept override try {
    if (!are_accessible(ordinal, routine_, accessed_ranges_)) return code::illegal_address;
    const std::optional<Failure> race = find_race(routine_, accessed_ranges_);
    if (race && report_if_error(ordinal, *race)) return race->code;
    if (const std::optional<Failure> undefined = find_undefined();
        undefined && report_if_error(ordinal, *undefined)) {
      return undefined->code;
    }
    if (!function_()) {
      set_error_text(ordinal, collective_text());
      return code::launch_failure;
    }
    list_library_call(routine_);
    define_written(accessed_ranges_);
    return cuda::success;
  } catch (const std::exception& error) {
    report(ordinal, {code::launch_failure, routine_ + ": " + error.what()});
    return code::launch_failure;
  }

 private:
  [[nodiscard]] std::optional<Failure> find_undefined() const {
    if (!follows_undefined_memory()) return std::nullopt;
    for (const Allocation& range :
         ranges_with(accessed_ranges_, RangeAccess::read, RangeAccess::read)) {
      const std::byte* const bits = undefined_memory_bits(range.begin);
      if (bits == nullptr) continue;
      const std::size_t nbytes = range.end - range.begin;
      const std::byte* const first =
          std::find_if(bits, bits + nbytes, [](std::byte byte) { return byte != std::byte{}; });
      if (first == bits + nbytes) continue;
      Failure failure{.code = code::launch_failure, .text = {}, .kind = FailureKind::uninitialised};
      failure.summary = routine_ + ": reads uninitialized memory: byte " +
                        std::to_string(first - bits) + " of " + std::to_string(nbytes);
      failure.text = text_of(failure);
      return failure;
    }
    return std::nullopt;
  }

  std::string routine_;
  std::vector<AccessedRange> accessed_ranges_;
  std::function<bool()> function_;
};

}  // namespace

int enqueue_library_task(std::string routine, void* stream,
                         std::vector<AccessedRange> accessed_ranges, std::function<void()> function,
                         std::function<std::vector<AccessedRange>()> listed) {
  // A captured call runs whenever its graph is launched.
  const auto launch = [routine = std::move(routine), accessed_ranges = std::move(accessed_ranges),
                       function = std::move(function),
                       listed = std::move(listed)](void* launch_stream) {
    return rehearsal::launch_task(
        launch_stream, std::make_unique<LibraryTask>(routine, accessed_ranges, function, listed));
  };
  return driver::on_stream(stream, driver::NodeKind::host, launch);
}

int enqueue_collective_task(std::string routine, void* stream,
                            std::vector<AccessedRange> accessed_ranges,
                            std::function<bool()> function) {
  return rehearsal::launch_task(
      stream, std::make_unique<CollectiveTask>(std::move(routine), std::move(accessed_ranges),
                                               std::move(function)));
}

int capture_collective_call(void* stream, std::function<int(void*)> launch) {
  return driver::capture(stream, driver::NodeKind::host, std::move(launch));
}

int capture_device(void* stream) noexcept { return driver::device_of_capture(stream); }

void report_collective(int ordinal, const std::string& text) {
  {
    const std::lock_guard lock(collective_mutex);
    last_collective_text() = text;
  }
  report_finding(ordinal, {code::launch_failure, text, FailureKind::collective});
}

void explain_collective(int ordinal, const std::string& text) {
  explain(ordinal, {code::launch_failure, text, FailureKind::collective});
}

void call_at_end(void (*check)()) {
  const std::lock_guard lock(end_checks_mutex);
  end_checks().push_back(check);
}

void call_end_checks() {
  std::vector<void (*)()> checks;
  {
    const std::lock_guard lock(end_checks_mutex);
    checks = end_checks();
  }
  for (void (*const check)() : checks) check();
}

void report_rejection(const std::string& routine, const std::string& why) {
  const std::lock_guard lock(rejection_mutex);
  rejection_text() = routine + ": " + why;
  std::fprintf(stderr, "skerry: emulated GPU: %s: rejected: %s\n", routine.c_str(), why.c_str());
}

std::string last_rejection() {
  const std::lock_guard lock(rejection_mutex);
  return rejection_text();
}

}  // namespace skerry::emulation
