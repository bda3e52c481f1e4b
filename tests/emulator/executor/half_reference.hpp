// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace skerry::emulation {

enum class Rounding { nearest, toward_zero, downward, upward };

/// A floating-point format of 16 or 8 bits according to IEEE 754. Rounds by search among all
/// numbers of the format, independently of the tested arithmetic.
class SmallFormat {
 public:
  /// `largest`: bits of the largest finite number. Larger bit patterns are infinity and NaN.
  constexpr SmallFormat(int exponent_bits, int fraction_bits, std::uint32_t largest)
      : exponent_bits_(exponent_bits), fraction_bits_(fraction_bits), largest_(largest) {}

  [[nodiscard]] std::uint32_t sign_bit() const { return 1U << (exponent_bits_ + fraction_bits_); }
  [[nodiscard]] std::uint32_t largest() const { return largest_; }

  [[nodiscard]] double value_of(std::uint32_t bits) const {
    const double sign = (bits & sign_bit()) != 0 ? -1 : 1;
    const std::uint32_t magnitude = bits & (sign_bit() - 1);
    if (magnitude > largest_) {
      // In formats without infinities, the pattern after the largest number is NaN, too.
      const bool is_infinite =
          magnitude == largest_ + 1 && (largest_ + 1) % (1U << fraction_bits_) == 0;
      return is_infinite ? sign * HUGE_VAL : std::nan("");
    }
    return sign * finite(magnitude);
  }

  /// Rounds x. For overflow, infinity counts as the next power of two, as if exponents were
  /// unbounded.
  [[nodiscard]] std::uint32_t rounded(long double x, Rounding rounding) const {
    const std::uint32_t sign = std::signbit(x) ? sign_bit() : 0;
    const long double magnitude = std::fabs(x);
    if (std::isinf(x)) return sign | (largest_ + 1);
    std::uint32_t low = 0;
    // Finds the largest number <= magnitude by bisection of the bits, which have the same order.
    for (std::uint32_t step = sign_bit(); step != 0; step /= 2) {
      if (low + step <= largest_ + 1 && finite(low + step) <= magnitude) low += step;
    }
    if (low > largest_) return round_overflow(sign, rounding);
    const long double below = magnitude - finite(low);
    if (below == 0) return sign | low;
    const long double above = finite(low + 1) - magnitude;
    bool takes_high = false;
    if (rounding == Rounding::nearest) {
      takes_high = above < below || (above == below && low % 2 == 1);
    } else if (rounding != Rounding::toward_zero) {
      takes_high = (rounding == Rounding::upward) == (sign == 0);
    }
    return sign | (takes_high ? low + 1 : low);
  }

 private:
  [[nodiscard]] double finite(std::uint32_t magnitude) const {
    const int bias = (1 << (exponent_bits_ - 1)) - 1;
    const int exponent = static_cast<int>(magnitude >> fraction_bits_);
    const std::uint32_t fraction = magnitude & ((1U << fraction_bits_) - 1);
    const std::uint32_t whole = exponent == 0 ? fraction : fraction + (1U << fraction_bits_);
    return std::ldexp(whole, std::max(exponent, 1) - bias - fraction_bits_);
  }
  [[nodiscard]] std::uint32_t round_overflow(std::uint32_t sign, Rounding rounding) const {
    const bool is_outward = rounding == Rounding::nearest ||
                            (rounding == Rounding::upward && sign == 0) ||
                            (rounding == Rounding::downward && sign != 0);
    return sign | (is_outward ? largest_ + 1 : largest_);
  }

  int exponent_bits_;
  int fraction_bits_;
  std::uint32_t largest_;
};

inline constexpr SmallFormat float16(5, 10, 0x7bff);
inline constexpr SmallFormat bfloat16(8, 7, 0x7f7f);

/// Returns all 16-bit patterns.
[[nodiscard]] inline std::vector<std::uint16_t> every_half() {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint16_t>(k);
  return all;
}

}  // namespace skerry::emulation
