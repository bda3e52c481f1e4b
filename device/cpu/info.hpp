// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace skerry::cpu {

/// Returns the model name, such as "AMD EPYC 9554 64-Core Processor"; "unknown processor" if the
/// system does not report one.
[[nodiscard]] std::string processor_name();

/// Returns the machine's physical memory in bytes; 0 if unknown.
[[nodiscard]] std::size_t total_memory() noexcept;
/// Returns the bytes available without swapping, page cache included; 0 if unknown.
[[nodiscard]] std::size_t free_memory() noexcept;

/// The x86-64 psABI levels for which kernels are compiled.
enum class Isa : std::uint8_t {
  x86_64_v2,
  x86_64_v3,
  x86_64_v4,
  v2 = x86_64_v2,
  v3 = x86_64_v3,
  v4 = x86_64_v4,
};

/// Returns the highest level that both the processor and the operating system support. SKERRY_ISA
/// (v2, v3 or v4) can lower it, never raise it. Safe to call during static initialization.
[[nodiscard]] Isa best_isa() noexcept;
[[nodiscard]] const char* to_string(Isa level) noexcept;

}  // namespace skerry::cpu
