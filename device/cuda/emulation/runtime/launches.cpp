// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/launches.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "device/cuda/emulation/check/findings.hpp"
#include "device/cuda/emulation/check/touched_memory.hpp"
#include "device/cuda/emulation/execute/interruption.hpp"
#include "device/cuda/emulation/runtime/attributes.hpp"
#include "device/cuda/emulation/runtime/device_resources.hpp"
#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/host_kernels.hpp"
#include "device/cuda/emulation/runtime/launch_list.hpp"
#include "device/cuda/emulation/runtime/reports.hpp"
#include "device/cuda/emulation/runtime/stream_races.hpp"
#include "device/cuda/rehearsal/current_device.hpp"
#include "device/cuda/rehearsal/faults.hpp"
#include "device/cuda/rehearsal/machine.hpp"
#include "device/cuda/rehearsal/work.hpp"

namespace skerry::emulation {

namespace {

struct Totals {
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> warp_instructions{0};
  std::atomic<std::uint64_t> lane_instructions{0};
  std::atomic<std::int64_t> nanoseconds{0};
};
constinit Totals counted;

/// One kernel of a device runs at a time, whatever stream it is on: what it does is the same in
/// each run then. Nothing that runs waits for another kernel.
struct DeviceOrder {
  std::mutex running;
  std::atomic<std::uint64_t> submitted{0};
};
constinit std::array<DeviceOrder, rehearsal::most_devices> orders;

/// Lines are appended by single writes, so that several processes can share the list.
void list_kernel(const std::string& name) {
  static std::FILE* const list = [] {
    const std::string& path = current_emulator_settings().kernel_list;
    return path.empty() ? nullptr : std::fopen(path.c_str(), "ae");
  }();
  if (list == nullptr) return;
  std::fprintf(list, "%d %s\n", current_emulator_settings().model.compute_capability, name.c_str());
  std::fflush(list);
}

void say_statistics_at_exit() {
  static const bool is_registered = [] {
    if (!current_emulator_settings().says_statistics) return false;
    return std::atexit([] { std::fprintf(stderr, "skerry: %s\n", statistics_line().c_str()); }) ==
           0;
  }();
  static_cast<void>(is_registered);
}

class KernelRun final : public rehearsal::Task {
 public:
  KernelRun(FoundKernel what, const LaunchRequest& request, int ordinal)
      : what_(std::move(what)),
        model_(current_emulator_settings().model),
        variables_(what_.image->variables(ordinal)) {
    const KernelAttributes of = what_.code->attributes();
    parameters_.resize(of.parameter_bytes);
    std::size_t index = 0;
    for (const Parameter& each : what_.code->parameters()) {
      std::memcpy(parameters_.data() + each.offset, request.arguments[index++], each.nbytes);
    }
    constexpr std::size_t too_much = 0xffffffff;  // for any device
    how_.grid = request.grid;
    how_.block = request.block;
    how_.cluster = request.cluster;
    const Extent& required = what_.code->decoded().cluster;
    if (!how_.cluster && required.count() != 0) how_.cluster = required;
    how_.dynamic_shared_bytes =
        static_cast<std::uint32_t>(std::min(request.dynamic_shared_bytes, too_much));
    how_.parameters = parameters_;
    how_.variables = variables_;
    how_.is_cooperative = request.is_cooperative;
    how_.stack_bytes = stack_limit(ordinal);
    how_.printed = &printed_on(ordinal);
    how_.heap = &heap_of(ordinal);
    how_.notice = [ordinal](const Failure& where) { notice(ordinal, where); };
    how_.interruptions_before = interruptions();
    how_.number = orders[static_cast<std::size_t>(ordinal)].submitted.fetch_add(1);
  }

  /// Why the launch is not enqueued, if it can't run.
  [[nodiscard]] std::optional<Failure> refused(const RegisteredKernel& named) const {
    const KernelAttributes of = what_.code->attributes();
    const std::size_t most = of.static_shared_bytes + named.most_dynamic_bytes(of);
    return refuse(*what_.code, how_, model_, static_cast<std::uint32_t>(most));
  }

  int run(int ordinal) noexcept override try {
    const std::lock_guard lock(orders[static_cast<std::size_t>(ordinal)].running);
    const std::shared_lock memory(memory_mutex());
    const auto begin = std::chrono::steady_clock::now();
    Statistics done;
    TouchedMemory touched;
    if (follows_streams()) how_.touched = &touched;
    Findings found;
    how_.found = &found;
    std::optional<Failure> problem =
        emulation::run(*what_.code, how_, model_, DeviceMemoryMap(ordinal), &done);
    for (const Failure& one : found.all()) static_cast<void>(report_if_error(ordinal, one));
    const std::optional<Failure> race = problem ? std::nullopt : race_with_streams(touched);
    counted.launches.fetch_add(1);
    counted.warp_instructions.fetch_add(done.warp_instructions);
    counted.lane_instructions.fetch_add(done.lane_instructions);
    counted.nanoseconds.fetch_add((std::chrono::steady_clock::now() - begin).count());
    list_launch(*what_.code, how_, done);
    if (race && report_if_error(ordinal, *race)) return race->code;
    if (!problem) return cuda::success;
    report(ordinal, *problem);
    return problem->code;
  } catch (const std::exception& problem) {
    report(ordinal, {code::launch_failure, problem.what()});
    return code::launch_failure;
  }

 private:
  [[nodiscard]] std::optional<Failure> race_with_streams(const TouchedMemory& touched) const {
    if (how_.touched == nullptr) return std::nullopt;
    return note_stream_accesses(what_.code->readable_name(), touched.read(), touched.written());
  }

  FoundKernel what_;
  DeviceModel model_;
  std::span<const std::uint64_t> variables_;
  std::vector<std::byte> parameters_;
  Launch how_;
};

}  // namespace

int enqueue(const std::shared_ptr<RegisteredKernel>& what, const LaunchRequest& request) {
  const int ordinal = rehearsal::current_ordinal();
  if (const int code = rehearsal::sticky_error(ordinal); code != 0) return rehearsal::leave(code);
  try {
    FoundKernel found = what->find();
    auto job = std::make_unique<KernelRun>(std::move(found), request, ordinal);
    if (const std::optional<Failure> problem = job->refused(*what)) {
      explain(ordinal, *problem);
      return rehearsal::leave(problem->code);
    }
    if (!what->is_listed.exchange(true)) list_kernel(what->name());
    say_statistics_at_exit();
    return rehearsal::launch_task(request.stream, std::move(job));
  } catch (const ImageError& problem) {
    return rehearsal::leave(problem.code());
  } catch (const std::bad_alloc&) {
    return rehearsal::leave(cuda::memory_allocation);
  }
}

bool apply(const abi::LaunchAttribute& attribute, LaunchRequest& to) noexcept {
  switch (attribute.id) {
    case abi::ignored_attribute:
    case abi::access_policy_window:
    case abi::synchronization_policy:
    case abi::cluster_scheduling_policy:
    case abi::programmatic_stream_serialization:
    case abi::priority:
    case abi::memory_sync_domain_map:
    case abi::memory_sync_domain:
    case abi::preferred_shared_carveout:
      return true;
    case abi::cooperative: {
      int value = 0;
      std::memcpy(&value, attribute.value, sizeof value);
      to.is_cooperative = value != 0;
      return true;
    }
    case abi::cluster_dimension: {
      Extent size;
      std::memcpy(&size, attribute.value, sizeof size);
      if (size.count() != 0) to.cluster = size;
      return true;
    }
    default:
      return false;
  }
}

int set_kernel_attribute(RegisteredKernel& of, int attribute, int value) {
  const KernelAttributes known = of.find().code->attributes();
  if (attribute == abi::preferred_carveout) {
    if (value < -1 || value > 100) return cuda::invalid_value;
    of.preferred_carveout.store(value);
    return cuda::success;
  }
  if (attribute != abi::max_dynamic_shared_bytes) return cuda::invalid_value;
  const std::size_t most =
      current_emulator_settings().model.shared_bytes_per_block_optin - known.static_shared_bytes;
  if (value < 0 || static_cast<std::size_t>(value) > most) return cuda::invalid_value;
  of.dynamic_bytes_asked.store(value);
  return cuda::success;
}

int active_blocks(int* blocks, const RegisteredKernel& of, int block_threads,
                  std::size_t dynamic_shared_bytes) {
  if (block_threads <= 0) return cuda::invalid_value;
  const KernelAttributes known = of.find().code->attributes();
  *blocks = dynamic_shared_bytes > of.most_dynamic_bytes(known)
                ? 0
                : resident_blocks(known, block_threads, dynamic_shared_bytes,
                                  current_emulator_settings().model);
  return cuda::success;
}

std::string statistics_line() {
  char text[200];
  const double seconds = static_cast<double>(counted.nanoseconds.load()) * 1e-9;
  const auto warps = static_cast<double>(counted.warp_instructions.load());
  std::snprintf(text, sizeof text,
                "emulated GPU: %llu launches, %.4g warp instructions, %.4g lane instructions, "
                "%.2f s, %.3g M warp instructions/s",
                static_cast<unsigned long long>(counted.launches.load()), warps,
                static_cast<double>(counted.lane_instructions.load()), seconds,
                seconds > 0 ? warps / seconds * 1e-6 : 0.0);
  return text;
}

}  // namespace skerry::emulation
