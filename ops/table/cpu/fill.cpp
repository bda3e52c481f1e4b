// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/table/cpu/fill.hpp"

#include "core/config.hpp"
#include "kernel_units.hpp"
#include "ops/table/table.hpp"

namespace skerry {
#define SKERRY_DECLARE(family, unit) void fill_##unit(decltype(KernelTable::family)& table);
inline namespace SKERRY_TARGET {
namespace kernels {
SKERRY_FOR_EACH_UNIT(SKERRY_DECLARE)
}  // namespace kernels
}  // namespace SKERRY_TARGET
namespace v3::kernels {
SKERRY_FOR_EACH_SHARED_UNIT(SKERRY_DECLARE)
}  // namespace v3::kernels
#undef SKERRY_DECLARE

#define SKERRY_FILL_OF(target) SKERRY_FILL_NAME(target)
#define SKERRY_FILL_NAME(target) fill_##target
void cpu::SKERRY_FILL_OF(SKERRY_TARGET)(KernelTable& table) {
#define SKERRY_FILL(family, unit) kernels::fill_##unit(table.family);
  SKERRY_FOR_EACH_UNIT(SKERRY_FILL)
#undef SKERRY_FILL
#define SKERRY_FILL(family, unit) v3::kernels::fill_##unit(table.family);
  SKERRY_FOR_EACH_SHARED_UNIT(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry
