// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/table/table.hpp"

namespace skerry {

/// Declares what cuBLAS, cuSOLVER and cuFFT, as the native forms call them, refuse or read wrong.
void fill_refusals(kernel_table& table) noexcept;

}  // namespace skerry
