// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/execute/floats.hpp"

namespace skerry::emulation {

// Each rounds to an integral value of the same type.
struct ToNearest {
  template <class T>
  static T apply(T a) {
    return std::nearbyint(a);
  }
};
struct TowardZero {
  template <class T>
  static T apply(T a) {
    return std::trunc(a);
  }
};
struct Downward {
  template <class T>
  static T apply(T a) {
    return std::floor(a);
  }
};
struct Upward {
  template <class T>
  static T apply(T a) {
    return std::ceil(a);
  }
};

/// Converts with F::apply from S to D, in registers that may be wider than their types: reads the
/// lower bytes of the operand, and sign-extends a signed result.
template <class F, class D, class S>
void convert(Warp& warp, const Instruction& instruction, lane_mask active) {
  if (instruction.result_nbytes == sizeof(D) && instruction.operand_nbytes == sizeof(S)) {
    Elementwise<F, D, S>::run(warp, instruction, active);
    return;
  }
  auto* const destination = warp.values<std::byte>(instruction.destination[0]);
  const auto* const source = warp.values<std::byte>(instruction.source[0]);
  for_lanes(active, [&](int lane) {
    const auto index = static_cast<std::size_t>(lane);
    S operand;
    std::memcpy(&operand, source + index * instruction.operand_nbytes, sizeof operand);
    const D result = F::apply(operand);
    u64 bits = 0;
    if constexpr (std::is_integral_v<D>) {
      bits = static_cast<u64>(static_cast<s64>(result));
    } else {
      std::memcpy(&bits, &result, sizeof result);
    }
    std::memcpy(destination + index * instruction.result_nbytes, &bits, instruction.result_nbytes);
  });
}

/// Returns the operation that runs convert().
template <class F, class D, class S>
[[nodiscard]] Operation conversion() {
  return {.execute = convert<F, D, S>,
          .results = {sizeof(D)},
          .arguments = {sizeof(S)},
          .may_result_be_wider = true,
          .may_argument_be_wider = true};
}

}  // namespace skerry::emulation
