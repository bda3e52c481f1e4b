// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

/// `body` with the kernel of a handle, a CUkernel's or a CUfunction's: they are the same here.
template <class Body>
int with_kernel(const void* handle, Body body) noexcept {
  return run_entry_point([&]() -> int {
    const auto kernel = Registry::instance().kernel_at(handle);
    return kernel != nullptr ? body(kernel) : code::invalid_handle;
  });
}

}  // namespace skerry::emulation::driver
