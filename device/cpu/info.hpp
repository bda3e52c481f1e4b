// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace skerry::cpu {

/// Returns the model name, such as "AMD EPYC 9554 64-Core Processor" or "Neoverse-N1"; "unknown
/// processor" if the system does not report one.
[[nodiscard]] std::string processor_name();
/// Returns the model name in the text of /proc/cpuinfo. On aarch64 that has numbers of the
/// implementer and of the part; the names of different parts are joined by " + ".
[[nodiscard]] std::string read_processor_name(std::istream& cpuinfo);

/// Returns the machine's physical memory in bytes; 0 if unknown.
[[nodiscard]] std::size_t total_memory() noexcept;
/// Returns the bytes available without swapping, page cache included; 0 if unknown.
[[nodiscard]] std::size_t free_memory() noexcept;

/// The levels of processors for which kernels are compiled: those of the x86-64 psABI; on aarch64,
/// Armv8.2-A with float16; `generic` for what the compiler takes the processor to have.
enum class Isa : std::uint8_t {
  generic,
  x86_64_v2,
  x86_64_v3,
  x86_64_v4,
  aarch64_v8,
  v2 = x86_64_v2,
  v3 = x86_64_v3,
  v4 = x86_64_v4,
  v8 = aarch64_v8,
};

/// Returns the highest level that both the processor and the operating system support.
[[nodiscard]] Isa supported_isa() noexcept;
/// Returns supported_isa(), or the level that SKERRY_ISA names if that is lower. Safe to call
/// during static initialization.
[[nodiscard]] Isa best_isa() noexcept;
[[nodiscard]] const char* to_string(Isa level) noexcept;

}  // namespace skerry::cpu
