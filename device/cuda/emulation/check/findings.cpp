// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/findings.hpp"

#include <utility>

#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/report.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] findings* collector_of(const warp& on, failure_kind kind) noexcept {
  const launch_state& launched = on.owner->launched;
  return launched.device.collected.has(kind) ? launched.how.found : nullptr;
}

}  // namespace

bool findings::is_new(failure_kind kind, std::uint32_t at, std::uint32_t other) {
  const auto [known, is_first] = known_.try_emplace({kind, at, other}, all_.size());
  if (!is_first && known->second < all_.size()) ++all_[known->second].times;
  return is_first;
}

bool is_worth_telling(const warp& on, std::uint32_t at, failure_kind kind, std::uint32_t other) {
  findings* const collector = collector_of(on, kind);
  return collector == nullptr || collector->is_new(kind, at, other);
}

void tell(const warp& on, std::uint32_t at, const kernel_fault& found) {
  failure made = located(found, on, at);
  findings* const collector = collector_of(on, found.kind);
  if (collector == nullptr) throw std::move(made);
  collector->add(std::move(made));
}

std::uint32_t place_of(const warp& on, const instruction& what) noexcept {
  return static_cast<std::uint32_t>(&what - on.owner->launched.code.code.data());
}

}  // namespace skerry::emulation
