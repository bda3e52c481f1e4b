// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/module_source.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace skerry::emulation::ptx {
namespace {

// The format is not documented; this much of it has been the same since CUDA 4 (cuobjdump and
// fatbinary agree with it).
constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t binary_magic = 0xba55ed50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;

/// In front of PTX that linkers which keep it call machine code.
constexpr std::string_view kept_ptx = "SKERRYPTX1\n";

struct binary_header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_nbytes;
  std::uint64_t nbytes;  // of all entries
};

struct entry_header {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_nbytes;
  std::uint64_t nbytes;
  std::uint32_t compressed_nbytes;
  std::uint32_t unknown;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t target;
  std::uint32_t name_offset;
  std::uint32_t name_nbytes;
  std::uint64_t flags;
};

[[noreturn]] void damaged(const char* what) {
  throw image_error(code::invalid_kernel_image, std::string("fat binary: ") + what);
}

template <class T>
[[nodiscard]] T read(const std::byte* from) noexcept {
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  return value;
}

[[nodiscard]] std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

[[nodiscard]] std::string_view best_of(std::span<const std::byte> entries, int capability) {
  std::string_view best;
  std::uint32_t best_target = 0;
  while (!entries.empty()) {
    if (entries.size() < sizeof(entry_header)) damaged("an entry is cut off");
    const auto header = read<entry_header>(entries.data());
    if (header.header_nbytes < sizeof header || header.header_nbytes > entries.size() ||
        header.nbytes > entries.size() - header.header_nbytes) {
      damaged("an entry is cut off");
    }
    if (header.kind == kind_ptx && header.target <= static_cast<std::uint32_t>(capability) &&
        header.target > best_target) {
      if ((header.flags & (flag_lz4 | flag_zstd)) != 0) {
        throw image_error(code::not_supported,
                          "fat binary: PTX is compressed; build it with --compress-mode=none");
      }
      best_target = header.target;
      best = as_text(entries.subspan(header.header_nbytes, header.nbytes));
    }
    entries = entries.subspan(header.header_nbytes + header.nbytes);
  }
  if (best_target == 0) {
    throw image_error(
        code::no_kernel_image_for_device,
        "no PTX in the fat binary for compute capability " + std::to_string(capability));
  }
  return best;
}

}  // namespace

std::size_t fat_binary_size(const std::byte* data) {
  const auto header = read<binary_header>(data);
  if (header.magic != binary_magic || header.header_nbytes < sizeof header) damaged("no header");
  return header.header_nbytes + header.nbytes;
}

std::span<const std::byte> image_at(const void* data) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  const auto* const text = static_cast<const char*>(data);
  // Text may be shorter than a number: only what begins so is one.
  if (std::strncmp(text, "\xb1\x43\x62\x46", 4) == 0) {  // wrapper_magic
    return {bytes, 24};
  }
  if (std::strncmp(text, "\x50\xed\x55\xba", 4) == 0) {  // binary_magic
    return {bytes, fat_binary_size(bytes)};
  }
  return {bytes, std::strlen(text)};
}

std::string_view text_of(std::span<const std::byte> image, int compute_capability) {
  if (image.size() >= 24 && read<std::uint32_t>(image.data()) == wrapper_magic) {
    const auto* data = read<const std::byte*>(image.data() + 8);
    image = {data, fat_binary_size(data)};
  }
  if (image.size() >= sizeof(binary_header) && read<std::uint32_t>(image.data()) == binary_magic) {
    const std::size_t nbytes = fat_binary_size(image.data());
    if (nbytes > image.size()) damaged("it is cut off");
    const auto header = read<binary_header>(image.data());
    return best_of(image.first(nbytes).subspan(header.header_nbytes), compute_capability);
  }
  std::string_view text = as_text(image);
  if (text.starts_with(kept_ptx)) text.remove_prefix(kept_ptx.size());
  if (text.starts_with("\177ELF")) {
    throw image_error(code::no_kernel_image_for_device,
                      "the image holds machine code; the emulated device runs PTX alone");
  }
  if (text.find(".version") == std::string_view::npos) {
    throw image_error(code::invalid_kernel_image, "the image is neither a fat binary nor PTX");
  }
  return text;
}

}  // namespace skerry::emulation::ptx
