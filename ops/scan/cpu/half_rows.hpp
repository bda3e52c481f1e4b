// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/half.hpp"
#include "ops/scan/cpu/rows.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// The loops of a scan of the stored-only dtype T, built on those of float32. A block is widened,
/// scanned in place, and rounded when stored. Carries are not rounded.
template <class Op, class T>
struct HalfScanLoops {
  using wide_loops = ScanLoops<Op, float32>;
  static constexpr int64 size = sizeof(T);

  static void run(const ScanBlock& block, const char* carries, char* totals) noexcept {
    alignas(64) float32 wide[run_block];
    widen_halves<T>(wide, block.x, block.rows);
    wide_loops::run(widened(block, wide, sizeof(float32)), carries, totals);
    if (block.out != nullptr) narrow_halves<T>(block.out, wide, block.rows);
  }

  static void columns(const ScanBlock& block, const char* carries, char* totals) noexcept {
    alignas(64) float32 wide[column_block * max_strip_width];
    widen_lines(wide, block.x, block.row, block.rows, block.n);
    wide_loops::columns(widened(block, wide, block.n * int64(sizeof(float32))), carries, totals);
    if (block.out != nullptr) narrow_lines(block.out, block.out_row, wide, block.rows, block.n);
  }

  static void short_runs(const ScanBlock& block) noexcept {
    alignas(64) float32 wide[run_block];
    const int64 max_runs = run_block / block.rows;
    for (int64 j = 0; j < block.n; j += max_runs) {
      ScanBlock some = widened(block, wide, block.rows * int64(sizeof(float32)));
      some.n = minimum(max_runs, block.n - j);
      widen_lines(wide, block.x + j * block.row, block.row, some.n, block.rows);
      wide_loops::short_runs(some);
      narrow_lines(block.out + j * block.out_row, block.out_row, wide, some.n, block.rows);
    }
  }

  static void initial(char* out) noexcept {
    store(out, T(Op::reduction::template identity<float32>()));
  }

  static void scan(const ScanParams& params) {
    run_scan(params, {size, size, sizeof(typename wide_loops::carry), wide_loops::clear,
                      wide_loops::merge, run, columns, short_runs, initial});
  }

 private:
  /// Returns the same block in `wide`, which the results overwrite.
  static SKERRY_INLINE ScanBlock widened(const ScanBlock& block, float32* wide, int64 row) {
    char* const wide_bytes = reinterpret_cast<char*>(wide);
    return {.out = block.out != nullptr ? wide_bytes : nullptr,
            .x = wide_bytes,
            .out_row = row,
            .row = row,
            .rows = block.rows,
            .n = block.n,
            .past_caches = false};
  }

  /// Widens lines of n elements, `step` bytes apart, to contiguous memory.
  static SKERRY_INLINE void widen_lines(float32* destination, const char* source, int64 step,
                                        int64 lines, int64 n) {
    if (step == n * size) return widen_halves<T>(destination, source, lines * n);
    for (int64 j = 0; j < lines; ++j) widen_halves<T>(destination + j * n, source + j * step, n);
  }
  static SKERRY_INLINE void narrow_lines(char* destination, int64 step, const float32* source,
                                         int64 lines, int64 n) {
    if (step == n * size) return narrow_halves<T>(destination, source, lines * n);
    for (int64 j = 0; j < lines; ++j) narrow_halves<T>(destination + j * step, source + j * n, n);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
