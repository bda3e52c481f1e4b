// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enabled_dtypes.hpp"
#include "ops/kernels/table.hpp"

// What every unit of the CUDA module adds to the table of kernels. `native` members only.

namespace skerry {
namespace native {

#define SKERRY_DECLARE_FILL(name) void fill_##name(kernel_table& table);
SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_DECLARE_FILL)
#undef SKERRY_DECLARE_FILL
void fill_moves(kernel_table& table);

}  // namespace native
}  // namespace skerry
