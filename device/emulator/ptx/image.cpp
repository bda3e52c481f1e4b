// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/module_source.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "device/emulator/ptx/compressed_text.hpp"

namespace skerry::emulation::ptx {
namespace {

// The format is undocumented. These parts have been the same since CUDA 4, and agree with the
// output of cuobjdump and fatbinary.
constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t binary_magic = 0xba55ed50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;

/// Prefix of PTX that the emulator's linkers return in place of machine code.
constexpr std::string_view ptx_magic = "SKERRYPTX1\n";

struct BinaryHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_nbytes;
  std::uint64_t nbytes;  // of all entries
};

struct EntryHeader {
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
/// Offset of the uncompressed size in the longer header of a compressed entry.
constexpr std::size_t whole_nbytes_offset = 56;

[[noreturn]] void damaged(const char* reason) {
  throw ImageError(code::invalid_kernel_image, std::string("fat binary: ") + reason);
}

template <class T>
[[nodiscard]] T read(const std::byte* source) noexcept {
  T value;
  std::memcpy(static_cast<void*>(&value), source, sizeof value);
  return value;
}

[[nodiscard]] std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

[[nodiscard]] std::string text_in(std::span<const std::byte> entry, const EntryHeader& header) {
  const auto stored = entry.subspan(header.header_nbytes, header.nbytes);
  if ((header.flags & (flag_lz4 | flag_zstd)) == 0) return std::string(as_text(stored));
  if (header.header_nbytes < whole_nbytes_offset + sizeof(std::uint64_t) ||
      header.compressed_nbytes > stored.size()) {
    damaged("an entry is truncated");
  }
  const auto packed = stored.first(header.compressed_nbytes);
  const auto nbytes = read<std::uint64_t>(entry.data() + whole_nbytes_offset);
  std::string text =
      (header.flags & flag_lz4) != 0 ? unpacked_lz4(packed, nbytes) : unpacked_zstd(packed, nbytes);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

[[nodiscard]] std::string best_of(std::span<const std::byte> entries, int capability) {
  std::span<const std::byte> best;
  std::uint32_t best_target = 0;
  while (!entries.empty()) {
    if (entries.size() < sizeof(EntryHeader)) damaged("an entry is truncated");
    const auto header = read<EntryHeader>(entries.data());
    if (header.header_nbytes < sizeof header || header.header_nbytes > entries.size() ||
        header.nbytes > entries.size() - header.header_nbytes) {
      damaged("an entry is truncated");
    }
    if (header.kind == kind_ptx && header.target <= static_cast<std::uint32_t>(capability) &&
        header.target > best_target) {
      best_target = header.target;
      best = entries;
    }
    entries = entries.subspan(header.header_nbytes + header.nbytes);
  }
  if (best_target == 0) {
    throw ImageError(
        code::no_kernel_image_for_device,
        "no PTX in the fat binary for compute capability " + std::to_string(capability));
  }
  return text_in(best, read<EntryHeader>(best.data()));
}

}  // namespace

std::size_t fat_binary_size(const std::byte* data) {
  const auto header = read<BinaryHeader>(data);
  if (header.magic != binary_magic || header.header_nbytes < sizeof header) damaged("no header");
  return header.header_nbytes + header.nbytes;
}

std::span<const std::byte> image_at(const void* data) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  const auto* const text = static_cast<const char*>(data);
  // Compares as strings: text may be shorter than the magic number.
  if (std::strncmp(text, "\xb1\x43\x62\x46", 4) == 0) {  // wrapper_magic
    return {bytes, 24};
  }
  if (std::strncmp(text, "\x50\xed\x55\xba", 4) == 0) {  // binary_magic
    return {bytes, fat_binary_size(bytes)};
  }
  return {bytes, std::strlen(text)};
}

std::string text_of(std::span<const std::byte> image, int compute_capability) {
  if (image.size() >= 24 && read<std::uint32_t>(image.data()) == wrapper_magic) {
    const auto* data = read<const std::byte*>(image.data() + 8);
    image = {data, fat_binary_size(data)};
  }
  if (image.size() >= sizeof(BinaryHeader) && read<std::uint32_t>(image.data()) == binary_magic) {
    const std::size_t nbytes = fat_binary_size(image.data());
    if (nbytes > image.size()) damaged("it is truncated");
    const auto header = read<BinaryHeader>(image.data());
    return best_of(image.first(nbytes).subspan(header.header_nbytes), compute_capability);
  }
  std::string_view text = as_text(image);
  if (text.starts_with(ptx_magic)) text.remove_prefix(ptx_magic.size());
  if (text.starts_with("\177ELF")) {
    throw ImageError(code::no_kernel_image_for_device,
                     "the image contains machine code; the emulated device runs only PTX");
  }
  if (text.find(".version") == std::string_view::npos) {
    throw ImageError(code::invalid_kernel_image, "the image is neither a fat binary nor PTX");
  }
  return std::string(text);
}

}  // namespace skerry::emulation::ptx
