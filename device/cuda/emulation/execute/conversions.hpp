// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/emulation/execute/floats.hpp"

namespace skerry::emulation {

// To an integral value of the same type.
struct ToNearest {
  template <class T>
  static T of(T a) {
    return std::nearbyint(a);
  }
};
struct TowardZero {
  template <class T>
  static T of(T a) {
    return std::trunc(a);
  }
};
struct Downward {
  template <class T>
  static T of(T a) {
    return std::floor(a);
  }
};
struct Upward {
  template <class T>
  static T of(T a) {
    return std::ceil(a);
  }
};

/// F::of from S to D in registers that may be wider than their types: the operand's lower bytes
/// count, and the result is extended by its sign.
template <class F, class D, class S>
void convert(Warp& on, const Instruction& what, lane_mask active) {
  if (what.result_nbytes == sizeof(D) && what.operand_nbytes == sizeof(S)) {
    Elementwise<F, D, S>::run(on, what, active);
    return;
  }
  auto* const to = on.values<std::byte>(what.destination[0]);
  const auto* const from = on.values<std::byte>(what.source[0]);
  for_lanes(active, [&](int lane) {
    const auto index = static_cast<std::size_t>(lane);
    S operand;
    std::memcpy(&operand, from + index * what.operand_nbytes, sizeof operand);
    const D result = F::of(operand);
    u64 bits = 0;
    if constexpr (std::is_integral_v<D>) {
      bits = static_cast<u64>(static_cast<s64>(result));
    } else {
      std::memcpy(&bits, &result, sizeof result);
    }
    std::memcpy(to + index * what.result_nbytes, &bits, what.result_nbytes);
  });
}

/// The operation that does so, for an operation table.
template <class F, class D, class S>
[[nodiscard]] Operation conversion() {
  return {.run = convert<F, D, S>,
          .results = {sizeof(D)},
          .arguments = {sizeof(S)},
          .may_result_be_wider = true,
          .may_argument_be_wider = true};
}

}  // namespace skerry::emulation
