// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

// Groups of calls (ncclGroupStart, ncclGroupEnd), one for each thread.

void start_group();
/// Enqueues the calls of the outermost group. Returns the first error.
int end_group();
[[nodiscard]] bool is_group_open() noexcept;
void add_to_group(const Operation& operation);
/// Makes the end of this thread's group, if one is open, return an error.
void fail_group(Result code) noexcept;
/// Calls both functions, which may wait for other ranks: `first` at the end of the group, `second`
/// after the first functions of all its calls. Null functions are skipped.
int call_at_group_end(std::function<int()> first, std::function<int()> second);

}  // namespace skerry::emulation::nccl
