// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/library_tasks.hpp"

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/host_kernels.hpp"
#include "device/emulator/runtime/launch_list.hpp"
#include "device/emulator/runtime/reports.hpp"
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

class LibraryTask final : public rehearsal::Task {
 public:
  LibraryTask(std::string routine, std::vector<AccessedRange> accessed_ranges,
              std::function<void()> function, std::function<std::vector<AccessedRange>()> listed)
      : routine_(std::move(routine)),
        accessed_ranges_(std::move(accessed_ranges)),
        function_(std::move(function)),
        listed_(std::move(listed)) {}

  int run(int ordinal) noexcept override try {
    if (!are_accessible(ordinal, accessed_ranges_)) return code::illegal_address;
    if (listed_) {
      const std::vector<AccessedRange> more = listed_();
      if (!are_accessible(ordinal, more)) return code::illegal_address;
      accessed_ranges_.insert(accessed_ranges_.end(), more.begin(), more.end());
    }
    const std::optional<Failure> race = race_with_streams();
    if (race && report_if_error(ordinal, *race)) return race->code;
    const std::shared_lock lock(memory_mutex());
    function_();
    list_library_call(routine_);
    for (const AccessedRange& range : accessed_ranges_) define_memory(range.data, range.nbytes);
    return cuda::success;
  } catch (const std::exception& error) {
    report(ordinal, {code::launch_failure, routine_ + ": " + error.what()});
    return code::launch_failure;
  }

 private:
  [[nodiscard]] std::optional<Failure> race_with_streams() const {
    std::vector<Allocation> read;
    for (const AccessedRange& range : accessed_ranges_) {
      const auto begin = reinterpret_cast<std::uint64_t>(range.data);
      if (range.nbytes != 0) read.push_back({begin, begin + range.nbytes});
    }
    return note_stream_accesses(routine_, read, {});
  }

  std::string routine_;
  std::vector<AccessedRange> accessed_ranges_;
  std::function<void()> function_;
  std::function<std::vector<AccessedRange>()> listed_;

  bool are_accessible(int ordinal, const std::vector<AccessedRange>& ranges) const {
    const DeviceMemoryMap memory(ordinal);
    for (const AccessedRange& range : ranges) {
      if (range.nbytes == 0) continue;
      const auto first = reinterpret_cast<std::uint64_t>(range.data);
      const Allocation allocation = memory.find(first);
      if (allocation.end > allocation.begin && range.nbytes <= allocation.end - first) continue;
      const std::uint64_t missed = allocation.end > allocation.begin ? allocation.end : first;
      report(ordinal,
             {code::illegal_address,
              routine_ + ": an operand of " + std::to_string(range.nbytes) +
                  " bytes is not within accessible memory: " + text_of(memory.nearest(missed))});
      return false;
    }
    return true;
  }
};

}  // namespace

int enqueue_library_task(std::string routine, void* stream,
                         std::vector<AccessedRange> accessed_ranges, std::function<void()> function,
                         std::function<std::vector<AccessedRange>()> listed) {
  return rehearsal::launch_task(
      stream, std::make_unique<LibraryTask>(std::move(routine), std::move(accessed_ranges),
                                            std::move(function), std::move(listed)));
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
