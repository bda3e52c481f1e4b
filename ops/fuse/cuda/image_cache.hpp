// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Compiled kernels on disk, for other processes: in SKERRY_KERNEL_CACHE, by default in skerry in
// the user's cache folder. If anything is wrong with it, kernels are compiled instead.

namespace skerry::native {

/// Returns the image stored for a text; empty if there is none, or if it is damaged.
[[nodiscard]] std::string read_image(std::string_view text);
/// Stores an image atomically, and removes the oldest ones if all together are too large.
void write_image(std::string_view text, std::string_view image) noexcept;
/// A hash that names files and detects damaged ones; not cryptographic.
[[nodiscard]] unsigned long hash_of(std::string_view bytes, unsigned long seed) noexcept;

}  // namespace skerry::native
