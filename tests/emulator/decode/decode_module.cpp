// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Decodes all kernels of a CUDA module, or of PTX text, for one target, and lists instructions that
// the emulated GPU does not support: `emulator_decode MODULE|FILE.ptx TARGET`. Other tests run most
// kernels; this checks all of them.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/ptx/module.hpp"
#include "ops/table/table.hpp"

namespace skerry::emulation {
namespace {

struct Findings {
  std::size_t kernels = 0;
  std::size_t instructions = 0;
  std::size_t failed = 0;
  std::map<std::string, std::size_t> texts;  ///< unsupported instructions and their counts
};

void decode(const Kernel& kernel, Findings& findings) {
  ++findings.kernels;
  bool is_whole = true;
  const auto note = [&](std::string text) {
    ++findings.texts[std::move(text)];
    is_whole = false;
  };
  try {
    const Program& program = kernel.decoded();
    findings.instructions += program.instructions.size();
    for (std::size_t k = 0; k < program.instructions.size(); ++k) {
      if (program.instructions[k].flow == Control::unsupported)
        note(std::string(program.locations[k].text));
    }
  } catch (const ImageError& error) {
    note(kernel.name() + ": " + error.what());
  }
  if (!is_whole) ++findings.failed;
}

[[nodiscard]] std::vector<std::byte> bytes_of(const char* path) {
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error(std::string(path) + " can't be read");
  return bytes;
}

/// Decodes the fat binaries of all units, which the linker has concatenated at multiples of 8
/// bytes.
[[nodiscard]] Findings decode_all(std::span<const std::byte> bytes, int target) {
  constexpr std::uint64_t begin_of_one = 0x0010'0001'ba55'ed50;  // magic, version, header's size
  Findings findings;
  for (std::size_t offset = 0; offset + sizeof begin_of_one <= bytes.size(); offset += 8) {
    std::uint64_t begin = 0;
    std::memcpy(&begin, bytes.data() + offset, sizeof begin);
    if (begin != begin_of_one) continue;
    const std::size_t nbytes = Module::fat_binary_size(bytes.data() + offset);
    if (nbytes > bytes.size() - offset) throw std::runtime_error("a fat binary is truncated");
    const auto loaded = Module::load(bytes.subspan(offset, nbytes), target);
    for (const auto& kernel : loaded->kernels()) decode(*kernel, findings);
  }
  return findings;
}

[[nodiscard]] Findings decode_text(std::span<const std::byte> bytes, int target) {
  Findings findings;
  const auto loaded = Module::load(bytes, target);
  for (const auto& kernel : loaded->kernels()) decode(*kernel, findings);
  return findings;
}

int run(const char* path, int target) {
  const bool is_text = std::string_view(path).ends_with(".ptx");
  const std::vector<std::byte> bytes = bytes_of(path);
  const Findings findings = is_text ? decode_text(bytes, target) : decode_all(bytes, target);
  for (const auto& [text, count] : findings.texts) std::printf("%6zu %s\n", count, text.c_str());
  std::printf("%d: %zu kernels, %zu instructions; %zu kernels with unsupported instructions\n",
              target, findings.kernels, findings.instructions, findings.failed);
  return findings.kernels > 0 && findings.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace skerry::emulation

int main(int count, char** arguments) try {
  if (count != 3) {
    std::fprintf(stderr, "usage: emulator_decode MODULE|FILE.ptx TARGET\n");
    return EXIT_FAILURE;
  }
  return skerry::emulation::run(arguments[1], std::atoi(arguments[2]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "emulator_decode: %s\n", error.what());
  return EXIT_FAILURE;
}
