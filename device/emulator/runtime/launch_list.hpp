// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/emulator/execute/launch.hpp"

namespace skerry::emulation {

/// Returns a launch and its statistics as a JSON object without a newline.
[[nodiscard]] std::string launch_line(const Kernel& kernel, const Launch& launch,
                                      const Statistics& done);

/// Appends a launch's line to the file of SKERRY_EMULATE_LAUNCHES, if set. Each line is a single
/// write, so that several devices and processes can share the file.
void list_launch(const Kernel& kernel, const Launch& launch, const Statistics& done);

/// Appends a line {"library": routine} for a call of a library's stand-in to the same file.
void list_library_call(const std::string& routine);

}  // namespace skerry::emulation
