// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/info.hpp"

#include "device/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <string_view>

#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
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

constexpr std::array levels{Isa::x86_64_v2, Isa::x86_64_v3, Isa::x86_64_v4};

#elif defined(__aarch64__)

/// The system reports single features, not versions of the architecture: these are required by
/// Armv8.1-A, but for float16, an option of Armv8.2-A.
Isa detect_isa() noexcept {
  constexpr unsigned long v8 = HWCAP_ATOMICS | HWCAP_ASIMDRDM | HWCAP_FPHP | HWCAP_ASIMDHP;
  return (getauxval(AT_HWCAP) & v8) == v8 ? Isa::aarch64_v8 : Isa::generic;
}

constexpr std::array levels{Isa::generic, Isa::aarch64_v8};

#else

Isa detect_isa() noexcept { return Isa::generic; }

constexpr std::array levels{Isa::generic};

#endif

/// Returns the level that SKERRY_ISA names, if it is one of this kind of processor, else the
/// highest.
Isa allowed_isa() noexcept {
  const char* value = environment_text("SKERRY_ISA");
  const std::string_view text = value != nullptr ? value : "";
  for (const Isa level : levels) {
    const std::string_view name = to_string(level);
    if (text == name.substr(name.rfind('-') + 1)) return level;
  }
  return levels.back();
}

/// Parts of Arm's register MIDR_EL1 as /proc/cpuinfo has them, by implementer and number.
struct ProcessorPart {
  unsigned implementer;
  unsigned part;
  std::string_view name;
};
constexpr std::array processor_parts{
    ProcessorPart{0x41, 0xd03, "Cortex-A53"},   ProcessorPart{0x41, 0xd04, "Cortex-A35"},
    ProcessorPart{0x41, 0xd05, "Cortex-A55"},   ProcessorPart{0x41, 0xd07, "Cortex-A57"},
    ProcessorPart{0x41, 0xd08, "Cortex-A72"},   ProcessorPart{0x41, 0xd09, "Cortex-A73"},
    ProcessorPart{0x41, 0xd0a, "Cortex-A75"},   ProcessorPart{0x41, 0xd0b, "Cortex-A76"},
    ProcessorPart{0x41, 0xd0c, "Neoverse-N1"},  ProcessorPart{0x41, 0xd0d, "Cortex-A77"},
    ProcessorPart{0x41, 0xd0e, "Cortex-A76AE"}, ProcessorPart{0x41, 0xd40, "Neoverse-V1"},
    ProcessorPart{0x41, 0xd41, "Cortex-A78"},   ProcessorPart{0x41, 0xd42, "Cortex-A78AE"},
    ProcessorPart{0x41, 0xd44, "Cortex-X1"},    ProcessorPart{0x41, 0xd46, "Cortex-A510"},
    ProcessorPart{0x41, 0xd47, "Cortex-A710"},  ProcessorPart{0x41, 0xd48, "Cortex-X2"},
    ProcessorPart{0x41, 0xd49, "Neoverse-N2"},  ProcessorPart{0x41, 0xd4d, "Cortex-A715"},
    ProcessorPart{0x41, 0xd4e, "Cortex-X3"},    ProcessorPart{0x41, 0xd4f, "Neoverse-V2"},
    ProcessorPart{0x41, 0xd80, "Cortex-A520"},  ProcessorPart{0x41, 0xd81, "Cortex-A720"},
    ProcessorPart{0x41, 0xd82, "Cortex-X4"},    ProcessorPart{0x41, 0xd84, "Neoverse-V3"},
    ProcessorPart{0x41, 0xd85, "Cortex-X925"},  ProcessorPart{0x41, 0xd87, "Cortex-A725"},
    ProcessorPart{0x41, 0xd8e, "Neoverse-N3"},  ProcessorPart{0x46, 0x001, "A64FX"},
    ProcessorPart{0x48, 0xd01, "TaiShan-v110"}, ProcessorPart{0xc0, 0xac3, "Ampere-1"},
    ProcessorPart{0xc0, 0xac4, "Ampere-1a"},
};

/// Returns the value of a line `key<tabs>: value` of /proc/cpuinfo; empty if it has another key.
std::string_view value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  const std::size_t colon = line.find(": ");
  return colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 2);
}

/// Returns the number in text such as "0xd0c"; 0 if there is none.
unsigned hexadecimal(std::string_view text) {
  unsigned value = 0;
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

std::string part_name(unsigned implementer, unsigned part) {
  for (const ProcessorPart& row : processor_parts) {
    if (row.implementer == implementer && row.part == part) return std::string(row.name);
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "aarch64 processor (implementer 0x%02x, part 0x%03x)",
                implementer, part);
  return text.data();
}

}  // namespace

std::string read_processor_name(std::istream& cpuinfo) {
  std::string line;
  std::string parts;
  unsigned implementer = 0;
  while (std::getline(cpuinfo, line)) {
    // Some aarch64 systems have a model name that names no model: "ARMv8 Processor rev 1 (v8l)".
    const std::string_view model = value_of(line, "model name");
    if (!model.empty() && !model.starts_with("ARM")) return std::string(model);
    if (const auto number = value_of(line, "CPU implementer"); !number.empty()) {
      implementer = hexadecimal(number);
    }
    const std::string_view number = value_of(line, "CPU part");
    if (number.empty()) continue;
    const std::string name = part_name(implementer, hexadecimal(number));
    if (parts.find(name) != std::string::npos) continue;
    parts += (parts.empty() ? "" : " + ") + name;
  }
  return parts.empty() ? "unknown processor" : parts;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  return read_processor_name(file);
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

Isa supported_isa() noexcept {
  static const Isa supported = detect_isa();
  return supported;
}

Isa best_isa() noexcept {
  static const Isa best = std::min(supported_isa(), allowed_isa());
  return best;
}

const char* to_string(Isa level) noexcept {
  switch (level) {
    case Isa::generic:
      return "generic";
    case Isa::x86_64_v2:
      return "x86-64-v2";
    case Isa::x86_64_v3:
      return "x86-64-v3";
    case Isa::x86_64_v4:
      return "x86-64-v4";
    case Isa::aarch64_v8:
      return "aarch64-v8";
  }
  return "unknown";
}

}  // namespace skerry::cpu
