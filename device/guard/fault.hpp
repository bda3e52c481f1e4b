// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace skerry::guard {

/// The block at or nearest to a faulting address.
struct FaultBlock {
  const char* begin = nullptr;
  std::size_t nbytes = 0;
  bool is_freed = false;
};

/// Finds the block for an address in guarded memory; returns false for other addresses. Called in a
/// signal handler.
using fault_finder = bool (*)(const void* address, FaultBlock& fault_block) noexcept;
/// Adds a fault finder; at most four.
void add_fault_finder(fault_finder find) noexcept;

/// Installs a handler that reports a fault in guarded memory on stderr: the operation, the array,
/// and the distance from its block. Then the previous handler runs. A repeated call moves
/// the handler before those installed since, such as faulthandler's.
void catch_faults() noexcept;

/// Reports a block that was overwritten or freed wrongly, as `side` describes, and aborts.
[[noreturn]] void report_overwritten(const FaultBlock& block, const char* side) noexcept;

}  // namespace skerry::guard
