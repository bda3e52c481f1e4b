// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/launch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/clusters.hpp"
#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/execute/interruption.hpp"
#include "device/emulator/execute/report.hpp"
#include "device/emulator/processor_time.hpp"

namespace skerry::emulation {
namespace {

constexpr Extent max_grid_extent{0x7fffffff, 65535, 65535};
constexpr Extent max_block_extent{1024, 1024, 64};
/// Quantum (instructions before another warp runs) if blocks do not wait for each other: long, to
/// keep the warp's data in the cache.
constexpr std::uint64_t long_turn = 20'000;
/// Quantum if blocks may spin until other blocks have run.
constexpr std::uint64_t cooperative_turn = 500;

constexpr std::uint64_t turns_between_looks = 256;
constexpr std::uint64_t instructions_between_looks = 100'000;
/// Time limits and interruptions are not checked before this, so that short kernels do not install
/// the signal handler.
constexpr std::chrono::milliseconds soon{100};

/// Time on the steady clock at which kernels have to end.
constinit std::atomic<std::chrono::steady_clock::rep> stop_at{
    std::numeric_limits<std::chrono::steady_clock::rep>::max()};

/// The resident blocks of a grid, and their warps that have not ended.
class GridRun {
 public:
  using steady = std::chrono::steady_clock;

  explicit GridRun(LaunchState& state) : state_(state), blocks_left_(state.launch.grid.count()) {
    const auto requested_blocks =
        static_cast<std::uint64_t>(std::max(1, state.device.resident_blocks));
    std::uint64_t resident = std::min(requested_blocks, blocks_left_);
    if (state.launch.is_cooperative) resident = blocks_left_;
    // Clusters run one after the other.
    if (state.cluster.count() > 1) resident = state.cluster.count();
    for (std::uint64_t k = 0; k < resident; ++k) {
      blocks_.push_back(std::make_unique<Block>(state));
      start_next(*blocks_.back());
    }
  }

  void run() {
    while (!warps_.empty()) {
      const std::size_t warp_index = choose();
      Warp& warp = *warps_[warp_index];
      run_warp(warp, quantum());
      if (state_.device.instruction_limit != 0 &&
          state_.counted.warp_instructions > state_.device.instruction_limit) {
        throw too_long(state_, limit_text(state_.device.instruction_limit), warps_);
      }
      check_time();
      if (warp.alive == 0) end(warp_index);
    }
  }

 private:
  /// Picks a random warp among those that can run.
  [[nodiscard]] std::size_t choose() {
    const std::size_t count = warps_.size();
    const std::size_t first = state_.random.below(static_cast<std::uint32_t>(count));
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t index = first + k < count ? first + k : first + k - count;
      if (warps_[index]->ready_lanes() != 0) return index;
    }
    throw deadlock(state_, warps_);
  }

  [[nodiscard]] static std::string limit_text(std::uint64_t instructions) {
    return "more than " + std::to_string(instructions) + " warp instructions";
  }

  [[nodiscard]] static std::string seconds_text(double seconds) {
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
  }

  /// By the processor time of this thread, which runs the whole grid. On a machine with other work,
  /// a kernel that is right may take any time.
  [[nodiscard]] bool has_run_for(double seconds) const {
    return seconds > 0 &&
           processor_time() - begin_processor_time_ > std::chrono::duration<double>(seconds);
  }

  /// Checks the clock only after some turns or many instructions: reading it takes as long as a few
  /// of them.
  void check_time() {
    if (++turns_ % turns_between_looks != 0 &&
        state_.counted.warp_instructions < looked_at_ + instructions_between_looks) {
      return;
    }
    looked_at_ = state_.counted.warp_instructions;
    const auto now = steady::now();
    if (now.time_since_epoch().count() > stop_at.load(std::memory_order_relaxed)) {
      throw too_long(state_, "the process is exiting", warps_);
    }
    if (now - begin_ < soon) return;
    const double limit = state_.device.seconds_limit;
    if (has_run_for(limit)) {
      throw too_long(state_, "more than " + seconds_text(limit), warps_);
    }
    const double long_time = state_.device.seconds_to_notice;
    if (!has_notified_ && state_.launch.notice && has_run_for(long_time)) {
      has_notified_ = true;
      state_.launch.notice(still_running(state_, seconds_text(long_time), warps_));
    }
    if (!state_.launch.interruptions_before) return;
    if (!interruption_monitor_) interruption_monitor_.emplace();
    if (has_to_end(*state_.launch.interruptions_before, now)) {
      throw too_long(state_, "interrupted", warps_);
    }
  }

  [[nodiscard]] std::uint64_t quantum() {
    const auto mean = static_cast<std::uint32_t>(std::max(0, state_.device.quantum));
    const bool waits_for_blocks = state_.launch.is_cooperative || !state_.peers.empty();
    if (mean == 0) return waits_for_blocks ? cooperative_turn : long_turn;
    return 1 + state_.random.below(2 * mean);
  }

  /// Starts blocks in order, as GPUs do: some algorithms rely on it.
  void start_next(Block& in) {
    const std::uint64_t number = state_.launch.grid.count() - blocks_left_--;
    in.start(number_in_grid(number, state_.launch.grid, state_.cluster));
    for (Warp& one : in.warps) warps_.push_back(&one);
  }

  void end(std::size_t index) {
    Block& owner = *warps_[index]->owner;
    warps_[index] = warps_.back();
    warps_.pop_back();
    if (!owner.has_ended()) return;
    owner.finish_all_stores();
    if (blocks_left_ == 0) return;
    if (state_.peers.empty()) return start_next(owner);
    if (!warps_.empty()) return;
    for (Block* const one : state_.peers) start_next(*one);
  }

  LaunchState& state_;
  std::uint64_t blocks_left_;
  steady::time_point begin_ = steady::now();
  std::chrono::nanoseconds begin_processor_time_ = processor_time();
  std::uint64_t turns_ = 0;
  std::uint64_t looked_at_ = 0;
  bool has_notified_ = false;
  std::optional<InterruptionMonitor> interruption_monitor_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Warp*> warps_;
};

[[nodiscard]] Failure rejection(int code, const Kernel& kernel, const std::string& why) {
  return {code, why + "\n  kernel: " + kernel.readable_name()};
}

[[nodiscard]] bool is_within(const Extent& size, const Extent& limit) {
  return size.count() != 0 && size.x <= limit.x && size.y <= limit.y && size.z <= limit.z;
}

/// Returns an error text if the grid or the block has an invalid size, else an empty string.
[[nodiscard]] std::string impossible_size(const Launch& launch, const DeviceModel& device) {
  if (!is_within(launch.grid, max_grid_extent)) {
    return "a grid of " + text_of(launch.grid) + " blocks; the limits are 1 to " +
           text_of(max_grid_extent);
  }
  if (launch.block.count() > device.threads_per_block) {
    return std::to_string(launch.block.count()) +
           " threads in a block; launch more blocks of at most " +
           std::to_string(device.threads_per_block);
  }
  if (!is_within(launch.block, max_block_extent)) {
    return "a block of " + text_of(launch.block) + " threads; the limits are 1 to " +
           text_of(max_block_extent);
  }
  return {};
}

/// Returns the failure if the launch's cluster is invalid.
[[nodiscard]] std::optional<Failure> check_cluster(const Kernel& kernel, const Launch& launch,
                                                   const DeviceModel& device) {
  constexpr std::uint64_t max_cluster_size = 16;
  const Extent size = launch.cluster.value_or(Extent{});
  const Extent& declared = kernel.decoded().cluster;
  const auto is_multiple = [](std::uint32_t count, std::uint32_t one) {
    return one != 0 && count % one == 0;
  };
  if (size.count() > 1 && device.compute_capability < 90) {
    return rejection(code::not_supported, kernel,
                     "a cluster of " + text_of(size) +
                         " blocks, which needs compute capability 9.0; emulate such a device");
  }
  if (size.count() > 1 && launch.is_cooperative) {
    return rejection(code::not_supported, kernel,
                     "a cooperative launch of clusters is not emulated");
  }
  if (size.count() > max_cluster_size || !is_multiple(launch.grid.x, size.x) ||
      !is_multiple(launch.grid.y, size.y) || !is_multiple(launch.grid.z, size.z)) {
    return rejection(code::invalid_cluster_size, kernel,
                     "a cluster of " + text_of(size) + " blocks; the limits are 1 to " +
                         std::to_string(max_cluster_size) + ", and the grid of " +
                         text_of(launch.grid) + " must be a multiple of it");
  }
  if (declared.count() != 0 && text_of(declared) != text_of(size)) {
    return rejection(
        code::invalid_cluster_size, kernel,
        "a cluster of " + text_of(size) + " blocks, the kernel requires " + text_of(declared));
  }
  return std::nullopt;
}

}  // namespace

Statistics& Statistics::operator+=(const Statistics& other) noexcept {
  using counts = std::array<std::uint64_t, sizeof(Statistics) / sizeof(std::uint64_t)>;
  auto sum = std::bit_cast<counts>(*this);
  std::ranges::transform(sum, std::bit_cast<counts>(other), sum.begin(), std::plus<>());
  return *this = std::bit_cast<Statistics>(sum);
}

int resident_blocks(const KernelAttributes& attributes, int block_threads,
                    std::size_t dynamic_shared_bytes, const DeviceModel& device) {
  constexpr std::size_t warp = 32;
  constexpr std::size_t reserved_shared_bytes = 1 << 10;
  constexpr std::size_t register_unit = 256;  // registers are allocated per warp
  if (block_threads <= 0 || block_threads > attributes.max_threads_per_block) return 0;
  const std::size_t shared = attributes.static_shared_bytes + dynamic_shared_bytes;
  if (shared > device.shared_bytes_per_block_optin) return 0;
  const std::size_t warps = (static_cast<std::size_t>(block_threads) + warp - 1) / warp;
  const std::size_t registers =
      (static_cast<std::size_t>(attributes.registers) * warp + register_unit - 1) / register_unit *
      register_unit * warps;
  std::size_t max_blocks = device.blocks_per_multiprocessor;
  max_blocks = std::min(max_blocks, device.threads_per_multiprocessor / (warps * warp));
  max_blocks = std::min(max_blocks,
                        device.shared_bytes_per_multiprocessor / (shared + reserved_shared_bytes));
  if (registers > 0)
    max_blocks = std::min(max_blocks, device.registers_per_multiprocessor / registers);
  return static_cast<int>(max_blocks);
}

void stop_kernels(double seconds) noexcept {
  using std::chrono::steady_clock;
  const auto left =
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
  stop_at.store((steady_clock::now() + left).time_since_epoch().count());
}

std::optional<Failure> check_launch(const Kernel& kernel, const Launch& launch,
                                    const DeviceModel& device,
                                    std::uint32_t shared_bytes_limit) try {
  const Program& code = kernel.decoded();
  if (const std::string error_message = impossible_size(launch, device); !error_message.empty()) {
    return rejection(code::invalid_configuration, kernel, error_message);
  }
  if (code.max_threads != 0 && launch.block.count() > code.max_threads) {
    return rejection(code::launch_out_of_resources, kernel,
                     std::to_string(launch.block.count()) +
                         " threads in a block, the kernel allows " +
                         std::to_string(code.max_threads));
  }
  if (auto failure = check_cluster(kernel, launch, device)) return failure;
  const std::uint64_t shared =
      std::uint64_t{code.static_shared_nbytes} + launch.dynamic_shared_bytes;
  if (shared > shared_bytes_limit) {
    return rejection(code::invalid_value, kernel,
                     std::to_string(shared) + " bytes of shared memory, the limit is " +
                         std::to_string(shared_bytes_limit));
  }
  if (launch.parameters.size() < code.parameter_nbytes) {
    return rejection(code::invalid_value, kernel,
                     std::to_string(launch.parameters.size()) +
                         " bytes of parameters, the kernel takes " +
                         std::to_string(code.parameter_nbytes));
  }
  if (launch.is_cooperative) {
    const int max_blocks =
        device.multiprocessors * resident_blocks(kernel.attributes(),
                                                 static_cast<int>(launch.block.count()),
                                                 launch.dynamic_shared_bytes, device);
    if (launch.grid.count() > static_cast<std::uint64_t>(max_blocks)) {
      return rejection(code::cooperative_launch_too_large, kernel,
                       "a cooperative launch of " + std::to_string(launch.grid.count()) +
                           " blocks, the device holds " + std::to_string(max_blocks));
    }
  }
  if (launch.variables.size() < kernel.owner().variables().size()) {
    return rejection(code::invalid_value, kernel, "variables of the module have no addresses");
  }
  return std::nullopt;
} catch (const ImageError& error) {
  return Failure{error.code(), error.what()};
}

std::optional<Failure> run(const Kernel& kernel, const Launch& launch, const DeviceModel& device,
                           const MemoryMap& memory, Statistics* counted) try {
  LaunchState state(kernel, launch, device, memory);
  std::optional<Failure> failed;
  try {
    GridRun(state).run();
  } catch (Failure& failure) {
    failed = std::move(failure);
  }
  if (counted != nullptr) *counted += state.counted;
  return failed;
} catch (const ImageError& error) {
  return Failure{error.code(), error.what()};
}

}  // namespace skerry::emulation
