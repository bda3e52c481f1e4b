// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/info.hpp"

#include "device/environment.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>

#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace skerry::cpu {

namespace {

#if defined(__x86_64__)

constexpr bool has_all(unsigned have, unsigned required_bits) {
  return (have & required_bits) == required_bits;
}

/// Returns the register sets that the system saves on a context switch: AVX is unusable if its
/// registers are not saved.
unsigned saved_registers() noexcept {
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

Isa detect_isa() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return Isa::x86_64_v2;
  const unsigned basic = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return Isa::x86_64_v2;
  const unsigned extended = b;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) == 0) return Isa::x86_64_v2;

  constexpr unsigned v3_basic = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
  constexpr unsigned v3_extended = bit_BMI | bit_AVX2 | bit_BMI2;
  constexpr unsigned v4_extended =
      bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
  constexpr unsigned avx_registers = 0x06;
  constexpr unsigned avx512_registers = 0xe6;
  if (!has_all(basic, v3_basic) || !has_all(extended, v3_extended) || !has_all(c, bit_LZCNT)) {
    return Isa::x86_64_v2;
  }
  const unsigned saved = saved_registers();
  if (!has_all(saved, avx_registers)) return Isa::x86_64_v2;
  if (!has_all(extended, v4_extended) || !has_all(saved, avx512_registers)) return Isa::x86_64_v3;
  return Isa::x86_64_v4;
}

#else

Isa detect_isa() noexcept { return Isa::x86_64_v2; }

#endif

Isa allowed_isa() noexcept {
  const char* value = environment_text("SKERRY_ISA");
  const std::string_view text = value != nullptr ? value : "";
  if (text == "v2") return Isa::x86_64_v2;
  if (text == "v3") return Isa::x86_64_v3;
  return Isa::x86_64_v4;
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::size_t total_memory() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

std::size_t free_memory() noexcept {
  std::FILE* file = std::fopen("/proc/meminfo", "r");
  if (file == nullptr) return 0;
  unsigned long long kibibytes = 0;
  char line[128];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "MemAvailable: %llu kB", &kibibytes) == 1) break;
  }
  std::fclose(file);
  return static_cast<std::size_t>(kibibytes) * 1024;
}

Isa best_isa() noexcept {
  static const Isa best = std::min(detect_isa(), allowed_isa());
  return best;
}

const char* to_string(Isa level) noexcept {
  switch (level) {
    case Isa::x86_64_v2:
      return "x86-64-v2";
    case Isa::x86_64_v3:
      return "x86-64-v3";
    case Isa::x86_64_v4:
      return "x86-64-v4";
  }
  return "unknown";
}

}  // namespace skerry::cpu
