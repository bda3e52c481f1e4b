// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"
#include "device/emulator/failure.hpp"

namespace skerry::emulation {

/// No second instruction.
inline constexpr std::uint32_t nowhere_else = ~std::uint32_t{0};

/// What is wrong with a launch that goes on all the same: each pair of instructions once.
class Findings {
 public:
  /// Whether nobody has told of it; counts it, if somebody has.
  [[nodiscard]] bool is_new(FailureKind kind, std::uint32_t pc, std::uint32_t other);
  /// What was new.
  void add(Failure failure) { all_.push_back(std::move(failure)); }
  [[nodiscard]] const std::vector<Failure>& all() const noexcept { return all_; }

 private:
  std::map<std::tuple<FailureKind, std::uint32_t, std::uint32_t>, std::size_t> indices_;
  std::vector<Failure> all_;
};

/// Whether to make a KernelFault of what a check has found: nobody has told of the same pair of
/// instructions, or the kernel ends by it.
[[nodiscard]] bool is_reportable(const Warp& warp, std::uint32_t pc, FailureKind kind,
                                 std::uint32_t other = nowhere_else);
/// Ends the kernel by what is_worth_telling(), or tells of it, as DeviceModel::collected has it.
void report_fault(const Warp& warp, std::uint32_t pc, const KernelFault& kernel_fault);

/// Where an instruction stands in its kernel.
[[nodiscard]] std::uint32_t pc_of(const Warp& warp, const Instruction& instruction) noexcept;

}  // namespace skerry::emulation
