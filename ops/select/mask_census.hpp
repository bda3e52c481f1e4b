// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/select/kernels.hpp"

// What the native form of a count leaves in count_params::starts for the selection that follows:
// behind the number of all, that of the true elements before each chunk, and behind these a bit of
// each byte of the mask. Starts of blocks it does not set.

namespace skerry {

inline constexpr std::int64_t mask_chunk = 1 << 12;
[[nodiscard]] constexpr std::int64_t mask_chunks(std::int64_t size) {
  return (size + mask_chunk - 1) / mask_chunk;
}
/// How long count_params::starts is.
[[nodiscard]] constexpr std::int64_t count_words(std::int64_t size, bool may_be_native) {
  const std::int64_t of_chunks = mask_chunks(size) * (1 + mask_chunk / 64);
  return mask_blocks(size) + 1 + (may_be_native ? of_chunks : 0);
}

}  // namespace skerry
