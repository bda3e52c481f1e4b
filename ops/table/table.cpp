// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/table/table.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "device/backend.hpp"
#include "device/cpu/info.hpp"
#include "enabled_dtypes.hpp"
#include "ops/call/kernels.hpp"
#include "ops/table/cpu/fill.hpp"

namespace skerry {
namespace {

using fill_function = void (*)(KernelTable&);

struct HostKernels {
  cpu::Isa level{};
  fill_function fill = nullptr;
};

/// The instruction sets of this build, the oldest first.
constexpr HostKernels built_kernels[] = {
#if defined(SKERRY_WITH_CPU_generic)
    {cpu::Isa::generic, cpu::fill_generic},
#endif
#if defined(SKERRY_WITH_CPU_v8)
    {cpu::Isa::v8, cpu::fill_v8},
#endif
#if defined(SKERRY_WITH_CPU_v2)
    {cpu::Isa::v2, cpu::fill_v2},
#endif
#if defined(SKERRY_WITH_CPU_v3)
    {cpu::Isa::v3, cpu::fill_v3},
#endif
#if defined(SKERRY_WITH_CPU_v4)
    {cpu::Isa::v4, cpu::fill_v4},
#endif
};

/// Returns the kernels of the newest instruction set in this build up to best_isa(), or of the
/// oldest one.
HostKernels best_kernels() noexcept {
  HostKernels best = built_kernels[0];
  for (const HostKernels& kernels : built_kernels) {
    if (cpu::best_isa() >= kernels.level) best = kernels;
  }
  return best;
}

constinit KernelTable all_kernels{};

// Fills the table while the library is loaded, so that calls need not check for it.
[[maybe_unused]] const bool host_kernels_are_there = [] {
  best_kernels().fill(all_kernels);
  fill_unsupported_reasons(all_kernels);
  return true;
}();

/// The table for each kind of device, set at the first lookup: the host's, or one with native
/// forms.
constinit std::array<std::atomic<const KernelTable*>, max_device_kinds> tables{&all_kernels};
constinit std::array<KernelTable, max_device_kinds> native_kernels{};
constinit std::mutex tables_mutex;

const KernelTable& find_table(Device device) noexcept {
  const auto kind = static_cast<std::size_t>(device.kind);
  const std::lock_guard lock(tables_mutex);
  if (const KernelTable* const cached_table = tables[kind].load()) return *cached_table;
  const KernelTable* table = &all_kernels;
  if (const auto fill = backend_of(device).fill_kernels) {
    native_kernels[kind] = all_kernels;
    fill(native_kernels[kind]);
    table = &native_kernels[kind];
  }
  tables[kind].store(table, std::memory_order_release);
  return *table;
}

}  // namespace

bool is_built(Dtype type) noexcept {
#define SKERRY_IS_BUILT(name) \
  if (type == Dtype::name) return true;
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_IS_BUILT)
#undef SKERRY_IS_BUILT
  return false;
}

cpu::Isa kernel_level() noexcept { return best_kernels().level; }

std::vector<cpu::Isa> kernel_levels() {
  std::vector<cpu::Isa> levels;
  for (const HostKernels& kernels : built_kernels) levels.push_back(kernels.level);
  return levels;
}

const KernelTable& kernels() noexcept { return all_kernels; }

const KernelTable& kernels(Device device) noexcept {
  const auto kind = static_cast<std::size_t>(device.kind);
  const KernelTable* const cached_table = tables[kind].load(std::memory_order_acquire);
  return cached_table != nullptr ? *cached_table : find_table(device);
}

#define SKERRY_MEMBER(family, Kernels)                                            \
  static const Kernels& member(const KernelTable& all, const Kernels*) noexcept { \
    return all.family;                                                            \
  }
SKERRY_FOR_EACH_FAMILY(SKERRY_MEMBER)
#undef SKERRY_MEMBER

template <class Family>
const Family& kernels() noexcept {
  return member(kernels(), static_cast<const Family*>(nullptr));
}
template <class Family>
const Family& kernels(Device device) noexcept {
  return member(kernels(device), static_cast<const Family*>(nullptr));
}
#define SKERRY_LOOK_UP(family, Kernels)                \
  template const Kernels& kernels<Kernels>() noexcept; \
  template const Kernels& kernels<Kernels>(Device) noexcept;
SKERRY_FOR_EACH_FAMILY(SKERRY_LOOK_UP)
#undef SKERRY_LOOK_UP

}  // namespace skerry
