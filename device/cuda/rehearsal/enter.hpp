// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <system_error>

#include "device/cuda/rehearsal/current_device.hpp"
#include "device/cuda/rehearsal/faults.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::rehearsal {

/// The entry point `which` around `body`, which returns a status.
template <class Body>
int enter(entry which, Body body) noexcept {
  if (const int code = gate(which); code != cuda::success) return code;
  try {
    return leave(body(machine::instance()));
  } catch (const std::bad_alloc&) {
    return leave(cuda::memory_allocation);
  } catch (const std::system_error&) {
    return leave(cuda::initialization_error);  // no thread for a stream
  }
}

}  // namespace skerry::rehearsal
