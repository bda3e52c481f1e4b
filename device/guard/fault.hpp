// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace skerry::guard {

/// The block at or nearest to an address where a fault was.
struct FaultBlock {
  const char* begin = nullptr;
  std::size_t nbytes = 0;
  bool is_freed = false;
};

/// Finds the block for an address of guarded memory; false if it is none. Called in a signal
/// handler.
using fault_finder = bool (*)(const void* address, FaultBlock& fault_block) noexcept;
/// Up to four of them.
void add_fault_finder(fault_finder find) noexcept;

/// From now on a fault in guarded memory is told on stderr: the operation, the array, how far
/// beyond its block. Then the process dies as it would have. Asked again, takes the first place
/// before a handler that was installed meanwhile (faulthandler's).
void catch_faults() noexcept;

/// Tells of a block that was found to be overwritten, and aborts.
[[noreturn]] void report_overwritten(const FaultBlock& block, const char* side) noexcept;

}  // namespace skerry::guard
