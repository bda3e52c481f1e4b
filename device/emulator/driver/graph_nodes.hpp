// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/emulator/driver/graphs.hpp"
#include "device/emulator/runtime/launches.hpp"

namespace skerry::emulation::driver {

/// Returns a launch to run later, with copies of the parameters. Throws ImageError.
[[nodiscard]] node_operation deferred_launch(std::shared_ptr<RegisteredKernel> kernel,
                                             const LaunchRequest& request);

}  // namespace skerry::emulation::driver
