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
#include <utility>
#include <vector>

#include "device/cuda/emulation/check/touched_memory.hpp"
#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/launch_list.hpp"
#include "device/cuda/emulation/runtime/stream_races.hpp"
#include "device/cuda/rehearsal/current_device.hpp"
#include "device/cuda/rehearsal/faults.hpp"
#include "device/cuda/rehearsal/machine.hpp"
#include "device/cuda/rehearsal/work.hpp"

namespace skerry::emulation {

namespace {

struct totals {
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> warp_instructions{0};
  std::atomic<std::uint64_t> lane_instructions{0};
  std::atomic<std::int64_t> nanoseconds{0};
};
constinit totals counted;

/// One kernel of a device runs at a time, whatever stream it is on: what it does is the same in
/// each run then. Nothing that runs waits for another kernel.
struct device_order {
  std::mutex running;
  std::atomic<std::uint64_t> submitted{0};
};
constinit std::array<device_order, rehearsal::most_devices> orders;

constinit std::mutex report_mutex;
std::string& kept_report() {
  static auto* const text = new std::string;
  return *text;
}

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

class kernel_run final : public rehearsal::task {
 public:
  kernel_run(found_kernel what, const launch_request& request, int ordinal)
      : what_(std::move(what)), variables_(what_.image->variables(ordinal)) {
    const kernel_attributes of = what_.code->attributes();
    parameters_.resize(of.parameter_bytes);
    std::size_t index = 0;
    for (const parameter& each : what_.code->parameters()) {
      std::memcpy(parameters_.data() + each.offset, request.arguments[index++], each.nbytes);
    }
    constexpr std::size_t too_much = 0xffffffff;  // for any device
    how_.grid = request.grid;
    how_.block = request.block;
    how_.dynamic_shared_bytes =
        static_cast<std::uint32_t>(std::min(request.dynamic_shared_bytes, too_much));
    how_.parameters = parameters_;
    how_.variables = variables_;
    how_.number = orders[static_cast<std::size_t>(ordinal)].submitted.fetch_add(1);
  }

  /// What the launch returns before it is enqueued; 0 if it can run.
  [[nodiscard]] int refused(const registered_kernel& named) const {
    const kernel_attributes of = what_.code->attributes();
    const std::size_t most = of.static_shared_bytes + named.most_dynamic_bytes(of);
    const std::optional<failure> problem = refuse(
        *what_.code, how_, current_emulator_settings().model, static_cast<std::uint32_t>(most));
    return problem ? problem->code : cuda::success;
  }

  int run(int ordinal) noexcept override try {
    const std::lock_guard lock(orders[static_cast<std::size_t>(ordinal)].running);
    const auto begin = std::chrono::steady_clock::now();
    statistics done;
    touched_memory touched;
    if (follows_streams()) how_.touched = &touched;
    std::optional<failure> problem = emulation::run(
        *what_.code, how_, current_emulator_settings().model, device_memory_map(ordinal), &done);
    if (!problem) problem = race_with_streams(touched);
    counted.launches.fetch_add(1);
    counted.warp_instructions.fetch_add(done.warp_instructions);
    counted.lane_instructions.fetch_add(done.lane_instructions);
    counted.nanoseconds.fetch_add((std::chrono::steady_clock::now() - begin).count());
    list_launch(*what_.code, how_, done);
    if (!problem) return cuda::success;
    report(ordinal, *problem);
    return problem->code;
  } catch (const std::exception& problem) {
    report(ordinal, {code::launch_failure, problem.what()});
    return code::launch_failure;
  }

 private:
  [[nodiscard]] std::optional<failure> race_with_streams(const touched_memory& touched) const {
    if (how_.touched == nullptr) return std::nullopt;
    const std::string found =
        note_stream_accesses(what_.code->readable_name(), touched.read(), touched.written());
    if (found.empty()) return std::nullopt;
    return failure{code::launch_failure, found};
  }

  found_kernel what_;
  std::span<const std::uint64_t> variables_;
  std::vector<std::byte> parameters_;
  launch how_;
};

}  // namespace

int enqueue(const std::shared_ptr<registered_kernel>& what, const launch_request& request) {
  const int ordinal = rehearsal::current_ordinal();
  if (const int code = rehearsal::sticky_error(ordinal); code != 0) return rehearsal::leave(code);
  try {
    found_kernel found = what->find();
    auto job = std::make_unique<kernel_run>(std::move(found), request, ordinal);
    if (const int code = job->refused(*what); code != 0) return rehearsal::leave(code);
    if (!what->is_listed.exchange(true)) list_kernel(what->name());
    say_statistics_at_exit();
    return rehearsal::launch_task(request.stream, std::move(job));
  } catch (const image_error& problem) {
    return rehearsal::leave(problem.code());
  } catch (const std::bad_alloc&) {
    return rehearsal::leave(cuda::memory_allocation);
  }
}

int resident_blocks(const kernel_attributes& of, int block_threads,
                    std::size_t dynamic_shared_bytes, const device_model& device) {
  constexpr std::size_t warp = 32;
  constexpr std::size_t reserved_shared_bytes = 1 << 10;
  constexpr std::size_t register_unit = 256;  // of a warp
  if (block_threads <= 0 || block_threads > of.max_threads_per_block) return 0;
  const std::size_t shared = of.static_shared_bytes + dynamic_shared_bytes;
  if (shared > device.shared_bytes_per_block_optin) return 0;
  const std::size_t warps = (static_cast<std::size_t>(block_threads) + warp - 1) / warp;
  const std::size_t registers =
      (static_cast<std::size_t>(of.registers) * warp + register_unit - 1) / register_unit *
      register_unit * warps;
  std::size_t most = device.blocks_per_multiprocessor;
  most = std::min(most, device.threads_per_multiprocessor / (warps * warp));
  most = std::min(most, device.shared_bytes_per_multiprocessor / (shared + reserved_shared_bytes));
  if (registers > 0) most = std::min(most, device.registers_per_multiprocessor / registers);
  return static_cast<int>(most);
}

void report(int ordinal, const failure& what) {
  const std::lock_guard lock(report_mutex);
  kept_report() = "device " + std::to_string(ordinal) + ": " + what.text;
  std::fprintf(stderr, "skerry: emulated GPU: %s\n", kept_report().c_str());
}

std::string last_report() {
  const std::lock_guard lock(report_mutex);
  return kept_report();
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
