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

/// Second instruction of a failure that has only one.
inline constexpr std::uint32_t nowhere_else = ~std::uint32_t{0};

/// Failures that do not end the launch; one for each kind and pair of instructions.
class Findings {
 public:
  /// True for the first failure of this kind and pair; counts repetitions.
  [[nodiscard]] bool is_new(FailureKind kind, std::uint32_t pc, std::uint32_t other);
  /// Adds a failure for which is_new() returned true.
  void add(Failure failure) { all_.push_back(std::move(failure)); }
  [[nodiscard]] const std::vector<Failure>& all() const noexcept { return all_; }

 private:
  std::map<std::tuple<FailureKind, std::uint32_t, std::uint32_t>, std::size_t> indices_;
  std::vector<Failure> all_;
};

/// True if a check must report its finding: the failure ends the kernel, or is the first of this
/// pair of instructions.
[[nodiscard]] bool is_reportable(const Warp& warp, std::uint32_t pc, FailureKind kind,
                                 std::uint32_t other = nowhere_else);
/// Reports a fault for which is_reportable() returned true: collects it if its kind is in
/// DeviceModel::collected, else throws Failure.
void report_fault(const Warp& warp, std::uint32_t pc, const KernelFault& kernel_fault);

/// Returns the index of an instruction in its program.
[[nodiscard]] std::uint32_t pc_of(const Warp& warp, const Instruction& instruction) noexcept;

}  // namespace skerry::emulation
