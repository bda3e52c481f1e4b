// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Compiled kernels on disk, shared between processes: in the folder SKERRY_KERNEL_CACHE, by default
// `skerry` in the user's cache folder. If the cache can't be used, kernels are compiled again.

namespace skerry::native {

/// Returns the image stored for a source text; empty if it is missing or damaged.
[[nodiscard]] std::string read_image(std::string_view text);
/// Stores an image atomically, and removes the oldest ones if the cache is too large.
void write_image(std::string_view text, std::string_view image) noexcept;
/// Returns a hash, not cryptographic, that names files and detects damaged ones.
[[nodiscard]] unsigned long hash_of(std::string_view bytes, unsigned long seed) noexcept;

}  // namespace skerry::native
