// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/launch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/report.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint64_t most_blocks_x = 0x7fffffff;
constexpr std::uint64_t most_blocks_yz = 65535;
constexpr std::uint64_t most_threads_xy = 1024;
constexpr std::uint64_t most_threads_z = 64;
/// Where nobody waits, a warp goes on for long: what it uses stays in the cache.
constexpr std::uint64_t long_turn = 20'000;

/// The blocks of a grid that run at the same time, with the warps of them that have not ended.
class grid_run {
 public:
  explicit grid_run(launch_state& of) : of_(of), blocks_left_(of.how.grid.count()) {
    const auto resident = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(std::max(1, of.device.resident_blocks)), blocks_left_);
    for (std::uint64_t k = 0; k < resident; ++k) {
      blocks_.push_back(std::make_unique<block>(of));
      start_next(*blocks_.back());
    }
  }

  void run() {
    while (!warps_.empty()) {
      const std::size_t chosen = choose();
      warp& on = *warps_[chosen];
      run_warp(on, quantum());
      if (of_.device.instruction_limit != 0 &&
          of_.counted.warp_instructions > of_.device.instruction_limit) {
        throw too_long(of_, on);
      }
      if (on.alive == 0) end(chosen);
    }
  }

 private:
  /// Any warp that can go on.
  [[nodiscard]] std::size_t choose() {
    const std::size_t count = warps_.size();
    const std::size_t first = of_.random.below(static_cast<std::uint32_t>(count));
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t index = first + k < count ? first + k : first + k - count;
      if (warps_[index]->ready() != 0) return index;
    }
    throw deadlock(of_, warps_);
  }

  [[nodiscard]] std::uint64_t quantum() {
    const auto mean = static_cast<std::uint32_t>(std::max(0, of_.device.quantum));
    return mean == 0 ? long_turn : 1 + of_.random.below(2 * mean);
  }

  /// Blocks start in their order, as on a GPU: some algorithms rely on it.
  void start_next(block& in) {
    in.start(of_.how.grid.count() - blocks_left_--);
    for (warp& one : in.warps) warps_.push_back(&one);
  }

  void end(std::size_t index) {
    block& owner = *warps_[index]->owner;
    warps_[index] = warps_.back();
    warps_.pop_back();
    if (!owner.has_ended()) return;
    owner.finish_all_stores();
    if (blocks_left_ > 0) start_next(owner);
  }

  launch_state& of_;
  std::uint64_t blocks_left_;
  std::vector<std::unique_ptr<block>> blocks_;
  std::vector<warp*> warps_;
};

[[nodiscard]] failure refusal(int code, const kernel& what, const std::string& why) {
  return {code, why + "\n  kernel: " + what.readable_name()};
}

[[nodiscard]] bool is_possible(const launch& how, const device_model& device) {
  const extent& grid = how.grid;
  const extent& block = how.block;
  return grid.x != 0 && grid.y != 0 && grid.z != 0 && block.x != 0 && block.y != 0 &&
         block.z != 0 && grid.x <= most_blocks_x && grid.y <= most_blocks_yz &&
         grid.z <= most_blocks_yz && block.x <= most_threads_xy && block.y <= most_threads_xy &&
         block.z <= most_threads_z && block.count() <= device.threads_per_block;
}

}  // namespace

statistics& statistics::operator+=(const statistics& other) noexcept {
  using counts = std::array<std::uint64_t, sizeof(statistics) / sizeof(std::uint64_t)>;
  auto sum = std::bit_cast<counts>(*this);
  std::ranges::transform(sum, std::bit_cast<counts>(other), sum.begin(), std::plus<>());
  return *this = std::bit_cast<statistics>(sum);
}

std::optional<failure> refuse(const kernel& what, const launch& how, const device_model& device,
                              std::uint32_t shared_bytes_limit) try {
  const program& code = what.decoded();
  if (!is_possible(how, device)) {
    return refusal(code::invalid_configuration, what, "a grid or a block that can't be");
  }
  if (code.max_threads != 0 && how.block.count() > code.max_threads) {
    return refusal(code::launch_out_of_resources, what,
                   std::to_string(how.block.count()) + " threads in a block, the kernel allows " +
                       std::to_string(code.max_threads));
  }
  const std::uint64_t shared = std::uint64_t{code.static_shared_nbytes} + how.dynamic_shared_bytes;
  if (shared > shared_bytes_limit) {
    return refusal(code::invalid_value, what,
                   std::to_string(shared) + " bytes of shared memory, allowed are " +
                       std::to_string(shared_bytes_limit));
  }
  if (how.parameters.size() < code.parameter_nbytes) {
    return refusal(code::invalid_value, what,
                   std::to_string(how.parameters.size()) + " bytes of parameters for " +
                       std::to_string(code.parameter_nbytes));
  }
  if (how.variables.size() < what.owner().variables().size()) {
    return refusal(code::invalid_value, what, "variables of the module have no addresses");
  }
  return std::nullopt;
} catch (const image_error& error) {
  return failure{error.code(), error.what()};
}

std::optional<failure> run(const kernel& what, const launch& how, const device_model& device,
                           const memory_map& memory, statistics* counted) try {
  launch_state state(what, how, device, memory);
  std::optional<failure> failed;
  try {
    grid_run(state).run();
  } catch (failure& found) {
    failed = std::move(found);
  }
  if (counted != nullptr) *counted += state.counted;
  return failed;
} catch (const image_error& error) {
  return failure{error.code(), error.what()};
}

}  // namespace skerry::emulation
