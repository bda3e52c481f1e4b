// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry::emulation::nccl {

/// Returns "file:line" of the innermost Python frame of this thread outside of the packages nccl
/// and skerry; empty if there is none.
[[nodiscard]] std::string python_line();

}  // namespace skerry::emulation::nccl
