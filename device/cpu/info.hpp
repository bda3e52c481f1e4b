// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace skerry::cpu {

/// "AMD EPYC 9554 64-Core Processor"; "unknown processor" where the system does not say.
[[nodiscard]] std::string processor_name();

/// Bytes of the machine; 0 if unknown.
[[nodiscard]] std::size_t total_memory() noexcept;
/// What could be used without swapping, page cache included; 0 if unknown.
[[nodiscard]] std::size_t free_memory() noexcept;

/// The x86-64 levels of the psABI that kernels are built for.
enum class Isa : std::uint8_t {
  x86_64_v2,
  x86_64_v3,
  x86_64_v4,
  v2 = x86_64_v2,
  v3 = x86_64_v3,
  v4 = x86_64_v4,
};

/// The highest level that processor and system have in full. SKERRY_ISA=v2, v3 or v4 can lower it,
/// never raise it. Can be called while the library is being loaded.
[[nodiscard]] Isa best_isa() noexcept;
[[nodiscard]] const char* to_string(Isa level) noexcept;

}  // namespace skerry::cpu
