// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/ptx/module_source.hpp"

namespace skerry::emulation::ptx {

/// The kernel as instructions that can be run. What is not known becomes an instruction that stops
/// the kernel; throws image_error for what is not PTX.
[[nodiscard]] std::unique_ptr<const program> decode(const module_source& from,
                                                    const entry_source& entry);

}  // namespace skerry::emulation::ptx
