// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/findings.hpp"

#include <utility>

#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/report.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] Findings* collector_of(const Warp& warp, FailureKind kind) noexcept {
  const LaunchState& launch_state = warp.owner->launch_state;
  return launch_state.device.collected.has(kind) ? launch_state.launch.findings : nullptr;
}

}  // namespace

bool Findings::is_new(FailureKind kind, std::uint32_t pc, std::uint32_t other) {
  const auto [entry, is_first] = indices_.try_emplace({kind, pc, other}, all_.size());
  if (!is_first && entry->second < all_.size()) ++all_[entry->second].times;
  return is_first;
}

bool is_reportable(const Warp& warp, std::uint32_t pc, FailureKind kind, std::uint32_t other) {
  Findings* const collector = collector_of(warp, kind);
  return collector == nullptr || collector->is_new(kind, pc, other);
}

void report_fault(const Warp& warp, std::uint32_t pc, const KernelFault& kernel_fault) {
  Failure failure = located(kernel_fault, warp, pc);
  Findings* const collector = collector_of(warp, kernel_fault.kind);
  if (collector == nullptr) throw std::move(failure);
  collector->add(std::move(failure));
}

std::uint32_t pc_of(const Warp& warp, const Instruction& instruction) noexcept {
  return static_cast<std::uint32_t>(&instruction -
                                    warp.owner->launch_state.program.instructions.data());
}

}  // namespace skerry::emulation
