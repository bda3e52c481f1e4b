// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/stream.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/move/kernels.hpp"

// Kernels that move items by size, regardless of dtype.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <int Size>
void copy_body(char* const* data, unsigned single, int64 n) noexcept {
  using U = item_t<Size>;
  if (single == 0) {
    copy_bytes(data[0], data[1], n * Size);
    return;
  }
  const U value = load<U>(data[1]);
  char* out = data[0];
  for (int64 i = 0; i < n; ++i) store(out + i * Size, value);
}

/// True if the two fastest axes have few items, as in a repetition of short rows.
template <int Size>
bool has_short_segments(const Plan& plan) {
  return plan.rank > 2 && plan.shape[0] * plan.shape[1] <= tuning::max_segment_items &&
         plan.shape[2] >= 2 * tuning::max_segment_items;
}

/// Copies short segments item by item along the third axis: a run per segment takes longer than its
/// items.
template <int Size>
void copy_short_segments(const Plan& plan) {
  const int64 block = tuning::segment_block_bytes / (Size * plan.shape[0] * plan.shape[1]);
  const int64 blocks = ceil_div(plan.shape[2], block);
  int64 units = blocks;
  for (int a = 3; a < plan.rank; ++a) units *= plan.shape[a];
  const int64 grain_size = maximum(1, tuning::parallel_from * Size / tuning::segment_block_bytes);
  cpu::parallel_for(units, grain_size, [&](int64 begin, int64 end) {
    for (int64 unit = begin; unit < end; ++unit) {
      const int64 first = unit % blocks * block;
      const int64 n = minimum(block, plan.shape[2] - first);
      char* data[2];
      for (int i = 0; i < 2; ++i) {
        data[i] = plan.base(i) + first * plan.strides[i][2];
        int64 rest = unit / blocks;
        for (int a = 3; a < plan.rank; rest /= plan.shape[a], ++a) {
          data[i] += rest % plan.shape[a] * plan.strides[i][a];
        }
      }
      for (int64 j = 0; j < plan.shape[1]; ++j) {
        for (int64 i = 0; i < plan.shape[0]; ++i) {
          copy_2d(
              {data[0] + i * plan.strides[0][0] + j * plan.strides[0][1], plan.strides[0][2], 0},
              {data[1] + i * plan.strides[1][0] + j * plan.strides[1][1], plan.strides[1][2], 0}, n,
              1, Size);
        }
      }
    }
  });
}

/// True for a few items that do not form runs. Strides that are powers of two, as in a large
/// matrix, map to the same cache sets; those are copied by tiles.
template <int Size>
bool is_small_matrix(const Plan& plan) {
  if (plan.rank != 2 || plan.size * Size > tuning::max_small_matrix_bytes) return false;
  return plan.size <= 4096 || plan.strides[1][0] % 512 != 0;
}

template <int Size>
void copy_small_matrix(const Plan& plan) {
  copy_2d({plan.base(0), plan.strides[0][0], plan.strides[0][1]},
          {plan.base(1), plan.strides[1][0], plan.strides[1][1]}, plan.shape[0], plan.shape[1],
          Size);
}

/// True for strided items in one row, which a tile would copy through its buffer, and for any row
/// that is repeated, as by tile(): a block of it is read from memory once.
template <int Size>
bool is_strided_row(const Plan& plan) {
  const bool is_repeated =
      plan.rank == 2 && plan.strides[1][1] == 0 && plan.shape[0] >= plan.shape[1];
  return (plan.rank == 1 || is_repeated) && !plan.contiguous && plan.strides[1][0] != 0 &&
         plan.size * Size < tuning::min_streamed_bytes;
}

template <int Size>
void copy_strided_row(const Plan& plan) {
  const int64 output_stride = plan.strides[0][0];
  const int64 input_stride = plan.strides[1][0];
  const int64 rows = plan.rank == 2 ? plan.shape[1] : 1;
  const int64 row = plan.rank == 2 ? plan.strides[0][1] : 0;
  const int64 block = rows > 1 ? tuning::segment_block_bytes / Size : plan.size;
  cpu::parallel_for(plan.shape[0], ceil_div(tuning::parallel_from, rows),
                    [&](int64 begin, int64 end) {
                      for (int64 i = begin; i < end; i += block) {
                        copy_2d({plan.base(0) + i * output_stride, output_stride, row},
                                {plan.base(1) + i * input_stride, input_stride, 0},
                                minimum(block, end - i), rows, Size);
                      }
                    });
}

/// True for stacks of small matrices with contiguous rows, such as repeated rows.
template <int Size>
bool is_small_stack(const Plan& plan) {
  return plan.rank == 3 && plan.shape[0] * plan.shape[1] < tuning::parallel_from &&
         plan.size * Size < tuning::min_streamed_bytes && plan.strides[0][0] == Size &&
         plan.strides[1][0] == Size;
}

template <int Size>
void copy_small_stack(const Plan& plan) {
  const int64 grain_size = ceil_div(tuning::parallel_from, plan.shape[0] * plan.shape[1]);
  cpu::parallel_for(plan.shape[2], grain_size, [&](int64 begin, int64 end) {
    for (int64 k = begin; k < end; ++k) {
      copy_2d({plan.base(0) + k * plan.strides[0][2], Size, plan.strides[0][1]},
              {plan.base(1) + k * plan.strides[1][2], Size, plan.strides[1][1]}, plan.shape[0],
              plan.shape[1], Size);
    }
  });
}

/// True for items that are each repeated contiguously, as by repeat().
template <int Size>
bool is_repetition(const Plan& plan) {
  return plan.rank == 2 && plan.strides[1][0] == 0 && plan.strides[0][0] == Size &&
         plan.strides[0][1] == plan.shape[0] * Size && plan.shape[0] * Size <= 256 &&
         plan.size * Size < tuning::min_streamed_bytes;
}

template <int Size>
void copy_repetition(const Plan& plan) {
  const int64 row = plan.strides[0][1];
  const int64 input_stride = plan.strides[1][1];
  const int64 n = plan.shape[0];
  cpu::parallel_for(plan.shape[1], ceil_div(tuning::parallel_from, n), [&](int64 begin, int64 end) {
    copy_2d({plan.base(0) + begin * row, Size, row},
            {plan.base(1) + begin * input_stride, 0, input_stride}, n, end - begin, Size);
  });
}

template <int Size, bool IsLarge>
constexpr Loop copy_loop{copy_body<Size>, 0b101u, 1, IsLarge};

/// True if each element is read once, and source and destination have the same offset within a
/// cache line. Such copies use streaming stores from a smaller size on: others reread elements from
/// the caches, or need copy_bytes() to realign them.
inline bool has_like_lines(const Plan& plan) {
  const auto ahead =
      reinterpret_cast<unsigned long>(plan.base(0)) - reinterpret_cast<unsigned long>(plan.base(1));
  bool is_read_once = plan.rank > 0;
  for (int axis = 0; axis < plan.rank; ++axis) is_read_once &= plan.strides[1][axis] != 0;
  return is_read_once && ahead % 64 == 0;
}

template <int Size>
void run_copy(const Plan& plan) {
  if (is_repetition<Size>(plan)) return copy_repetition<Size>(plan);
  if (is_strided_row<Size>(plan)) return copy_strided_row<Size>(plan);
  if (is_small_matrix<Size>(plan)) return copy_small_matrix<Size>(plan);
  if (has_short_segments<Size>(plan)) return copy_short_segments<Size>(plan);
  if (is_small_stack<Size>(plan)) return copy_small_stack<Size>(plan);
  const int64 bound =
      has_like_lines(plan) ? tuning::min_streamed_copy_bytes : tuning::min_streamed_bytes;
  const bool is_large = plan.size * Size >= bound;
  run(plan, is_large ? copy_loop<Size, true> : copy_loop<Size, false>);
}

/// Selects by a mask: vectorizes at every ISA level, without branches on a random condition.
template <class U>
SKERRY_INLINE U select(unsigned char condition, U a, U b) {
  if constexpr (sizeof(U) == 16) {
    const uint64 mask = -static_cast<uint64>(condition != 0);
    const U both = {mask, mask};
    return (a & both) | (b & ~both);
  } else {
    return condition != 0 ? a : b;
  }
}

template <int... I>
SKERRY_INLINE lanes_of<uint64> bytes_of_lanes(std::integer_sequence<int, I...>) {
  return lanes_of<uint64>{(uint64{0xff} << (I / 2 * 8))...};
}

/// Selects 16-byte items a vector at a time: each lane tests its condition's byte in a word.
/// Returns the number of items done.
template <bool LeftSingle, bool RightSingle>
SKERRY_INLINE int64 where_pairs(char* const* data, int64 n) {
  using lanes = lanes_of<uint64>;
  constexpr int64 items = vector_bytes / 16;
  const auto repeated = [](const char* x) {
    item_t<16> all[items];
    for (auto& item : all) item = load<item_t<16>>(x);
    return load_vector<lanes>(reinterpret_cast<const char*>(all));
  };
  const lanes left = LeftSingle ? repeated(data[2]) : lanes{};
  const lanes right = RightSingle ? repeated(data[3]) : lanes{};
  const lanes byte_masks = bytes_of_lanes(std::make_integer_sequence<int, int(2 * items)>{});
  int64 i = 0;
  for (; i + items <= n; i += items) {
    uint64 word = 0;
    __builtin_memcpy(&word, data[1] + i, items);
    const lanes a = LeftSingle ? left : load_vector<lanes>(data[2] + i * 16);
    const lanes b = RightSingle ? right : load_vector<lanes>(data[3] + i * 16);
    store_vector(data[0] + i * 16, ((lanes{} + word) & byte_masks) != 0 ? a : b);
  }
  return i;
}

template <int Size, bool LeftSingle, bool RightSingle>
SKERRY_INLINE void where_loop(char* const* data, int64 n) {
  using U = item_t<Size>;
  char* out = data[0];
  const char* condition = data[1];
  const char* x1 = data[2];
  const char* x2 = data[3];
  const U left = load<U>(x1);
  const U right = load<U>(x2);
  int64 begin = 0;
  if constexpr (Size == 16) begin = where_pairs<LeftSingle, RightSingle>(data, n);
  SKERRY_IVDEP
  for (int64 i = begin; i < n; ++i) {
    const U a = LeftSingle ? left : load<U>(x1 + i * Size);
    const U b = RightSingle ? right : load<U>(x2 + i * Size);
    store(out + i * Size, select<U>(load<unsigned char>(condition + i), a, b));
  }
}

template <int Size>
void where_body(char* const* data, unsigned single, int64 n) noexcept {
  switch (single) {
    case 1u << 2:
      return where_loop<Size, true, false>(data, n);
    case 1u << 3:
      return where_loop<Size, false, true>(data, n);
    case both_single:
      return where_loop<Size, true, true>(data, n);
    default:
      return where_loop<Size, false, false>(data, n);
  }
}

template <int Size>
void strided_where(char* const* data, const int64* steps, int64 n) noexcept {
  using U = item_t<Size>;
  char* const out = data[0];
  const char* const in[] = {data[1], data[2], data[3]};
  const int64 step[] = {steps[1], steps[2], steps[3]};
  const int64 to_step = steps[0];
  for (int64 i = 0; i < n; ++i) {
    const auto condition = load<unsigned char>(in[0] + i * step[0]);
    const U a = load<U>(in[1] + i * step[1]);
    const U b = load<U>(in[2] + i * step[2]);
    store(out + i * to_step, select<U>(condition, a, b));
  }
}

template <int Size>
constexpr Loop where_of_size{.body = where_body<Size>,
                             .accepts = 1u | 1u << (1u << 2) | 1u << (1u << 3) | 1u << both_single,
                             .cost = 1,
                             .strided = Size == 16 ? strided_where<Size> : nullptr};

/// Interleaves items [begin, end) of `Count` runs, which are few enough for one vectorized loop.
template <int Size, int Count>
SKERRY_INLINE void interleave_few(const InterleaveParams& p, int64 begin, int64 end) {
  using U = item_t<Size>;
  const char* parts[Count];
  for (int k = 0; k < Count; ++k) parts[k] = p.parts[k];
  char* const out = p.output;
  SKERRY_IVDEP
  for (int64 i = begin; i < end; ++i) {
    SKERRY_UNROLL(4)
    for (int k = 0; k < Count; ++k) {
      store(out + (i * Count + k) * Size, load<U>(parts[k] + i * Size));
    }
  }
}

/// Interleaves `count` runs; more than four go through a buffer, so that each line of a large
/// result is written once.
template <int Size>
void run_interleave(const InterleaveParams& p) {
  using U = item_t<Size>;
  const int64 step = p.count * Size;
  const int64 block_items = 16384 / step;
  const auto chunk = [&](int64 begin, int64 end) {
    if (p.count == 2) return interleave_few<Size, 2>(p, begin, end);
    if (p.count == 3) return interleave_few<Size, 3>(p, begin, end);
    if (p.count == 4) return interleave_few<Size, 4>(p, begin, end);
    alignas(64) char buffer[16384];
    for (int64 i = begin; i < end; i += block_items) {
      const int64 n = minimum(block_items, end - i);
      for (int64 k = 0; k < p.count; ++k) {
        const char* source = p.parts[k] + i * Size;
        char* destination = buffer + k * Size;
        for (int64 j = 0; j < n; ++j) store(destination + j * step, load<U>(source + j * Size));
      }
      __builtin_memcpy(p.output + i * step, buffer, static_cast<unsigned long>(n * step));
    }
  };
  cpu::parallel_for(p.size, tuning::interleaved_grain_size, chunk);
}

/// Writes bytes [begin, end) of the output.
void rotate_range(const RotateParams& p, int64 begin, int64 end) {
  const bool is_large = p.rows * p.row_bytes >= tuning::min_streamed_bytes;
  StreamedLines lines;
  int64 row = begin / p.row_bytes;
  int64 row_offset = begin - row * p.row_bytes;
  for (char* destination = p.output + begin; destination < p.output + end;) {
    const char* const source_row = p.input + row * p.row_bytes;
    const bool is_wrapped = row_offset < p.shift_bytes;
    const int64 run_bytes = minimum((is_wrapped ? p.shift_bytes : p.row_bytes) - row_offset,
                                    p.output + end - destination);
    const int64 moved = is_wrapped ? p.row_bytes - p.shift_bytes : -p.shift_bytes;
    if (is_large) {
      lines.put(destination, source_row + row_offset + moved, run_bytes);
    } else {
      copy_bytes(destination, source_row + row_offset + moved, run_bytes);
    }
    destination += run_bytes;
    row_offset += run_bytes;
    if (row_offset == p.row_bytes) {
      row_offset = 0;
      ++row;
    }
  }
  lines.flush();
  fence_stores();
}

void run_rotate(const RotateParams& p) {
  const int64 chunk_bytes = tuning::rotated_chunk_bytes;
  const int64 nbytes = p.rows * p.row_bytes;
  cpu::parallel_for(ceil_div(nbytes, chunk_bytes), 4, [&](int64 begin, int64 end) {
    rotate_range(p, begin * chunk_bytes, minimum(end * chunk_bytes, nbytes));
  });
}

void band_rows(const BandParams& p, int64 begin, int64 end) {
  for (int64 i = begin; i < end; ++i) {
    // Columns [first_true, past) are true; the bounds may be any int64.
    const int64 first_true = p.lower > -i ? (p.lower > p.columns - i ? p.columns : p.lower + i) : 0;
    int64 past = p.upper < -i ? 0 : (p.upper >= p.columns - i ? p.columns : p.upper + i + 1);
    past = maximum(past, first_true);
    char* row = p.output + i * p.columns;
    __builtin_memset(row, 0, static_cast<unsigned long>(first_true));
    __builtin_memset(row + first_true, 1, static_cast<unsigned long>(past - first_true));
    __builtin_memset(row + past, 0, static_cast<unsigned long>(p.columns - past));
  }
}

void run_band(const BandParams& p) {
  if (p.columns == 0) return;
  const int64 grain_size = maximum(65536 / p.columns, 1);
  if (p.rows <= grain_size) return band_rows(p, 0, p.rows);
  cpu::parallel_for(p.rows, grain_size, [&](int64 begin, int64 end) { band_rows(p, begin, end); });
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
