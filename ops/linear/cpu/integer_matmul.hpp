// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/linear/cpu/dot.hpp"
#include "ops/linear/matmul_kernels.hpp"

// Products of integer matrices, which BLAS lacks. The output is computed in tiles, for which blocks
// of both matrices are packed on the stack. So strides may be arbitrary, and no memory is
// allocated.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Type in which products are computed: x86 has no vector multiplication of bytes.
template <class U>
struct tile_item {
  using type = U;
};
template <>
struct tile_item<uint8> {
  using type = uint16;
};

template <class C>
struct tile_shape {
  static constexpr int rows = 64;
  static constexpr int columns = 64;
  static constexpr int depth = 1024 / sizeof(C);  // 64 KiB of each matrix: both stay in L2
  static constexpr int lanes = lane_count<C>;
};

template <class C>
struct Tile {
  using shape = tile_shape<C>;
  alignas(64) C a[shape::rows * shape::depth];     // by column, within panels of panel_rows rows
  alignas(64) C b[shape::depth * shape::columns];  // by row, within panels of a register's columns
  alignas(64) C sums[shape::rows * shape::columns];
};

/// Keeps panel_rows x panel_vectors vectors of the output in registers.
template <class C>
struct MicroKernel {
  using V = lanes_of<C>;
  static constexpr int lanes = tile_shape<C>::lanes;
  static constexpr int panel_rows = 4;
  static constexpr int panel_vectors = 2;
  static constexpr int panel_columns = panel_vectors * lanes;

  static void run(const C* a, const C* b, C* sums, int depth) {
    V acc[panel_rows][panel_vectors];
    for (int i = 0; i < panel_rows; ++i) {
      for (int j = 0; j < panel_vectors; ++j) acc[i][j] = V{};
    }
    for (int k = 0; k < depth; ++k) {
      V right[panel_vectors];
      __builtin_memcpy(right, b + k * panel_columns, sizeof right);
      SKERRY_UNROLL(4)
      for (int i = 0; i < panel_rows; ++i) {
        const V left = V{} + a[k * panel_rows + i];
        SKERRY_UNROLL(2)
        for (int j = 0; j < panel_vectors; ++j) acc[i][j] += left * right[j];
      }
    }
    for (int i = 0; i < panel_rows; ++i) {
      for (int j = 0; j < panel_vectors; ++j) {
        C* const destination = sums + i * tile_shape<C>::columns + j * lanes;
        store_lanes(destination, load_lanes(destination) + acc[i][j]);
      }
    }
  }
};

/// For CPUs without 64-bit vector multiplication: sums 32-bit products, and shifts the sum of the
/// cross products by 32 bits once at the end.
template <class C>
  requires(sizeof(C) == 8 && !multiplies_64_bits)
struct MicroKernel<C> {
  using V = lanes_of<C>;
  static constexpr int lanes = tile_shape<C>::lanes;
  static constexpr int panel_rows = 2;
  static constexpr int panel_vectors = 2;
  static constexpr int panel_columns = panel_vectors * lanes;

  static void run(const C* a, const C* b, C* sums, int depth) {
    V low[panel_rows][panel_vectors];
    V cross[panel_rows][panel_vectors];
    for (int i = 0; i < panel_rows; ++i) {
      for (int j = 0; j < panel_vectors; ++j) low[i][j] = cross[i][j] = V{};
    }
    for (int64 k = 0; k < depth; ++k) {
      const C* const panel_row = b + k * panel_columns;
      const V right[2] = {load_lanes(panel_row), load_lanes(panel_row + lanes)};
      const V right_high[2] = {right[0] >> 32, right[1] >> 32};
      SKERRY_UNROLL(2)
      for (int i = 0; i < panel_rows; ++i) {
        const C x = a[k * panel_rows + i];
        const V left = all_lanes(x);
        const V left_high = all_lanes(x >> 32);
        SKERRY_UNROLL(2)
        for (int j = 0; j < panel_vectors; ++j) {
          low[i][j] += multiply_low_halves(left, right[j]);
          cross[i][j] += multiply_low_halves(left, right_high[j]);
          cross[i][j] += multiply_low_halves(left_high, right[j]);
        }
      }
    }
    for (int64 i = 0; i < panel_rows; ++i) {
      for (int64 j = 0; j < panel_vectors; ++j) {
        C* const destination = sums + i * tile_shape<C>::columns + j * lanes;
        store_lanes(destination, load_lanes(destination) + (low[i][j] + (cross[i][j] << 32)));
      }
    }
  }
};

/// Packs a block of `count` x `depth` items from `source` into panels of `Panel` items along the
/// first axis, padded with zeros. Within a panel, the second axis is the slow one.
template <class U, class C, int Panel>
SKERRY_INLINE void pack(C* destination, const char* source, int64 step, int64 depth_step, int count,
                        int depth) {
  for (int first = 0; first < count; first += Panel) {
    const int used = count - first < Panel ? count - first : Panel;
    const char* panel = source + first * step;
    for (int k = 0; k < depth; ++k, destination += Panel) {
      const char* line = panel + k * depth_step;
      if (used == Panel && step == int64(sizeof(U))) {
        for (int i = 0; i < Panel; ++i) destination[i] = load<U>(line + i * int64(sizeof(U)));
      } else {
        for (int i = 0; i < used; ++i) destination[i] = load<U>(line + i * step);
        for (int i = used; i < Panel; ++i) destination[i] = 0;
      }
    }
  }
}

/// Computes one tile of the output, `rows` x `columns`.
template <class U>
void multiply_tile(const MatmulParams& p, const char* x1, const char* x2, char* out, int rows,
                   int columns) {
  using C = typename tile_item<U>::type;
  using shape = tile_shape<C>;
  using micro = MicroKernel<C>;
  Tile<C> tile;
  for (int i = 0; i < shape::rows * shape::columns; ++i) tile.sums[i] = 0;
  for (int64 k = 0; k < p.k; k += shape::depth) {
    const int depth = static_cast<int>(minimum(shape::depth, p.k - k));
    pack<U, C, micro::panel_rows>(tile.a, x1 + k * p.x1_column, p.x1_row, p.x1_column, rows, depth);
    pack<U, C, micro::panel_columns>(tile.b, x2 + k * p.x2_row, p.x2_column, p.x2_row, columns,
                                     depth);
    for (int j = 0; j < columns; j += micro::panel_columns) {
      for (int i = 0; i < rows; i += micro::panel_rows) {
        micro::run(tile.a + i * depth, tile.b + j * depth, tile.sums + i * shape::columns + j,
                   depth);
      }
    }
  }
  for (int i = 0; i < rows; ++i) {
    char* const row = out + i * p.n * int64(sizeof(U));
    for (int j = 0; j < columns; ++j) {
      store(row + j * int64(sizeof(U)), static_cast<U>(tile.sums[i * shape::columns + j]));
    }
  }
}

template <class U>
void integer_range(void* context, std::int64_t begin, std::int64_t end) noexcept {
  using shape = tile_shape<typename tile_item<U>::type>;
  const auto& p = *static_cast<const MatmulParams*>(context);
  const int64 across = ceil_div(p.n, shape::columns);
  const int64 tiles = across * ceil_div(p.m, shape::rows);
  for (int64 index = begin; index < end; ++index) {
    const int64 matrix = index / tiles;
    const int64 i = index % tiles / across * shape::rows;
    const int64 j = index % tiles % across * shape::columns;
    const StackOffsets offsets = stack_offsets(matrix, p);
    multiply_tile<U>(p, p.x1 + offsets.x1 + i * p.x1_row, p.x2 + offsets.x2 + j * p.x2_column,
                     p.out + ((matrix * p.m + i) * p.n + j) * int64(sizeof(U)),
                     static_cast<int>(minimum(shape::rows, p.m - i)),
                     static_cast<int>(minimum(shape::columns, p.n - j)));
  }
}

template <class U>
void run_integer_matmul(const MatmulParams& params) {
  using shape = tile_shape<typename tile_item<U>::type>;
  MatmulParams p = params;
  const int64 tiles = ceil_div(p.n, shape::columns) * ceil_div(p.m, shape::rows);
  const int64 cost = minimum(p.m, shape::rows) * minimum(p.n, shape::columns) * (p.k + 1);
  const int64 grain_size = tuning::integer_matmul_grain_size;
  cpu::parallel_for(p.batch * tiles, maximum(grain_size / maximum(cost, 1), 1), integer_range<U>,
                    &p);
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
