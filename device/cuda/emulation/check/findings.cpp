// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/findings.hpp"

#include <utility>

#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/report.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] Findings* collector_of(const Warp& on, FailureKind kind) noexcept {
  const LaunchState& launched = on.owner->launched;
  return launched.device.collected.has(kind) ? launched.how.found : nullptr;
}

}  // namespace

bool Findings::is_new(FailureKind kind, std::uint32_t at, std::uint32_t other) {
  const auto [known, is_first] = known_.try_emplace({kind, at, other}, all_.size());
  if (!is_first && known->second < all_.size()) ++all_[known->second].times;
  return is_first;
}

bool is_worth_telling(const Warp& on, std::uint32_t at, FailureKind kind, std::uint32_t other) {
  Findings* const collector = collector_of(on, kind);
  return collector == nullptr || collector->is_new(kind, at, other);
}

void tell(const Warp& on, std::uint32_t at, const KernelFault& found) {
  Failure made = located(found, on, at);
  Findings* const collector = collector_of(on, found.kind);
  if (collector == nullptr) throw std::move(made);
  collector->add(std::move(made));
}

std::uint32_t place_of(const Warp& on, const Instruction& what) noexcept {
  return static_cast<std::uint32_t>(&what - on.owner->launched.code.code.data());
}

}  // namespace skerry::emulation
