// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/backend.hpp"

#include "device/cpu/devices.hpp"

namespace skerry::cpu {

constexpr backend backend_in_use{
    .name = "cpu",
    .can = {.form = kernel_form::host, .host_memory = true, .dlpack_code = 1},
    .devices = {.count = count_devices, .describe = describe, .ordinal = ordinal_of},
    // Its memory is what device/memory.cpp allocates without looking here.
    .memory = {},
    .streams = {},
    .transfers = {},
    .deferred = {},
    .interchange = {},
    .launch = launch_at_once,
    .fill_kernels = nullptr,
};

}  // namespace skerry::cpu
