// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/device.hpp"
#include "core/dtype.hpp"

// Gives a front end the kernels of one family, such as `SortKernels` of ops/sort/kernels.hpp,
// without a dependency on the other families. Defined for each family in ops/table/table.cpp.

namespace skerry::cpu {
enum class Isa : std::uint8_t;  // device/cpu/info.hpp
}

namespace skerry {

/// Returns the level of the host forms in use; in a single-level build, that level.
[[nodiscard]] cpu::Isa kernel_level() noexcept;
/// Returns the levels of this build, the lowest first; the processor may lack the higher ones.
[[nodiscard]] std::vector<cpu::Isa> kernel_levels();

/// True if this build has kernels for a dtype (SKERRY_DTYPES).
[[nodiscard]] bool is_built(Dtype type) noexcept;

/// Returns the kernels of a family for this machine: host forms for the best instruction set,
/// chosen when the library is loaded.
template <class Family>
[[nodiscard]] const Family& kernels() noexcept;
/// Returns the same, with the native forms of the device's kind, if it has any.
template <class Family>
[[nodiscard]] const Family& kernels(Device device) noexcept;

}  // namespace skerry
