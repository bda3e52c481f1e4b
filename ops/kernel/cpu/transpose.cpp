// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/kernel/cpu/vector.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Sixteen bytes as items of one size. At every x86-64 level, one instruction interleaves vectors
/// of this width; wider ones are interleaved only within 16-byte parts.
template <class U>
struct Lanes {
  typedef U type __attribute__((vector_size(16)));
  static constexpr int count = 16 / sizeof(U);
};

template <class U>
SKERRY_INLINE void interleave(typename Lanes<U>::type a, typename Lanes<U>::type b,
                              typename Lanes<U>::type& low, typename Lanes<U>::type& high) {
  if constexpr (sizeof(U) == 8) {
    low = __builtin_shufflevector(a, b, 0, 2);
    high = __builtin_shufflevector(a, b, 1, 3);
  } else if constexpr (sizeof(U) == 4) {
    low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  } else if constexpr (sizeof(U) == 2) {
    low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  } else {
    low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    high =
        __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/// Transposes a square block of 16-byte rows: log2(count) rounds, each of which interleaves row k
/// with row k + count / 2.
template <class U>
SKERRY_INLINE void transpose_block(char* out, int64 to_row, const char* source, int64 from_row) {
  using V = typename Lanes<U>::type;
  constexpr int count = Lanes<U>::count;
  V rows[count];
  V next[count];
  SKERRY_UNROLL(16)
  for (int i = 0; i < count; ++i) rows[i] = load<V>(source + i * from_row);
  SKERRY_UNROLL(4)
  for (int round = 1; round < count; round *= 2) {
    SKERRY_UNROLL(8)
    for (int i = 0; i < count / 2; ++i) {
      interleave<U>(rows[i], rows[i + count / 2], next[2 * i], next[2 * i + 1]);
    }
    SKERRY_UNROLL(16)
    for (int i = 0; i < count; ++i) rows[i] = next[i];
  }
  SKERRY_UNROLL(16)
  for (int i = 0; i < count; ++i) store(out + i * to_row, rows[i]);
}

#if defined(__AVX2__)
/// Transposes four rows of four 8-byte items: interleaves within 16-byte halves, then joins halves.
SKERRY_INLINE void transpose_four(char* out, int64 to_row, const char* source, int64 from_row) {
  typedef uint64 V __attribute__((vector_size(32)));
  V x[4];
  V low[2];
  V high[2];
  SKERRY_UNROLL(4)
  for (int64 i = 0; i < 4; ++i) x[i] = load<V>(source + i * from_row);
  SKERRY_UNROLL(2)
  for (int64 i = 0; i < 2; ++i) {
    low[i] = __builtin_shufflevector(x[2 * i], x[2 * i + 1], 0, 4, 2, 6);
    high[i] = __builtin_shufflevector(x[2 * i], x[2 * i + 1], 1, 5, 3, 7);
  }
  store(out, __builtin_shufflevector(low[0], low[1], 0, 1, 4, 5));
  store(out + to_row, __builtin_shufflevector(high[0], high[1], 0, 1, 4, 5));
  store(out + 2 * to_row, __builtin_shufflevector(low[0], low[1], 2, 3, 6, 7));
  store(out + 3 * to_row, __builtin_shufflevector(high[0], high[1], 2, 3, 6, 7));
}
#endif

/// Number of items along a side of a block.
template <class U>
inline constexpr int64 block_side =
#if defined(__AVX2__)
    sizeof(U) == 8 ? 4 :
#endif
                   16 / sizeof(U);

template <class U>
SKERRY_INLINE void transpose_square(char* out, int64 to_row, const char* source, int64 from_row) {
#if defined(__AVX2__)
  if constexpr (sizeof(U) == 8) return transpose_four(out, to_row, source, from_row);
#endif
  transpose_block<U>(out, to_row, source, from_row);
}

template <class U>
void copy_strided(const Strided2d& output, const Strided2d& input, int64 n, int64 rows) {
  for (int64 j = 0; j < rows; ++j) {
    char* target = output.base + j * output.row;
    const char* source = input.base + j * input.row;
    const int64 to_step = output.step;
    const int64 from_step = input.step;
    int64 i = 0;
    for (; i + 4 <= n; i += 4) {
      U items[4];
      SKERRY_UNROLL(4)
      for (int k = 0; k < 4; ++k) items[k] = load<U>(source + k * from_step);
      SKERRY_UNROLL(4)
      for (int k = 0; k < 4; ++k) store(target + k * to_step, items[k]);
      source += 4 * from_step;
      target += 4 * to_step;
    }
    for (; i < n; ++i, source += from_step, target += to_step) store(target, load<U>(source));
  }
}

/// Interleaves the items of `Count` runs; a loop with a constant count is vectorized.
template <class U, int Count>
void join_runs(char* out, const char* source, int64 step, int64 count) {
  constexpr int64 size = sizeof(U);
  SKERRY_IVDEP
  for (int64 i = 0; i < count; ++i) {
    SKERRY_UNROLL(4)
    for (int64 k = 0; k < Count; ++k) {
      store(out + (i * Count + k) * size, load<U>(source + k * step + i * size));
    }
  }
}

/// Transposes. Requires that output.step and input.row are the item size.
template <class U>
void transpose(const Strided2d& output, const Strided2d& input, int64 n, int64 rows) {
  constexpr int64 size = sizeof(U);
  constexpr int64 count = block_side<U>;
  if (output.row == n * size && rows > n) {
    if (n == 2) return join_runs<U, 2>(output.base, input.base, input.step, rows);
    if (n == 3) return join_runs<U, 3>(output.base, input.base, input.step, rows);
  }
  if constexpr (count == 1) return copy_strided<U>(output, input, n, rows);
  const int64 whole_n = n - n % count;
  const int64 whole_rows = rows - rows % count;
  if constexpr (count > 1) {
    // Writes `output` row by row: a core waits for a store that misses L1, but not for a load. The
    // strides are copied, since the compiler assumes that a store may alias `output` itself.
    const int64 to_row = output.row;
    const int64 from_step = input.step;
    for (int64 j = 0; j < whole_rows; j += count) {
      char* target = output.base + j * to_row;
      const char* source = input.base + j * size;
      for (int64 i = 0; i < whole_n; i += count) {
        transpose_square<U>(target, to_row, source, from_step);
        target += count * size;
        source += count * from_step;
      }
    }
  }
  const Strided2d low_to = {output.base + whole_rows * output.row, size, output.row};
  const Strided2d low_from = {input.base + whole_rows * size, input.step, size};
  copy_strided<U>(low_to, low_from, whole_n, rows - whole_rows);
  const Strided2d right_to = {output.base + whole_n * size, size, output.row};
  const Strided2d right_from = {input.base + whole_n * input.step, input.step, size};
  copy_strided<U>(right_to, right_from, n - whole_n, rows);
}

/// Repeats each item of a run; a loop with a constant number of times is vectorized.
template <class U, int Times>
void repeat_items(char* out, const char* source, int64 count) {
  constexpr int64 size = sizeof(U);
  SKERRY_IVDEP
  for (int64 i = 0; i < count; ++i) {
    const U value = load<U>(source + i * size);
    SKERRY_UNROLL(4)
    for (int k = 0; k < Times; ++k) store(out + (i * Times + k) * size, value);
  }
}

/// A vector of `Bytes` bytes that repeats an item of `Size` bytes.
template <int Size, int Bytes>
struct FilledVector {
  using lane = std::conditional_t<Size == 16, uint64, item_t<Size>>;
  typedef lane vector __attribute__((vector_size(Bytes)));

  static SKERRY_INLINE vector fill_lanes(const char* source) {
    vector all = load<lane>(source) - vector{};
    if constexpr (Size == 16) {
      const vector second = load<lane>(source + 8) - vector{};
      vector odd{};
      for (int i = 1; i < Bytes / 8; i += 2) odd[i] = ~lane{0};
      all = (all & ~odd) | (second & odd);
    }
    return all;
  }
};

/// Fills adjacent rows of n items with one value per row, by vectors of `Bytes`. A vector may write
/// past the end of a short row, which the next row overwrites; the last two vectors of a longer row
/// overlap.
template <class U, int Bytes>
void fill_by_vectors(char* out, const char* source, int64 step, int64 n, int64 rows) {
  using filled = FilledVector<sizeof(U), Bytes>;
  const int64 nbytes = n * int64(sizeof(U));
  const int64 whole = rows - (Bytes > nbytes ? ceil_div(Bytes - nbytes, nbytes) : 0);
  int64 j = 0;
  if (nbytes <= Bytes) {
    for (; j < whole; ++j) store(out + j * nbytes, filled::fill_lanes(source + j * step));
  } else {
    for (; j < whole; ++j) {
      const auto all = filled::fill_lanes(source + j * step);
      char* const row = out + j * nbytes;
      for (int64 byte = 0; byte < nbytes - Bytes; byte += Bytes) store(row + byte, all);
      store(row + nbytes - Bytes, all);
    }
  }
  for (; j < rows; ++j) {
    const U value = load<U>(source + j * step);
    for (int64 i = 0; i < n; ++i) store(out + j * nbytes + i * int64(sizeof(U)), value);
  }
}

template <class U>
void fill_rows(const Strided2d& output, const Strided2d& input, int64 n, int64 rows) {
  constexpr int64 size = sizeof(U);
  if (output.row == n * size && input.row == size && n * size < 16) {
    if (n == 2) return repeat_items<U, 2>(output.base, input.base, rows);
    if (n == 4) return repeat_items<U, 4>(output.base, input.base, rows);
  }
  if (output.row == n * size && rows > 1 && n * size <= 256) {
    const auto fill = n * size <= 16   ? fill_by_vectors<U, 16>
                      : n * size <= 32 ? fill_by_vectors<U, 32>
                                       : fill_by_vectors<U, 64>;
    return fill(output.base, input.base, input.row, n, rows);
  }
  for (int64 j = 0; j < rows; ++j) {
    const U value = load<U>(input.base + j * input.row);
    char* target = output.base + j * output.row;
    for (int64 i = 0; i < n; ++i) store(target + i * int64(sizeof(U)), value);
  }
}

/// Copies rows of ChunkBytes to 2 * ChunkBytes bytes, each as two chunks, which may overlap.
template <int ChunkBytes>
void copy_short_rows(const Strided2d& output, const Strided2d& input, int64 nbytes, int64 rows) {
  struct Chunk {
    char bytes[ChunkBytes];
  };
  const int64 last = nbytes - ChunkBytes;
  const int64 to_row = output.row;
  const int64 from_row = input.row;
  char* target = output.base;
  const char* source = input.base;
  for (int64 j = 0; j < rows; ++j, target += to_row, source += from_row) {
    const Chunk first = load<Chunk>(source);
    const Chunk second = load<Chunk>(source + last);
    store(target, first);
    if (last != 0) store(target + last, second);
  }
}

template <class U>
void copy_rows(const Strided2d& output, const Strided2d& input, int64 n, int64 rows) {
  const int64 nbytes = n * int64(sizeof(U));
  if (nbytes < 2) return store(output.base, load<U>(input.base));
  if (nbytes < 4) return copy_short_rows<2>(output, input, nbytes, rows);
  if (nbytes < 8) return copy_short_rows<4>(output, input, nbytes, rows);
  if (nbytes < 16) return copy_short_rows<8>(output, input, nbytes, rows);
  if (nbytes < 32) return copy_short_rows<16>(output, input, nbytes, rows);
  if (nbytes <= 64) return copy_short_rows<32>(output, input, nbytes, rows);
  for (int64 j = 0; j < rows; ++j) {
    copy_bytes(output.base + j * output.row, input.base + j * input.row, nbytes);
  }
}

/// Copies items at a constant step, as of x[::2] or x[::-1]: such a loop is vectorized.
template <class U, int Step>
void copy_fixed_step(const Strided2d& output, const Strided2d& input, int64 n, int64 rows) {
  constexpr int64 size = sizeof(U);
  for (int64 j = 0; j < rows; ++j) {
    char* target = output.base + j * output.row;
    const char* source = input.base + j * input.row;
    SKERRY_IVDEP
    for (int64 i = 0; i < n; ++i) store(target + i * size, load<U>(source + i * Step * size));
  }
}

template <class U>
void copy_items(const Strided2d& output, const Strided2d& input, int64 n, int64 rows) {
  constexpr int64 size = sizeof(U);
  if (rows > 1 && (n == 1 || (output.step != size && output.row == size))) {
    return copy_items<U>({output.base, output.row, output.step},
                         {input.base, input.row, input.step}, rows, n);
  }
  if (output.step == -size) {  // begin at the other end
    return copy_items<U>({output.base - (n - 1) * size, size, output.row},
                         {input.base + (n - 1) * input.step, -input.step, input.row}, n, rows);
  }
  if (output.step == size && input.step == size) return copy_rows<U>(output, input, n, rows);
  if (output.step == size && input.step == 0) return fill_rows<U>(output, input, n, rows);
  if (output.step == size && input.row == size && rows > 1)
    return transpose<U>(output, input, n, rows);
  if (n <= 8 && rows > 4 * n) {  // e.g. short reversed rows: loop along the other axis
    return copy_strided<U>({output.base, output.row, output.step},
                           {input.base, input.row, input.step}, rows, n);
  }
  if (output.step == size && input.step == -size)
    return copy_fixed_step<U, -1>(output, input, n, rows);
  if (output.step == size && input.step == 2 * size)
    return copy_fixed_step<U, 2>(output, input, n, rows);
  if (output.step == size && input.step == 3 * size)
    return copy_fixed_step<U, 3>(output, input, n, rows);
  if (output.step == size && input.step == 4 * size)
    return copy_fixed_step<U, 4>(output, input, n, rows);
  copy_strided<U>(output, input, n, rows);
}

}  // namespace

void copy_bytes(char* out, const char* source, int64 n) noexcept {
  struct Line {
    char bytes[64];
  };
  constexpr int64 size = sizeof(Line);
  const auto target = reinterpret_cast<uint64>(out);
  const uint64 ahead = (target - reinterpret_cast<uint64>(source)) % 4096;
  const bool is_close = ahead != 0 && ahead < 64;
  if (n >= 2048 && (is_close || target % size != 0)) {
    store(out, load<Line>(source));
    int64 i = size - static_cast<int64>(target % size);
    for (; i + 4 * size <= n; i += 4 * size) {
      Line lines[4];
      for (int64 k = 0; k < 4; ++k) lines[k] = load<Line>(source + i + k * size);
      for (int64 k = 0; k < 4; ++k) store(out + i + k * size, lines[k]);
    }
    out += i;
    source += i;
    n -= i;
  }
  __builtin_memcpy(out, source, static_cast<unsigned long>(n));
}

void copy_2d(const Strided2d& output, const Strided2d& input, int64 n, int64 rows,
             int64 itemsize) noexcept {
  switch (itemsize) {
    case 1:
      return copy_items<item_t<1>>(output, input, n, rows);
    case 2:
      return copy_items<item_t<2>>(output, input, n, rows);
    case 4:
      return copy_items<item_t<4>>(output, input, n, rows);
    case 8:
      return copy_items<item_t<8>>(output, input, n, rows);
    default:
      return copy_items<item_t<16>>(output, input, n, rows);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
