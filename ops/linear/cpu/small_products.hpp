// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/linear/cpu/blas.hpp"
#include "ops/linear/cpu/wide.hpp"
#include "ops/linear/matmul_kernels.hpp"

// Products of small matrices, single or in stacks, without BLAS: its call overhead exceeds the
// arithmetic of a small matrix (38 ns for 3 x 3).

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

#if defined(SKERRY_ACCESSES_SOME_LANES)

/// Maximum of m, n and k.
inline constexpr int64 max_small_extent = 8;

/// Multiplies one pair of matrices. A row of the result is a sum of the rows of x2, weighted by the
/// items of a row of x1, and fits in `Vectors` vectors.
template <class T, int Vectors>
class SmallProduct {
  using R = ops::real_part_t<T>;
  using V = lanes_of<R>;
  static constexpr bool is_complex = ops::complex_floating<T>;
  static constexpr int64 item = sizeof(T);

 public:
  explicit SmallProduct(const MatmulParams& params)
      : p_(params),
        count_(params.n * (is_complex ? 2 : 1)),
        has_rows_(params.x2_column == item || params.n == 1) {}

  SKERRY_INLINE void operator()(const char* a, const char* b, char* out) const {
    T gathered[max_small_extent * max_small_extent];
    int64 step = p_.x2_row;
    if (!has_rows_) {
      for (int64 term = 0; term < p_.k; ++term) {
        for (int64 j = 0; j < p_.n; ++j) {
          gathered[term * p_.n + j] = load<T>(b + term * p_.x2_row + j * p_.x2_column);
        }
      }
      b = reinterpret_cast<const char*>(gathered);
      step = p_.n * item;
    }
    int64 left = p_.m;
    for (; left >= 4; left -= 4, a += 4 * p_.x1_row, out += 4 * p_.n * item) {
      write_rows<4>(a, b, step, out);
    }
    if (left == 3) write_rows<3>(a, b, step, out);
    if (left == 2) write_rows<2>(a, b, step, out);
    if (left == 1) write_rows<1>(a, b, step, out);
  }

 private:
  template <int Rows>
  SKERRY_INLINE void write_rows(const char* a, const char* b, int64 step, char* out) const {
    V sums[Rows][Vectors] = {};
    V crossed[Rows][Vectors] = {};  // products with the imaginary parts of x1
    for (int64 term = 0; term < p_.k; ++term) {
      V items[Vectors];
      unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
        constexpr int vector_index = decltype(v)::value;
        const R* const row =
            reinterpret_cast<const R*>(b + term * step) + vector_index * lane_count<R>;
        items[vector_index] = load_some_lanes<R>(row, lanes_in(vector_index), V{});
      });
      unroll<Rows>([&](auto r) __attribute__((always_inline)) {
        constexpr int row = decltype(r)::value;
        const T factor = load<T>(a + row * p_.x1_row + term * p_.x1_column);
        unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
          constexpr int vector_index = decltype(v)::value;
          V& sum = sums[row][vector_index];
          if constexpr (is_complex) {
            sum = plus_product_of_lanes(sum, all_lanes<R>(factor.re), items[vector_index]);
            crossed[row][vector_index] = plus_product_of_lanes(
                crossed[row][vector_index], all_lanes<R>(factor.im), items[vector_index]);
          } else {
            sum = plus_product_of_lanes(sum, all_lanes<R>(factor), items[vector_index]);
          }
        });
      });
    }
    unroll<Rows * Vectors>([&](auto index) __attribute__((always_inline)) {
      constexpr int row = decltype(index)::value / Vectors;
      constexpr int vector_index = decltype(index)::value % Vectors;
      V sum = sums[row][vector_index];
      if constexpr (is_complex) {
        const V other = exchange_lanes<1>(crossed[row][vector_index]);
        sum = choose_lanes<1>(sum - other, sum + other);
      }
      R* const destination =
          reinterpret_cast<R*>(out + row * p_.n * item) + vector_index * lane_count<R>;
      store_some_lanes<R>(destination, lanes_in(vector_index), sum);
    });
  }

  [[nodiscard]] SKERRY_INLINE int64 lanes_in(int64 vector) const {
    return minimum(count_ - vector * lane_count<R>, lane_count<R>);
  }

  const MatmulParams& p_;
  int64 count_;    ///< reals in a row of the result
  bool has_rows_;  ///< the rows of x2 are contiguous
};

template <class T, int Vectors>
SKERRY_INLINE void multiply_small(const MatmulParams& p) {
  const SmallProduct<T, Vectors> multiply(p);
  const int64 out_step = p.m * p.n * int64(sizeof(T));
  const int64 length = p.batch_rank > 0 ? p.batch_shape[0] : 1;
  cpu::parallel_for(p.batch, ceil_div(tuning::small_matmul_grain_size, p.m * p.n * p.k),
                    [&](int64 begin, int64 end) {
                      for (int64 i = begin; i < end;) {
                        const int64 stop = minimum(end, i + length - i % length);
                        const StackOffsets offsets = stack_offsets(i, p);
                        for (int64 k = 0; i < stop; ++i, ++k) {
                          const int64 first = p.batch_rank > 0 ? k * p.x1_batch[0] : 0;
                          const int64 second = p.batch_rank > 0 ? k * p.x2_batch[0] : 0;
                          multiply(p.x1 + offsets.x1 + first, p.x2 + offsets.x2 + second,
                                   p.out + i * out_step);
                        }
                      }
                    });
}

#endif

template <class T>
void run_products(const MatmulParams& p) {
#if defined(SKERRY_ACCESSES_SOME_LANES)
  using R = ops::real_part_t<T>;
  constexpr int64 parts = ops::complex_floating<T> ? 2 : 1;
  constexpr int max_vectors = ceil_div(max_small_extent * parts, lane_count<R>);
  const bool is_small = maximum(p.m, maximum(p.n, p.k)) <= max_small_extent;
  if (is_small && p.m * p.n * p.k > 0) {
    if (p.n * parts <= lane_count<R>) return multiply_small<T, 1>(p);
    return multiply_small<T, max_vectors>(p);
  }
#endif
  blas::multiply<T>(p);
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
