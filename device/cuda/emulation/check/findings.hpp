// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/execute/warp.hpp"
#include "device/cuda/emulation/failure.hpp"

namespace skerry::emulation {

/// No second instruction.
inline constexpr std::uint32_t nowhere_else = ~std::uint32_t{0};

/// What is wrong with a launch that goes on all the same: each pair of instructions once.
class findings {
 public:
  /// Whether nobody has told of it; counts it, if somebody has.
  [[nodiscard]] bool is_new(failure_kind kind, std::uint32_t at, std::uint32_t other);
  /// What was new.
  void add(failure found) { all_.push_back(std::move(found)); }
  [[nodiscard]] const std::vector<failure>& all() const noexcept { return all_; }

 private:
  std::map<std::tuple<failure_kind, std::uint32_t, std::uint32_t>, std::size_t> known_;
  std::vector<failure> all_;
};

/// Whether to make a kernel_fault of what a check has found: nobody has told of the same pair of
/// instructions, or the kernel ends by it.
[[nodiscard]] bool is_worth_telling(const warp& on, std::uint32_t at, failure_kind kind,
                                    std::uint32_t other = nowhere_else);
/// Ends the kernel by what is_worth_telling(), or tells of it, as device_model::collected has it.
void tell(const warp& on, std::uint32_t at, const kernel_fault& found);

/// Where an instruction stands in its kernel.
[[nodiscard]] std::uint32_t place_of(const warp& on, const instruction& what) noexcept;

}  // namespace skerry::emulation
