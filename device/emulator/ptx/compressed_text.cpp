// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/compressed_text.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "device/emulator/failure.hpp"

namespace skerry::emulation::ptx {
namespace {

/// Limits the allocation if the size is damaged. The PTX of the largest libraries has a hundredth
/// of this size.
constexpr std::uint64_t max_nbytes = std::uint64_t{1} << 31;

[[noreturn]] void damaged() {
  throw ImageError(code::invalid_kernel_image, "fat binary: compressed PTX is damaged");
}

/// Reads the sequences of an LZ4 block.
class Lz4Reader {
 public:
  explicit Lz4Reader(std::span<const std::byte> packed) : left_(packed) {}

  [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }
  [[nodiscard]] unsigned byte() {
    const auto value = std::to_integer<unsigned>(bytes(1).front());
    return value;
  }
  /// Reads a length whose first four bits are in the token; 15 means that more bytes follow.
  [[nodiscard]] std::size_t length(unsigned bits) {
    std::size_t sum = bits;
    if (bits != 15) return sum;
    for (unsigned more = 255; more == 255;) {
      more = byte();
      sum += more;
    }
    return sum;
  }
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t count) {
    if (count > left_.size()) damaged();
    const auto prefix = left_.first(count);
    left_ = left_.subspan(count);
    return prefix;
  }

 private:
  std::span<const std::byte> left_;
};

using zstd_decompress = std::size_t(void* destination, std::size_t capacity, const void* source,
                                    std::size_t nbytes);

/// Returns null if the system has no libzstd.
zstd_decompress* find_zstd() noexcept {
  static zstd_decompress* const decompress = []() -> zstd_decompress* {
    void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr
               ? nullptr
               : reinterpret_cast<zstd_decompress*>(dlsym(library, "ZSTD_decompress"));
  }();
  return decompress;
}

}  // namespace

std::string unpacked_lz4(std::span<const std::byte> packed, std::uint64_t nbytes) {
  constexpr std::size_t min_match = 4;
  if (nbytes > max_nbytes) damaged();
  std::string text;
  text.reserve(nbytes);
  for (Lz4Reader reader(packed); !reader.at_end();) {
    const unsigned token = reader.byte();
    const auto literals = reader.bytes(reader.length(token >> 4U));
    text.append(reinterpret_cast<const char*>(literals.data()), literals.size());
    if (text.size() > nbytes) damaged();
    if (reader.at_end()) break;  // the last sequence has no match
    const std::size_t low = reader.byte();
    const std::size_t back = low + (std::size_t{reader.byte()} << 8U);
    const std::size_t match = reader.length(token & 15U) + min_match;
    if (back == 0 || back > text.size() || match > nbytes - text.size()) damaged();
    // Byte by byte: a match may overlap the bytes that it appends.
    for (std::size_t k = 0; k < match; ++k) text.push_back(text[text.size() - back]);
  }
  if (text.size() != nbytes) damaged();
  return text;
}

std::string unpacked_zstd(std::span<const std::byte> packed, std::uint64_t nbytes) {
  if (nbytes > max_nbytes) damaged();
  zstd_decompress* const decompress = find_zstd();
  if (decompress == nullptr) {
    throw ImageError(code::not_supported,
                     "fat binary: PTX is compressed, and libzstd.so.1 can't be opened; install "
                     "it, or build with nvcc --compress-mode=speed or none");
  }
  std::string text(nbytes, '\0');
  if (decompress(text.data(), text.size(), packed.data(), packed.size()) != nbytes) damaged();
  return text;
}

}  // namespace skerry::emulation::ptx
