// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/select/kernels.hpp"

// Selection by a mask. Masks are read 32 bytes at a time into 32 bits. For a random mask branches
// are unpredictable, so groups of items are compacted in a vector, which is stored whole; the next
// store begins after its true items. Stores therefore reach past the selected items; near the end
// of a block, where another thread's output may begin, items are stored one by one.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

constexpr int64 group = 32;

SKERRY_INLINE uint32 mask_bits(const char* mask, int64 n) {
  if (n >= group) return bytes_unequal_zero(mask);
  uint32 bits = 0;
  for (int64 i = 0; i < n; ++i) bits |= uint32{mask[i] != 0} << i;
  return bits;
}

SKERRY_INLINE int64 count_true(const char* mask, int64 n) {
  int64 count = 0;
  for (int64 i = 0; i < n; i += group) count += __builtin_popcount(mask_bits(mask + i, n - i));
  return count;
}

/// Stores those of 8 items whose bit in `byte` is set; writes up to 8 items of garbage after them.
template <int Size>
SKERRY_INLINE void store_selected(char* destination, const char* source, uint32 byte) {
  if constexpr (packs_8_items<Size>) {
    pack_8_items<Size>(destination, source, byte);
  } else {
    using U = item_t<Size>;
    for (int64 i = 0; i < 8; ++i, byte >>= 1) {
      store(destination, load<U>(source + i * Size));
      destination += int64{byte & 1} * Size;
    }
  }
}

/// Visits the true elements of the mask in [begin, end): calls `whole(bits, i, index)` while there
/// is room for 32 items at `index`, then `one(i, index)` for each.
template <class Whole, class One>
SKERRY_INLINE void visit_mask(const char* mask, int64 begin, int64 end, int64 index, int64 last,
                              Whole&& whole, One&& one) {
  for (int64 i = begin; i < end && index < last; i += group) {
    uint32 bits = mask_bits(mask + i, end - i);
    if (last - index >= group && end - i >= group) {
      whole(bits, i, index);
      index += __builtin_popcount(bits);
      continue;
    }
    for (; bits != 0; bits &= bits - 1) one(i + __builtin_ctz(bits), index++);
  }
}

/// Calls `body(begin, end, first, last)` for each block with true elements: the range of the block,
/// and the output indices of its true elements.
template <class Body>
void for_each_block(int64 size, const int64* starts, Body&& body) {
  cpu::parallel_for(mask_blocks(size), 2, [&](int64 begin_block, int64 end_block) {
    for (int64 block = begin_block; block < end_block; ++block) {
      if (starts[block] == starts[block + 1]) continue;
      body(block * mask_block, minimum((block + 1) * mask_block, size), starts[block],
           starts[block + 1]);
    }
  });
}

void run_count(const CountParams& p) {
  const int64 blocks = mask_blocks(p.size);
  cpu::parallel_for(blocks, 2, [&](int64 begin_block, int64 end_block) {
    for (int64 block = begin_block; block < end_block; ++block) {
      const int64 begin = block * mask_block;
      p.starts[block + 1] = count_true(p.mask + begin, minimum(mask_block, p.size - begin));
    }
  });
  p.starts[0] = 0;
  for (int64 block = 0; block < blocks; ++block) p.starts[block + 1] += p.starts[block];
}

template <int Size>
void run_compress(const CompressParams& p) {
  constexpr int64 size = Size;
  const auto whole = [&](uint32 bits, int64 i, int64 index) {
    char* destination = p.output + index * size;
    const char* source = p.input + i * size;
    // Offsets from popcounts, so that no store depends on the previous one.
    store_selected<Size>(destination, source, bits & 255);
    store_selected<Size>(destination + __builtin_popcount(bits & 0xFF) * size, source + 8 * size,
                         bits >> 8 & 255);
    store_selected<Size>(destination + __builtin_popcount(bits & 0xFFFF) * size, source + 16 * size,
                         bits >> 16 & 255);
    store_selected<Size>(destination + __builtin_popcount(bits & 0xFFFFFF) * size,
                         source + 24 * size, bits >> 24);
  };
  const auto one = [&](int64 i, int64 index) {
    __builtin_memcpy(p.output + index * Size, p.input + i * Size, Size);
  };
  for_each_block(p.size, p.starts, [&](int64 begin, int64 end, int64 first, int64 last) {
    visit_mask(p.mask, begin, end, first, last, whole, one);
  });
}

/// Writes the positions of the true elements in mask[begin, end), relative to `origin`.
SKERRY_INLINE void write_positions(const char* mask, int64 begin, int64 end, int64 origin,
                                   int64* destination, int64 first, int64 last) {
  visit_mask(
      mask, begin, end, first, last,
      [&](uint32 bits, int64 i, int64 index) {
        int64* target = destination + index;
        store_numbers_of_lanes(target, bits & 255, i - origin);
        store_numbers_of_lanes(target + __builtin_popcount(bits & 0xFF), bits >> 8 & 255,
                               i + 8 - origin);
        store_numbers_of_lanes(target + __builtin_popcount(bits & 0xFFFF), bits >> 16 & 255,
                               i + 16 - origin);
        store_numbers_of_lanes(target + __builtin_popcount(bits & 0xFFFFFF), bits >> 24,
                               i + 24 - origin);
      },
      [&](int64 i, int64 index) { destination[index] = i - origin; });
}

/// Writes the coordinates of the true elements in [begin, end), row by row: within a row only the
/// last coordinate changes.
void write_coordinates(const NonzeroParams& p, int64 begin, int64 end, int64 first, int64 last) {
  const int axis = p.rank - 1;
  const int64 columns = p.shape[axis];
  int64* const fastest = p.output + axis * p.count;
  int64 index = first;
  for (int64 row = begin / columns; index < last && row * columns < end; ++row) {
    const int64 row_begin = maximum(row * columns, begin);
    const int64 row_end = minimum((row + 1) * columns, end);
    const int64 count = count_true(p.mask + row_begin, row_end - row_begin);
    if (count == 0) continue;
    write_positions(p.mask, row_begin, row_end, row * columns, fastest, index, index + count);
    int64 rest = row;
    for (int other = axis - 1; other >= 0; --other) {
      const int64 coordinate = rest % p.shape[other];
      rest /= p.shape[other];
      int64* column = p.output + other * p.count;
      for (int64 i = index; i < index + count; ++i) column[i] = coordinate;
    }
    index += count;
  }
}

void run_nonzero(const NonzeroParams& p) {
  for_each_block(p.size, p.starts, [&](int64 begin, int64 end, int64 first, int64 last) {
    if (p.rank == 1) {
      write_positions(p.mask, begin, end, 0, p.output, first, last);
    } else {
      write_coordinates(p, begin, end, first, last);
    }
  });
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
