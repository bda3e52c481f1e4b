// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/device.hpp"

namespace skerry::python {

/// Returns the lines that hold memory of a device, most bytes first, or how to turn on the trace of
/// memory: the end of a message about a lack of memory.
[[nodiscard]] std::string describe_holders(Device device);

}  // namespace skerry::python
