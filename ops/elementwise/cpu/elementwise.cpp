// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/cpu/elementwise.hpp"
#include "ops/kernel/unit.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

SKERRY_KERNEL_UNIT(elementwise)

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
