// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Compiled kernels on disk, for other processes: SKERRY_KERNEL_CACHE, else skerry in the user's
// folder of caches. Whatever is wrong with it, kernels are compiled instead.

namespace skerry::native {

/// What was stored for a text; empty where nothing was, or where it is damaged.
[[nodiscard]] std::string read_image(std::string_view text);
/// Files appear whole or not at all; the oldest go where all together are too large.
void write_image(std::string_view text, std::string_view image) noexcept;
/// Of some bytes: what names files and tells damaged ones, no secret.
[[nodiscard]] unsigned long hash_of(std::string_view bytes, unsigned long seed) noexcept;

}  // namespace skerry::native
