// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/backend.hpp"

namespace skerry::cpu {

constexpr backend backend_in_use{
    .name = "cpu",
    .can = {.form = kernel_form::host, .host_memory = true, .dlpack_code = 1},
    .fill_kernels = nullptr,
};

}  // namespace skerry::cpu
