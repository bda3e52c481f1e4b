// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace skerry::emulation::ptx {

// What a fat binary has compressed, of which it says how many bytes it is. Each throws ImageError:
// 200 for what is damaged.

/// One block of LZ4, as nvcc's --compress-mode=speed writes it.
[[nodiscard]] std::string unpacked_lz4(std::span<const std::byte> packed, std::uint64_t nbytes);
/// A frame of Zstandard, which nvcc writes since CUDA 13 unless it is told otherwise: by the
/// system's libzstd. Throws 801 where there is none.
[[nodiscard]] std::string unpacked_zstd(std::span<const std::byte> packed, std::uint64_t nbytes);

}  // namespace skerry::emulation::ptx
