// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/linkers/link_input.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "device/emulator/ptx/module_source.hpp"

namespace skerry::emulation::linkers {
namespace {

constexpr std::string_view archive_magic = "!<arch>\n";
constexpr std::string_view lto_ir_magic = "\xed\x43\x4e\x7f";

struct ArchiveMember {
  char name[16];
  char date[12];
  char user[6];
  char group[6];
  char mode[8];
  char nbytes[10];
  char end[2];
};

[[noreturn]] void reject_input(const std::string& message) {
  throw ImageError(code::no_kernel_image_for_device, message);
}

template <class T>
[[nodiscard]] T read(std::string_view data, std::size_t offset) {
  if (offset > data.size() || data.size() - offset < sizeof(T)) reject_input("it is truncated");
  T value;
  std::memcpy(static_cast<void*>(&value), data.data() + offset, sizeof value);
  return value;
}

[[nodiscard]] std::string_view cut(std::string_view data, std::size_t offset, std::size_t nbytes) {
  if (offset > data.size() || data.size() - offset < nbytes) reject_input("it is truncated");
  return data.substr(offset, nbytes);
}

/// Appends the PTX of a text, a fat binary, or consecutive fat binaries, as objects have them.
void take_images(std::string_view data, int capability, std::vector<std::string>& texts) {
  constexpr std::string_view fat_binary = "\x50\xed\x55\xba";
  for (;;) {
    const auto bytes = std::as_bytes(std::span(data));
    texts.emplace_back(ptx::text_of(bytes, capability));
    if (!data.starts_with(fat_binary)) return;
    const std::size_t nbytes = (ptx::fat_binary_size(bytes.data()) + 7) / 8 * 8;
    data.remove_prefix(std::min(nbytes, data.size()));
    if (!data.starts_with(fat_binary)) return;
  }
}

/// Appends the PTX in the sections of an object where nvcc puts fat binaries.
void take_object(std::string_view object, int capability, std::vector<std::string>& texts) {
  const auto header = read<Elf64_Ehdr>(object, 0);
  const auto section = [&](std::size_t k) {
    return read<Elf64_Shdr>(object, header.e_shoff + k * sizeof(Elf64_Shdr));
  };
  if (header.e_shnum == 0) return;
  const Elf64_Shdr names = section(header.e_shstrndx);
  const std::string_view all_names = cut(object, names.sh_offset, names.sh_size);
  for (std::size_t k = 0; k < header.e_shnum; ++k) {
    const Elf64_Shdr section_header = section(k);
    std::string_view name =
        all_names.substr(std::min<std::size_t>(section_header.sh_name, all_names.size()));
    name = name.substr(0, name.find('\0'));
    if (name != ".nv_fatbin" && name != "__nv_relfatbin") continue;
    take_images(cut(object, section_header.sh_offset, section_header.sh_size), capability, texts);
  }
}

void take_archive(std::string_view archive, int capability, std::vector<std::string>& texts) {
  for (std::size_t offset = archive_magic.size(); offset < archive.size();) {
    const auto member = read<ArchiveMember>(archive, offset);
    std::size_t nbytes = 0;
    std::from_chars(std::begin(member.nbytes), std::end(member.nbytes), nbytes);
    const std::string_view data = cut(archive, offset + sizeof member, nbytes);
    if (data.starts_with(ELFMAG)) take_object(data, capability, texts);
    offset += sizeof member + nbytes + nbytes % 2;
  }
}

[[nodiscard]] bool is_native_code(std::string_view data) noexcept {
  Elf64_Ehdr header;
  if (data.size() < sizeof header) return false;
  std::memcpy(&header, data.data(), sizeof header);
  return header.e_machine == EM_CUDA;
}

}  // namespace

bool is_lto_ir(const LinkInput& input) noexcept {
  return input.type == input_type::lto_ir ||
         (input.type == input_type::any && input.data.starts_with(lto_ir_magic));
}

bool is_device_runtime(const LinkInput& input) noexcept {
  return input.name.find("cudadevrt") != std::string::npos;
}

std::vector<std::string> ptx_in(const LinkInput& input, int compute_capability) {
  std::vector<std::string> texts;
  const std::string_view data = input.data;
  if (data.starts_with(archive_magic)) {
    take_archive(data, compute_capability, texts);
  } else if (data.starts_with(ELFMAG) && !is_native_code(data)) {
    take_object(data, compute_capability, texts);
  } else if (!data.starts_with(ELFMAG)) {
    take_images(data, compute_capability, texts);
  }
  if (texts.empty()) {
    reject_input("it contains no PTX; an emulated device runs only PTX: compile for compute_" +
                 std::to_string(compute_capability) + " in place of sm_" +
                 std::to_string(compute_capability));
  }
  for (std::string& text : texts) text.resize(std::min(text.find('\0'), text.size()));
  return texts;
}

}  // namespace skerry::emulation::linkers
