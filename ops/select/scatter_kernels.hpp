// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// How an element and a value scattered to it are combined.
enum class ScatterOp : std::uint8_t {
  add,
  subtract,
  multiply,
  minimum,
  maximum,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
};
inline constexpr int scatter_op_count = 8;

/// target[index[i]] = target[index[i]] op values[i], for contiguous arrays that do not overlap. The
/// host form applies the values in order; the native form first combines the values of each
/// element, in an order that depends on their number only.
struct ScatterReduceParams {
  OutputPointer<char> target;
  std::int64_t target_size;
  InputPointer<std::int64_t> index;  ///< in [-target_size, target_size)
  InputPointer<char> values;
  std::int64_t size;        ///< at least 1
  std::int64_t value_step;  ///< in bytes; 0: one value for all
  ErrorWord invalid_index;  ///< receives an out-of-bounds index; nothing is written then

  /// Indices are sorted as 32-bit keys.
  static constexpr NativeLimits native_limits{.max_count = (std::int64_t{1} << 32) - 2};
};

struct ScatterReduceKernels {
  /// By operation and dtype. minimum and maximum: not complex. Bitwise operations: integers and
  /// bool; bool has no others.
  Kernel<ScatterReduceParams> kernel[scatter_op_count][dtype_count];
};

}  // namespace skerry
