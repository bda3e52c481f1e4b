// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Decodes every kernel of a CUDA module, or of PTX text, for one target, and names what the
// emulated GPU could not execute: `emulation_decode MODULE|FILE.ptx TARGET`. Tests run most
// kernels, this looks at all of them.

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

#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/ptx/module.hpp"
#include "ops/table/table.hpp"

namespace skerry::emulation {
namespace {

struct Findings {
  std::size_t kernels = 0;
  std::size_t instructions = 0;
  std::size_t failed = 0;
  std::map<std::string, std::size_t> texts;  ///< what is not supported, and how often
};

void decode(const Kernel& what, Findings& into) {
  ++into.kernels;
  bool is_whole = true;
  const auto note = [&](std::string text) {
    ++into.texts[std::move(text)];
    is_whole = false;
  };
  try {
    const Program& code = what.decoded();
    into.instructions += code.code.size();
    for (std::size_t k = 0; k < code.code.size(); ++k) {
      if (code.code[k].flow == Control::unsupported) note(std::string(code.places[k].text));
    }
  } catch (const ImageError& problem) {
    note(what.name() + ": " + problem.what());
  }
  if (!is_whole) ++into.failed;
}

[[nodiscard]] std::vector<std::byte> bytes_of(const char* path) {
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error(std::string(path) + " can't be read");
  return bytes;
}

/// The linker has put a fat binary for each unit one behind the other, at multiples of 8 bytes.
[[nodiscard]] Findings decode_all(std::span<const std::byte> bytes, int target) {
  constexpr std::uint64_t begin_of_one = 0x0010'0001'ba55'ed50;  // magic, version, header's size
  Findings found;
  for (std::size_t at = 0; at + sizeof begin_of_one <= bytes.size(); at += 8) {
    std::uint64_t begin = 0;
    std::memcpy(&begin, bytes.data() + at, sizeof begin);
    if (begin != begin_of_one) continue;
    const std::size_t nbytes = Module::fat_binary_size(bytes.data() + at);
    if (nbytes > bytes.size() - at) throw std::runtime_error("a fat binary is cut off");
    const auto loaded = Module::load(bytes.subspan(at, nbytes), target);
    for (const auto& each : loaded->kernels()) decode(*each, found);
  }
  return found;
}

[[nodiscard]] Findings decode_text(std::span<const std::byte> bytes, int target) {
  Findings found;
  const auto loaded = Module::load(bytes, target);
  for (const auto& each : loaded->kernels()) decode(*each, found);
  return found;
}

int run(const char* path, int target) {
  const bool is_text = std::string_view(path).ends_with(".ptx");
  const std::vector<std::byte> bytes = bytes_of(path);
  const Findings found = is_text ? decode_text(bytes, target) : decode_all(bytes, target);
  for (const auto& [text, count] : found.texts) std::printf("%6zu %s\n", count, text.c_str());
  std::printf("%d: %zu kernels, %zu instructions; %zu kernels with what is not supported\n", target,
              found.kernels, found.instructions, found.failed);
  return found.kernels > 0 && found.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace skerry::emulation

int main(int count, char** arguments) try {
  if (count != 3) {
    std::fprintf(stderr, "usage: emulation_decode MODULE|FILE.ptx TARGET\n");
    return EXIT_FAILURE;
  }
  return skerry::emulation::run(arguments[1], std::atoi(arguments[2]));
} catch (const std::exception& problem) {
  std::fprintf(stderr, "emulation_decode: %s\n", problem.what());
  return EXIT_FAILURE;
}
