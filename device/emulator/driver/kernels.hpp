// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

/// Calls `body` with the kernel of a CUkernel or CUfunction: both have the same handle here.
template <class Body>
int with_kernel(const void* handle, Body body) noexcept {
  return run_entry_point([&]() -> int {
    const auto kernel = Registry::instance().kernel_at(handle);
    return kernel != nullptr ? body(kernel) : code::invalid_handle;
  });
}

}  // namespace skerry::emulation::driver
