// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/library_work.hpp"

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "device/cuda/emulation/execute/failure_text.hpp"
#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/host_kernels.hpp"
#include "device/cuda/emulation/runtime/launch_list.hpp"
#include "device/cuda/emulation/runtime/reports.hpp"
#include "device/cuda/emulation/runtime/stream_races.hpp"
#include "device/cuda/emulation/runtime/undefined_memory.hpp"
#include "device/cuda/rehearsal/faults.hpp"
#include "device/cuda/rehearsal/work.hpp"

namespace skerry::emulation {

namespace {

constinit std::mutex refusal_mutex;
std::string& kept_refusal() {
  static auto* const text = new std::string;
  return *text;
}

class LibraryRun final : public rehearsal::Task {
 public:
  LibraryRun(std::string routine, std::vector<TouchedRange> touched, std::function<void()> work,
             std::function<std::vector<TouchedRange>()> listed)
      : routine_(std::move(routine)),
        touched_(std::move(touched)),
        work_(std::move(work)),
        listed_(std::move(listed)) {}

  int run(int ordinal) noexcept override try {
    if (!are_accessible(ordinal, touched_)) return code::illegal_address;
    if (listed_) {
      const std::vector<TouchedRange> more = listed_();
      if (!are_accessible(ordinal, more)) return code::illegal_address;
      touched_.insert(touched_.end(), more.begin(), more.end());
    }
    const std::optional<Failure> race = race_with_streams();
    if (race && report_if_error(ordinal, *race)) return race->code;
    const std::shared_lock lock(memory_mutex());
    work_();
    list_library_call(routine_);
    for (const TouchedRange& each : touched_) define_memory(each.data, each.nbytes);
    return cuda::success;
  } catch (const std::exception& problem) {
    report(ordinal, {code::launch_failure, routine_ + ": " + problem.what()});
    return code::launch_failure;
  }

 private:
  [[nodiscard]] std::optional<Failure> race_with_streams() const {
    std::vector<Allocation> read;
    for (const TouchedRange& each : touched_) {
      const auto begin = reinterpret_cast<std::uint64_t>(each.data);
      if (each.nbytes != 0) read.push_back({begin, begin + each.nbytes});
    }
    return note_stream_accesses(routine_, read, {});
  }

  std::string routine_;
  std::vector<TouchedRange> touched_;
  std::function<void()> work_;
  std::function<std::vector<TouchedRange>()> listed_;

  bool are_accessible(int ordinal, const std::vector<TouchedRange>& ranges) const {
    const DeviceMemoryMap memory(ordinal);
    for (const TouchedRange& each : ranges) {
      if (each.nbytes == 0) continue;
      const auto first = reinterpret_cast<std::uint64_t>(each.data);
      const Allocation found = memory.find(first);
      if (found.end > found.begin && each.nbytes <= found.end - first) continue;
      const std::uint64_t missed = found.end > found.begin ? found.end : first;
      report(ordinal,
             {code::illegal_address,
              routine_ + ": an operand of " + std::to_string(each.nbytes) +
                  " bytes reaches memory that is not its own: " + text_of(memory.nearest(missed))});
      return false;
    }
    return true;
  }
};

}  // namespace

int enqueue_library_work(std::string routine, void* stream, std::vector<TouchedRange> touched,
                         std::function<void()> work,
                         std::function<std::vector<TouchedRange>()> listed) {
  return rehearsal::launch_task(
      stream, std::make_unique<LibraryRun>(std::move(routine), std::move(touched), std::move(work),
                                           std::move(listed)));
}

void report_refusal(const std::string& routine, const std::string& why) {
  const std::lock_guard lock(refusal_mutex);
  kept_refusal() = routine + ": " + why;
  std::fprintf(stderr, "skerry: emulated GPU: %s refuses: %s\n", routine.c_str(), why.c_str());
}

std::string last_refusal() {
  const std::lock_guard lock(refusal_mutex);
  return kept_refusal();
}

}  // namespace skerry::emulation
