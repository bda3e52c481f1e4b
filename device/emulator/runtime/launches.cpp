// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/launches.hpp"

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

#include "device/emulator/check/findings.hpp"
#include "device/emulator/check/memory_footprint.hpp"
#include "device/emulator/execute/interruption.hpp"
#include "device/emulator/runtime/attributes.hpp"
#include "device/emulator/runtime/device_resources.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/host_kernels.hpp"
#include "device/emulator/runtime/launch_list.hpp"
#include "device/emulator/runtime/reports.hpp"
#include "device/emulator/runtime/running_work.hpp"
#include "device/emulator/runtime/stream_races.hpp"
#include "device/rehearsal/current_device.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/system.hpp"
#include "device/rehearsal/work.hpp"

namespace skerry::emulation {

namespace {

struct Totals {
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> warp_instructions{0};
  std::atomic<std::uint64_t> lane_instructions{0};
  std::atomic<std::int64_t> nanoseconds{0};
};
constinit Totals counted;

/// A device runs one kernel at a time, whatever its stream, which makes runs reproducible. Running
/// kernels never wait for other kernels, so this can't deadlock.
struct DeviceOrder {
  std::mutex running;
  std::atomic<std::uint64_t> submitted{0};
};
constinit std::array<DeviceOrder, rehearsal::max_devices> orders;

/// Appends a kernel to the list by a single write, so that several processes can share it.
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

class KernelTask final : public rehearsal::Task {
 public:
  KernelTask(FoundKernel kernel, const LaunchRequest& request, int ordinal)
      : kernel_(std::move(kernel)),
        model_(current_emulator_settings().model),
        variables_(kernel_.image->variables(ordinal)) {
    const KernelAttributes attributes = kernel_.code->attributes();
    parameters_.resize(attributes.parameter_bytes);
    std::size_t index = 0;
    for (const Parameter& parameter : kernel_.code->parameters()) {
      std::memcpy(parameters_.data() + parameter.offset, request.arguments[index++],
                  parameter.nbytes);
    }
    constexpr std::size_t too_much = 0xffffffff;  // above any device's limit
    launch_.grid = request.grid;
    launch_.block = request.block;
    launch_.cluster = request.cluster;
    const Extent& required = kernel_.code->decoded().cluster;
    if (!launch_.cluster && required.count() != 0) launch_.cluster = required;
    launch_.dynamic_shared_bytes =
        static_cast<std::uint32_t>(std::min(request.dynamic_shared_bytes, too_much));
    launch_.parameters = parameters_;
    launch_.variables = variables_;
    launch_.is_cooperative = request.is_cooperative;
    launch_.stack_bytes = stack_limit(ordinal);
    launch_.printf_output = &printf_output_of(ordinal);
    launch_.heap = &heap_of(ordinal);
    launch_.notice = [ordinal](const Failure& failure) { notice(ordinal, failure); };
    launch_.number = orders[static_cast<std::size_t>(ordinal)].submitted.fetch_add(1);
  }

  /// Returns why the launch is invalid, or nothing.
  [[nodiscard]] std::optional<Failure> refused(const RegisteredKernel& named) const {
    const KernelAttributes attributes = kernel_.code->attributes();
    const std::size_t max_shared_bytes =
        attributes.static_shared_bytes + named.max_dynamic_bytes(attributes);
    return check_launch(*kernel_.code, launch_, model_,
                        static_cast<std::uint32_t>(max_shared_bytes));
  }

  /// Earlier interruptions don't end this run.
  void note_submission() noexcept override { interruptions_before_.store(interruptions()); }

  int run(int ordinal) noexcept override try {
    const RunningWork running_work;
    const std::lock_guard lock(orders[static_cast<std::size_t>(ordinal)].running);
    launch_.interruptions_before = interruptions_before_.load();
    const std::shared_lock memory(memory_mutex());
    const auto begin = std::chrono::steady_clock::now();
    Statistics done;
    MemoryFootprint accessed_memory;
    if (follows_streams()) launch_.accessed_memory = &accessed_memory;
    Findings findings;
    launch_.findings = &findings;
    std::optional<Failure> failure =
        emulation::run(*kernel_.code, launch_, model_, DeviceMemoryMap(ordinal), &done);
    for (const Failure& one : findings.all()) static_cast<void>(report_if_error(ordinal, one));
    const std::optional<Failure> race = failure ? std::nullopt : race_with_streams(accessed_memory);
    counted.launches.fetch_add(1);
    counted.warp_instructions.fetch_add(done.warp_instructions);
    counted.lane_instructions.fetch_add(done.lane_instructions);
    counted.nanoseconds.fetch_add((std::chrono::steady_clock::now() - begin).count());
    list_launch(*kernel_.code, launch_, done);
    if (race && report_if_error(ordinal, *race)) return race->code;
    if (!failure) return cuda::success;
    report(ordinal, *failure);
    return failure->code;
  } catch (const std::exception& error) {
    report(ordinal, {code::launch_failure, error.what()});
    return code::launch_failure;
  }

 private:
  [[nodiscard]] std::optional<Failure> race_with_streams(MemoryFootprint& accessed_memory) const {
    if (launch_.accessed_memory == nullptr) return std::nullopt;
    return note_stream_accesses(kernel_.code->readable_name(), accessed_memory.read(),
                                accessed_memory.written(), accessed_memory.strongly_read(),
                                accessed_memory.strongly_written());
  }

  FoundKernel kernel_;
  DeviceModel model_;
  std::span<const std::uint64_t> variables_;
  std::vector<std::byte> parameters_;
  Launch launch_;
  std::atomic<std::uint64_t> interruptions_before_{interruptions()};
};

}  // namespace

int enqueue(const std::shared_ptr<RegisteredKernel>& kernel, const LaunchRequest& request) {
  const int ordinal = rehearsal::current_ordinal();
  if (const int code = rehearsal::returned_error(ordinal); code != 0)
    return rehearsal::return_code(code);
  try {
    FoundKernel found_kernel = kernel->find();
    auto task = std::make_unique<KernelTask>(std::move(found_kernel), request, ordinal);
    if (const std::optional<Failure> failure = task->refused(*kernel)) {
      explain(ordinal, *failure);
      return rehearsal::return_code(failure->code);
    }
    if (!kernel->is_listed.exchange(true)) list_kernel(kernel->name());
    say_statistics_at_exit();
    return rehearsal::launch_task(request.stream, std::move(task));
  } catch (const ImageError& error) {
    return rehearsal::return_code(error.code());
  } catch (const std::bad_alloc&) {
    return rehearsal::return_code(cuda::memory_allocation);
  }
}

bool apply(const abi::LaunchAttribute& attribute, LaunchRequest& request) noexcept {
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
      request.is_cooperative = value != 0;
      return true;
    }
    case abi::cluster_dimension: {
      Extent size;
      std::memcpy(&size, attribute.value, sizeof size);
      if (size.count() != 0) request.cluster = size;
      return true;
    }
    default:
      return false;
  }
}

int set_kernel_attribute(RegisteredKernel& kernel, int attribute, int value) {
  const KernelAttributes attributes = kernel.find().code->attributes();
  if (attribute == abi::preferred_carveout) {
    if (value < -1 || value > 100) return cuda::invalid_value;
    kernel.preferred_carveout.store(value);
    return cuda::success;
  }
  if (attribute != abi::max_dynamic_shared_bytes) return cuda::invalid_value;
  const std::size_t max_bytes = current_emulator_settings().model.shared_bytes_per_block_optin -
                                attributes.static_shared_bytes;
  if (value < 0 || static_cast<std::size_t>(value) > max_bytes) return cuda::invalid_value;
  kernel.requested_dynamic_bytes.store(value);
  return cuda::success;
}

int active_blocks(int* blocks, const RegisteredKernel& kernel, int block_threads,
                  std::size_t dynamic_shared_bytes) {
  if (block_threads <= 0) return cuda::invalid_value;
  const KernelAttributes attributes = kernel.find().code->attributes();
  *blocks = dynamic_shared_bytes > kernel.max_dynamic_bytes(attributes)
                ? 0
                : resident_blocks(attributes, block_threads, dynamic_shared_bytes,
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
