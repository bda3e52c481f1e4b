// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/drive.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"

// Loops over stored-only dtypes widen a block to float32, run the loop of float32, and round its
// results. The conversions of float16 are written with vectors, since GCC 12 does not vectorize
// them, as it does the shifts of bfloat16.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Converts n elements to float32. The memory must not overlap; `destination` need not be aligned.
template <ops::stored_only T>
SKERRY_INLINE void widen_halves(float32* destination, const char* source, int64 n) {
  int64 i = 0;
  if constexpr (ops::same_v<T, float16>) {
    for (; i + half_lanes <= n; i += half_lanes) widen_lanes(destination + i, source + i * 2);
  }
  SKERRY_IVDEP
  for (int64 j = i; j < n; ++j)
    store<float32>(reinterpret_cast<char*>(destination + j), load<T>(source + j * 2));
}
template <ops::stored_only T>
SKERRY_INLINE void narrow_halves(char* destination, const float32* source, int64 n) {
  int64 i = 0;
  if constexpr (ops::same_v<T, float16>) {
    for (; i + half_lanes <= n; i += half_lanes) narrow_lanes(destination + i * 2, source + i);
  }
  SKERRY_IVDEP
  for (int64 j = i; j < n; ++j) store(destination + j * 2, T(source[j]));
}

/// Loop of Op over operands of the stored-only dtype T, which runs `Wide`, the loop over float32.
/// Rounds results that are float32 only because the operands were widened; stores others (bool)
/// unchanged.
template <class Op, loop_body Wide, ops::stored_only T, class... More>
void half_body(char* const* data, unsigned single, int64 n) noexcept {
  using R = ops::result_t<Op, T, More...>;
  constexpr bool is_rounded = !ops::same_v<R, ops::result_t<Op, float32, ops::computed_t<More>...>>;
  constexpr int input_count = 1 + sizeof...(More);
  constexpr int64 size = sizeof(R);
  alignas(64) float32 wide[input_count][tuning::half_block];
  alignas(64) float32 results[tuning::half_block];
  char* operands[input_count + 1];
  for (int i = 0; i < input_count; ++i) {
    operands[i + 1] = reinterpret_cast<char*>(wide[i]);
    if ((single >> (i + 1) & 1) != 0) wide[i][0] = load<T>(data[i + 1]);
  }
  for (int64 begin = 0; begin < n; begin += tuning::half_block) {
    const int64 count = minimum(tuning::half_block, n - begin);
    for (int i = 0; i < input_count; ++i) {
      if ((single >> (i + 1) & 1) == 0) widen_halves<T>(wide[i], data[i + 1] + begin * 2, count);
    }
    operands[0] = is_rounded ? reinterpret_cast<char*>(results) : data[0] + begin * size;
    Wide(operands, single, count);
    if constexpr (is_rounded) narrow_halves<T>(data[0] + begin * size, results, count);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
