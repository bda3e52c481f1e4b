// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace skerry {

// Checked arithmetic for shapes, strides, offsets and byte counts from users. An empty result means
// int64 overflow; callers turn it into an error that names their argument.

[[nodiscard]] constexpr std::optional<std::int64_t> checked_add(std::int64_t a,
                                                                std::int64_t b) noexcept {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

[[nodiscard]] constexpr std::optional<std::int64_t> checked_subtract(std::int64_t a,
                                                                     std::int64_t b) noexcept {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

[[nodiscard]] constexpr std::optional<std::int64_t> checked_multiply(std::int64_t a,
                                                                     std::int64_t b) noexcept {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace skerry
