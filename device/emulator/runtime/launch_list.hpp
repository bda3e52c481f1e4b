// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/emulator/execute/launch.hpp"

namespace skerry::emulation {

/// A launch and what it did, as an object of JSON without a line's end.
[[nodiscard]] std::string launch_line(const Kernel& kernel, const Launch& launch,
                                      const Statistics& done);

/// Appends the line of a launch to the file of SKERRY_EMULATE_LAUNCHES, if there is one. By single
/// writes, so that several devices and processes can share it.
void list_launch(const Kernel& kernel, const Launch& launch, const Statistics& done);

/// The same for a call of a library that a stand-in has done: {"library": routine}.
void list_library_call(const std::string& routine);

}  // namespace skerry::emulation
