// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace skerry::emulation::ptx {

/// The size of the fat binary that begins at `data`, its header included; throws image_error(200).
[[nodiscard]] std::size_t fat_binary_size(const std::byte* data);

/// The PTX text in an image that a device of this capability would compile: see module::load.
[[nodiscard]] std::string_view text_of(std::span<const std::byte> image, int compute_capability);

}  // namespace skerry::emulation::ptx
