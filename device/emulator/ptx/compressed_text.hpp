// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace skerry::emulation::ptx {

// Decompression of entries of fat binaries, to a known size. Each function throws ImageError(200)
// for damaged data.

/// Decompresses an LZ4 block, as written by nvcc --compress-mode=speed.
[[nodiscard]] std::string unpacked_lz4(std::span<const std::byte> packed, std::uint64_t nbytes);
/// Decompresses a Zstandard frame, the default of nvcc since CUDA 13, with the system's libzstd.
/// Throws ImageError(801) if there is no libzstd.
[[nodiscard]] std::string unpacked_zstd(std::span<const std::byte> packed, std::uint64_t nbytes);

}  // namespace skerry::emulation::ptx
