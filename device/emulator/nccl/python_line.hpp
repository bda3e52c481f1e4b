// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry::emulation::nccl {

/// Returns "file:line" of the Python line that calls this library; empty if there is none.
[[nodiscard]] std::string python_line();

}  // namespace skerry::emulation::nccl
