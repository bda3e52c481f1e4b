// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

// A call on a captured stream becomes a part of the graph. Each launch of the graph posts it, as if
// the program made the call there.

/// Returns why a call on a captured stream can't be part of the graph, or an empty text.
[[nodiscard]] std::string find_capture_error(const Operation& operation);
/// Gives a captured call its number, which must be the same on all ranks, and its line.
void number_capture(Operation& operation, const std::string& line);
/// Adds captured operations with the same communicator and stream to the graph, as one node.
int capture_calls(std::vector<Operation> operations);

}  // namespace skerry::emulation::nccl
