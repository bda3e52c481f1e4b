// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Calls of NCCL's functions as values, and its enumerations. Data types and reductions are NCCL's
// numbers: ncclDataType_t, ncclRedOp_t.

namespace skerry::emulation::nccl {

/// ncclResult_t
enum Result : int {
  success = 0,
  cuda_error = 1,
  system_error = 2,
  invalid_argument = 4,
  invalid_usage = 5,
  remote_error = 6,
};

enum class Function : int {
  none,
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  split,
  send,
  receive,
};

struct Call {
  Function function = Function::none;
  int type = -1;
  int reduction = -1;  ///< of a split: the color
  int peer = -1;       ///< or the root; of a split: the key
  std::uint64_t count = 0;
  std::uint64_t capture = 0;  ///< position among the rank's captured calls, from 1; 0: not captured

  friend bool operator==(const Call&, const Call&) = default;
};

[[nodiscard]] constexpr bool is_transfer(Function function) noexcept {
  return function == Function::send || function == Function::receive;
}

[[nodiscard]] constexpr bool is_reducing(Function function) noexcept {
  return function == Function::all_reduce || function == Function::reduce ||
         function == Function::reduce_scatter;
}
/// True if `peer` is a rank: that of a transfer, or a root.
[[nodiscard]] constexpr bool has_peer(Function function) noexcept {
  return is_transfer(function) || function == Function::reduce || function == Function::broadcast ||
         function == Function::gather || function == Function::scatter;
}

/// Returns the size of an element; 0 if the type is unknown.
[[nodiscard]] std::size_t size_of(int type) noexcept;
/// Returns the call as text, such as "ncclAllReduce(count 8, float32, sum)".
[[nodiscard]] std::string text_of(const Call& call);

}  // namespace skerry::emulation::nccl
