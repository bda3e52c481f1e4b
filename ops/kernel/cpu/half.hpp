// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/drive.hpp"
#include "ops/kernel/cpu/vector.hpp"

// float16 in loops: a block of it becomes float32, for which the loops are, and what they give is
// rounded. GCC 12 makes no vectors of the conversion by itself.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Elements of a block: three of them as float32 leave most of the first cache free.
inline constexpr int64 half_block = 1024;

/// to[i] = from[i] for i < n, n at most half_block or memory that doesn't overlap.
SKERRY_INLINE void widen_halves(float32* to, const char* from, int64 n) {
  int64 i = 0;
  for (; i + half_lanes <= n; i += half_lanes) widen_lanes(to + i, from + i * 2);
  for (; i < n; ++i) to[i] = load<float16>(from + i * 2);
}
SKERRY_INLINE void narrow_halves(char* to, const float32* from, int64 n) {
  int64 i = 0;
  for (; i + half_lanes <= n; i += half_lanes) narrow_lanes(to + i * 2, from + i);
  for (; i < n; ++i) store(to + i * 2, float16(from[i]));
}

/// The loop of an operation over float16, by that over float32, whose results are of type R.
template <int Inputs, class R, loop_body Wide>
void half_body(char* const* data, unsigned single, int64 n) noexcept {
  alignas(64) float32 wide[Inputs][half_block];
  alignas(64) float32 results[half_block];
  constexpr bool is_half = ops::same_v<R, float32>;
  constexpr int64 size = is_half ? sizeof(float16) : sizeof(R);
  char* operands[Inputs + 1];
  for (int i = 0; i < Inputs; ++i) {
    operands[i + 1] = reinterpret_cast<char*>(wide[i]);
    if ((single >> (i + 1) & 1) != 0) wide[i][0] = load<float16>(data[i + 1]);
  }
  for (int64 begin = 0; begin < n; begin += half_block) {
    const int64 count = least(half_block, n - begin);
    for (int i = 0; i < Inputs; ++i) {
      if ((single >> (i + 1) & 1) == 0) widen_halves(wide[i], data[i + 1] + begin * 2, count);
    }
    operands[0] = is_half ? reinterpret_cast<char*>(results) : data[0] + begin * size;
    Wide(operands, single, count);
    if constexpr (is_half) narrow_halves(data[0] + begin * size, results, count);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
