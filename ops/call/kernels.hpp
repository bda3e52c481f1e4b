// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.hpp"
#include "core/dtype.hpp"

// Front ends ask for the kernels of a family, `SortKernels` of ops/sort/kernels.hpp; what is in
// the other families they need not know. Defined for each family in ops/table/table.cpp.

namespace skerry::cpu {
enum class Isa : std::uint8_t;  // device/cpu/info.hpp
}

namespace skerry {

/// The x86-64 level of the host forms in use, which a build for one level has at any.
[[nodiscard]] cpu::Isa kernel_level() noexcept;

/// Whether this build has kernels for a dtype (SKERRY_DTYPES).
[[nodiscard]] bool is_built(Dtype type) noexcept;

/// The kernels of a family for this machine: host forms for the best instruction set, chosen when
/// the library is loaded.
template <class Family>
[[nodiscard]] const Family& kernels() noexcept;
/// The same, with the native forms of the device's kind, if it has any.
template <class Family>
[[nodiscard]] const Family& kernels(Device device) noexcept;

}  // namespace skerry
