// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/half.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/reduce/cpu/loops.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// The loops of a reduction over the stored-only dtype T, built on those over float32. Elements are
/// widened a few rows at a time, and results in T are rounded when they are stored. Accumulators
/// are float32.
template <class Op, class T, class Wide>
struct HalfLoops {
  using result = ops::reduced_t<Op, T>;
  static constexpr int64 size = Wide::size;
  static constexpr int64 result_size = sizeof(result);
  static constexpr int64 block_rows = Wide::block_rows;
  static constexpr int64 max_run_length = Wide::max_run_length;
  static constexpr bool splits_runs = Wide::splits_runs;
  static constexpr bool takes_strided_rows = false;
  static constexpr int absorbing = Wide::absorbing;

  static constexpr auto clear = Wide::clear;
  static constexpr auto merge = Wide::merge;

  static void finish(char* out, int64 step, const char* acc, int64 n,
                     const ops::Reduced& reduced) noexcept {
    write(out, step, n, [&](char* destination, int64 result_step) {
      Wide::finish(destination, result_step, acc, n, reduced);
    });
  }

  static void columns(char* acc, const ElementRows& block) noexcept {
    alignas(64) float32 items[max_column_items];
    // Whole multiples of four: Wide combines four rows at a time.
    const int64 max_rows = maximum(max_column_items / maximum(block.n, 1) / 4 * 4, 1);
    for (int64 j = 0; j < block.rows; j += max_rows) {
      Wide::columns(acc, widened(items, block, j, minimum(max_rows, block.rows - j)));
    }
  }

  static void direct(char* out, int64 step, const ElementRows& block,
                     const ops::Reduced& reduced) noexcept {
    if (block.rows * block.n > max_column_items) {
      return finish_columns<HalfLoops>(out, step, block, reduced);
    }
    alignas(64) float32 items[max_column_items];
    const ElementRows wide = widened(items, block, 0, block.rows);
    write(out, step, block.n, [&](char* destination, int64 result_step) {
      Wide::direct(destination, result_step, wide, reduced);
    });
  }

  template <int Length>
  static void short_rows(char* out, const char* x, int64 n, const ops::Reduced& reduced) noexcept {
    if (n < 1) return;
    alignas(64) float32 items[Length * max_block_columns];
    widen_halves<T>(items, x, n * Length);
    write(out, result_size, n, [&](char* destination, int64) {
      Wide::template short_rows<Length>(destination, reinterpret_cast<const char*>(items), n,
                                        reduced);
    });
  }

  static void rows(char* acc, const ElementRows& block) noexcept {
    if (block.n > max_items) return long_rows(acc, block);
    alignas(64) float32 items[max_items];
    const int64 max_rows = max_items / maximum(block.n, 1);
    for (int64 j = 0; j < block.rows; j += max_rows) {
      ElementRows wide = widened(items, block, j, minimum(max_rows, block.rows - j));
      wide.first = block.first;  // each row has the same first index
      Wide::rows(acc + j * size, wide);
    }
  }

 private:
  static constexpr int64 max_items = tuning::half_reduced_block;  ///< widened at a time, within L1
  /// Columns are widened in blocks of L2 if accumulators are records: merging the accumulators of a
  /// few rows is expensive.
  static constexpr int64 max_column_items = size > int64(sizeof(float32))
                                                ? tuning::half_record_block
                                                : max_items;

  /// Widens rows j to j + rows of a block into `items`.
  static SKERRY_INLINE ElementRows widened(float32* items, const ElementRows& block, int64 j,
                                           int64 rows) {
    const char* x = block.x + j * block.row;
    const int64 n = block.n;
    if (block.row == n * int64(sizeof(T))) {
      widen_halves<T>(items, x, rows * n);
    } else {
      for (int64 k = 0; k < rows; ++k) widen_halves<T>(items + k * n, x + k * block.row, n);
    }
    ElementRows wide = block;
    wide.x = reinterpret_cast<const char*>(items);
    wide.row = n * int64(sizeof(float32));
    wide.step = sizeof(float32);
    wide.rows = rows;
    wide.overwrites = block.overwrites && j == 0;
    wide.first = block.first + j * block.per_row;
    wide.is_out_of_cache = false;
    return wide;
  }

  static void long_rows(char* acc, const ElementRows& block) noexcept {
    for (int64 j = 0; j < block.rows; ++j) {
      ElementRows chunk = block;
      chunk.x = block.x + j * block.row;
      chunk.rows = 1;
      char* const total = acc + j * size;
      for (int64 i = 0; i < block.n; i += max_items) {
        alignas(64) char partial[size];
        chunk.n = minimum(max_items, block.n - i);
        chunk.first = block.first + i;
        rows(i == 0 ? total : partial, chunk);
        if (i > 0) merge(total, partial, 1);
        chunk.x += max_items * int64(sizeof(T));
      }
    }
  }

  /// `put(destination, step)` writes n results.
  template <class Put>
  static SKERRY_INLINE void write(char* out, int64 step, int64 n, Put put) {
    if constexpr (!ops::same_v<result, T>) {
      put(out, step);
    } else {
      alignas(64) float32 results[max_block_columns];
      put(reinterpret_cast<char*>(results), int64(sizeof(float32)));
      if (step == result_size) {
        narrow_halves<T>(out, results, n);
      } else {
        for (int64 i = 0; i < n; ++i) store(out + i * step, T(results[i]));
      }
    }
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
