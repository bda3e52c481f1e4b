// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/linear/cpu/lapack.hpp"
#include "ops/linear/cpu/wide.hpp"
#include "ops/linear/linalg_kernels.hpp"
#include "ops/math/real.hpp"

// LAPACK routines for stacks of small matrices, one matrix per vector lane: a LAPACK call per
// matrix takes longer than its arithmetic. Arithmetic and pivots are the same as LAPACK's.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// A matrix whose elements are vectors, with one matrix in each lane. Strides count elements, which
/// are two vectors each if complex.
template <class T>
struct LaneMatrix {
  using R = typename Wide<T>::real;
  R* base;
  int64 down;   ///< from one row to the next
  int64 right;  ///< from one column to the next

  [[nodiscard]] R* address(int64 row, int64 column) const {
    return base + (row * down + column * right) * (lane_count<R> * Wide<T>::parts);
  }
  [[nodiscard]] Wide<T> get(int64 row, int64 column) const {
    return Wide<T>::load(address(row, column));
  }
  void set(int64 row, int64 column, Wide<T> value) const { value.store(address(row, column)); }
  /// Returns the submatrix whose first element is (row, column).
  [[nodiscard]] LaneMatrix submatrix(int64 row, int64 column) const {
    return {address(row, column), down, right};
  }
  [[nodiscard]] LaneMatrix transposed() const { return {base, right, down}; }
};

/// Subtracts the product of `a`, which is rows x terms, and the first column of `x`, or its
/// conjugate, from the first column of `destination`. Computes four sums at a time.
template <bool Conjugate = false, class T>
SKERRY_INLINE void subtract_product(LaneMatrix<T> destination, LaneMatrix<T> a, LaneMatrix<T> x,
                                    int64 rows, int64 terms) {
  const auto subtract = [&]<int Count>(int64 row, number<Count>) {
    Wide<T> sums[Count];
    unroll<Count>([&](auto i) { sums[i.value] = destination.get(row + i.value, 0); });
    for (int64 term = 0; term < terms; ++term) {
      const Wide<T> unconjugated = x.get(term, 0);
      const Wide<T> factor = Conjugate ? unconjugated.conjugate() : unconjugated;
      unroll<Count>([&](auto i) {
        sums[i.value] = minus_product(sums[i.value], a.get(row + i.value, term), factor);
      });
    }
    unroll<Count>([&](auto i) { destination.set(row + i.value, 0, sums[i.value]); });
  };
  int64 row = 0;
  for (; row + 4 <= rows; row += 4) subtract(row, number<4>{});
  for (; row < rows; ++row) subtract(row, number<1>{});
}

/// A group of as many matrices as lanes (fewer at the end of a stack), and its scratch memory, in
/// which each matrix has a lane.
template <class T>
struct Group {
  using R = typename Wide<T>::real;
  static constexpr int lanes = lane_count<R>;
  static constexpr int64 vectors = lanes * Wide<T>::parts;
  using integers = decltype(lanes_of<R>{} < lanes_of<R>{});

  const LinAlgParams& p;
  int64 first;
  int64 count;
  R* scratch;

  [[nodiscard]] int64 n() const { return p.rows; }
  [[nodiscard]] int64 area() const { return n() * n(); }
  [[nodiscard]] LaneMatrix<T> matrix() const { return {scratch, 1, n()}; }
  /// Right-hand sides, up to n() columns at a time.
  [[nodiscard]] LaneMatrix<T> sides() const { return {scratch + area() * vectors, 1, n()}; }

  /// Copies a group's matrices into lanes; lanes without a matrix are set to zero.
  void gather(R* lanes_at, const char* stack, int64 items, int64 nbytes) const {
    if (count < lanes)
      __builtin_memset(lanes_at, 0, sizeof(R) * static_cast<unsigned long>(items * vectors));
    copy_2d({reinterpret_cast<char*>(lanes_at), sizeof(R), vector_bytes},
            {const_cast<char*>(stack) + first * nbytes, nbytes, sizeof(R)}, count,
            items * Wide<T>::parts, sizeof(R));
  }
  void scatter(char* stack, const R* lanes_at, int64 items, int64 nbytes) const {
    copy_2d({stack + first * nbytes, sizeof(R), nbytes},
            {reinterpret_cast<char*>(const_cast<R*>(lanes_at)), vector_bytes, sizeof(R)},
            items * Wide<T>::parts, count, sizeof(R));
  }
  void gather_matrices() const { gather(scratch, p.a, area(), area() * int64(sizeof(T))); }
  void scatter_matrices() const { scatter(p.a, scratch, area(), area() * int64(sizeof(T))); }
  void set_info(integers info) const {
    for (int64 i = 0; i < count; ++i) p.info[first + i] = int32(info[i]);
  }
  /// Computes, for each lane, the row that moves to each position.
  void find_order(int32 (&order)[blas::max_rows_in_lanes][lanes]) const {
    for (int64 i = 0; i < count; ++i) {
      const int32* pivots = p.pivots + (first + i) * n();
      for (int32 k = 0; k < n(); ++k) order[k][i] = k;
      for (int64 k = 0; k < n(); ++k) {
        const int32 pivot_row = pivots[k] - 1;
        const int32 row = order[k][i];
        order[k][i] = order[pivot_row][i];
        order[pivot_row][i] = row;
      }
    }
  }
};

/// Exchanges row k with the row given by `pivot`.
template <class T, class Integers>
SKERRY_INLINE void exchange_rows(LaneMatrix<T> a, int64 n, int64 k, Integers pivot) {
  for (int64 i = k + 1; i < n; ++i) {
    const auto is_pivot = pivot == static_cast<lane_integer<typename Wide<T>::real>>(i);
    if (!is_any(is_pivot)) continue;
    for (int64 j = 0; j < n; ++j) {
      const Wide<T> upper = a.get(k, j);
      const Wide<T> lower = a.get(i, j);
      a.set(k, j, choose(is_pivot, lower, upper));
      a.set(i, j, choose(is_pivot, upper, lower));
    }
  }
}

/// Computes the LU factorization by getrf's steps in Crout's order, in which each sum is computed
/// in registers.
template <class T>
void factor_in_lanes(const Group<T>& g) {
  using R = typename Wide<T>::real;
  using integers = typename Group<T>::integers;
  const int64 n = g.n();
  const LaneMatrix<T> a = g.matrix();
  g.gather_matrices();
  integers info{};
  for (int64 k = 0; k < n; ++k) {
    subtract_product(a.submatrix(k, k), a.submatrix(k, 0), a.submatrix(0, k), n - k, k);
    auto max_size = a.get(k, k).size();
    integers pivot = integers{} + static_cast<lane_integer<R>>(k);
    for (int64 i = k + 1; i < n; ++i) {
      const auto size = a.get(i, k).size();
      pivot = size > max_size ? integers{} + static_cast<lane_integer<R>>(i) : pivot;
      max_size = size > max_size ? size : max_size;
    }
    for (int64 i = 0; i < g.count; ++i) g.p.pivots[(g.first + i) * n + k] = int32(pivot[i]) + 1;
    exchange_rows(a, n, k, pivot);
    const auto is_zero = max_size == 0;
    info = (is_zero & (info == 0)) ? integers{} + static_cast<lane_integer<R>>(k + 1) : info;
    Wide<T> divisor = a.get(k, k);
    divisor.re = is_zero ? all_lanes(R(1)) : divisor.re;
    for (int64 i = k + 1; i < n; ++i) a.set(i, k, quotient(a.get(i, k), divisor));
    subtract_product(a.submatrix(k, k + 1).transposed(), a.submatrix(0, k + 1).transposed(),
                     a.submatrix(k, 0).transposed(), n - k - 1, k);
  }
  g.scatter_matrices();
  g.set_info(info);
}

/// Replaces each column of x by the solution of a triangular system. Unless `by_diagonal`, the
/// diagonal is taken as all ones.
template <class T>
void substitute(LaneMatrix<T> a, LaneMatrix<T> x, int64 n, int64 columns, bool is_lower,
                bool by_diagonal) {
  for (int64 step = 0; step < n; ++step) {
    const int64 i = is_lower ? step : n - 1 - step;
    const int64 first_solved = is_lower ? 0 : i + 1;
    subtract_product(x.submatrix(i, 0).transposed(), x.submatrix(first_solved, 0).transposed(),
                     a.submatrix(i, first_solved).transposed(), columns, step);
    if (!by_diagonal) continue;
    const Wide<T> divisor = a.get(i, i);
    for (int64 c = 0; c < columns; ++c) x.set(i, c, quotient(x.get(i, c), divisor));
  }
}

template <class T>
void solve_in_lanes(const Group<T>& g) {
  using R = typename Wide<T>::real;
  constexpr int lanes = Group<T>::lanes;
  constexpr int parts = Wide<T>::parts;
  const int64 n = g.n();
  const LaneMatrix<T> a = g.matrix();
  const LaneMatrix<T> x = g.sides();
  g.gather_matrices();
  int32 order[blas::max_rows_in_lanes][lanes];
  g.find_order(order);
  for (int64 begin = 0; begin < g.p.right_columns; begin += n) {
    const int64 columns = minimum(n, g.p.right_columns - begin);
    const int64 nbytes = n * g.p.right_columns * int64(sizeof(T));
    char* const right_sides = g.p.b + begin * n * int64(sizeof(T));
    const auto reordered = [&](auto move) {
      for (int64 c = 0; c < columns; ++c) {
        for (int64 i = 0; i < n; ++i) {
          R* const lane_address = x.address(i, c);
          for (int64 lane = 0; lane < g.count; ++lane) {
            R* const memory_address =
                reinterpret_cast<R*>(right_sides + (g.first + lane) * nbytes) +
                (c * n + order[i][lane]) * parts;
            for (int64 k = 0; k < parts; ++k)
              move(lane_address[k * lanes + lane], memory_address[k]);
          }
        }
      }
    };
    if (g.p.is_transposed) {
      g.gather(x.base, right_sides, n * columns, nbytes);
      substitute(a.transposed(), x, n, columns, true, true);
      substitute(a.transposed(), x, n, columns, false, false);
      reordered([](R& in_lane, R& in_memory) { in_memory = in_lane; });
    } else {
      if (g.count < lanes) {
        __builtin_memset(x.base, 0,
                         sizeof(R) * static_cast<unsigned long>(n * columns * Group<T>::vectors));
      }
      reordered([](R& in_lane, R& in_memory) { in_lane = in_memory; });
      substitute(a, x, n, columns, true, false);
      substitute(a, x, n, columns, false, true);
      g.scatter(right_sides, x.base, n * columns, nbytes);
    }
  }
}

/// Computes the Cholesky factorization of the lower triangle, or of the upper one's transpose,
/// column by column as in factor_in_lanes.
template <class T>
void find_cholesky_in_lanes(const Group<T>& g) {
  using R = typename Wide<T>::real;
  using integers = typename Group<T>::integers;
  const int64 n = g.n();
  const LaneMatrix<T> a = g.p.is_upper ? g.matrix().transposed() : g.matrix();
  g.gather_matrices();
  integers info{};
  for (int64 k = 0; k < n; ++k) {
    subtract_product<true>(a.submatrix(k, k), a.submatrix(k, 0), a.submatrix(k, 0).transposed(),
                           n - k, k);
    lanes_of<R> root = a.get(k, k).re;
    const integers is_bad = ~(root > 0);
    info = (is_bad & (info == 0)) ? integers{} + static_cast<lane_integer<R>>(k + 1) : info;
    for (int lane = 0; lane < Group<T>::lanes; ++lane) {
      root[lane] = sizeof(R) == 4 ? __builtin_sqrtf(root[lane]) : __builtin_sqrt(root[lane]);
    }
    Wide<T> diagonal{};
    diagonal.re = root;
    a.set(k, k, diagonal);
    for (int64 i = k + 1; i < n; ++i) {
      Wide<T> below = a.get(i, k);
      below.re /= root;
      if constexpr (Wide<T>::parts == 2) below.im /= root;
      a.set(i, k, below);
    }
  }
  g.scatter_matrices();
  g.set_info(info);
}

/// Computes the product of the diagonal, its sign and logarithm. Matrices with intermediate
/// overflow or underflow are left to the routine for single matrices.
template <class T>
void find_determinants_in_lanes(const Group<T>& g) {
  constexpr T min_normal = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
  constexpr auto size = int64(sizeof(T));
  const int64 n = g.n();
  copy_2d({reinterpret_cast<char*>(g.scratch), size, vector_bytes},
          {g.p.a + g.first * g.area() * size, g.area() * size, (n + 1) * size}, g.count, n, size);
  lanes_of<T> sign = all_lanes(T(1));
  for (int64 i = 0; i < g.count; ++i) {
    for (int64 k = 0; k < n; ++k) {
      if (g.p.pivots[(g.first + i) * n + k] != k + 1) sign[i] = -sign[i];
    }
  }
  lanes_of<T> value = all_lanes(T(1));
  lanes_of<T> lowest = value;
  T logarithms[Group<T>::lanes] = {};
  for (int64 k = 0; k < n; ++k) {
    const lanes_of<T> d = load_lanes(g.scratch + k * Group<T>::lanes);
    const lanes_of<T> modulus = magnitude_of_lanes(d);
    T moduli[Group<T>::lanes];
    store_lanes(moduli, modulus);
    for (int i = 0; i < Group<T>::lanes; ++i) {
      logarithms[i] += ops::math::elementary::log(moduli[i]);
    }
    value *= modulus;
    lowest = value < lowest ? value : lowest;
    sign = d > 0 ? sign : d < 0 ? -sign : modulus;
  }
  for (int64 i = 0; i < g.count; ++i) {
    const int64 matrix_index = g.first + i;
    reinterpret_cast<T*>(g.p.c.get())[matrix_index] = sign[i];
    reinterpret_cast<T*>(g.p.values.get())[matrix_index] = logarithms[i];
    reinterpret_cast<T*>(g.p.b.get())[matrix_index] = sign[i] == 0 ? T(0) : sign[i] * value[i];
    if (sign[i] == 0 || (lowest[i] >= min_normal && value[i] < ops::math::infinity<T>())) continue;
    blas::find_determinant<T>(g.p, matrix_index);
  }
}

template <class T, void (*LaneRoutine)(const Group<T>&)>
void work_on_slots(void* context, std::int64_t begin, std::int64_t end) noexcept {
  using R = typename Wide<T>::real;
  const auto& p = *static_cast<const LinAlgParams*>(context);
  constexpr int64 lanes = Group<T>::lanes;
  const int64 groups = ceil_div(p.batch, lanes);
  for (int64 slot = begin; slot < end; ++slot) {
    char* const scratch = p.scratch + slot * ceil_div(p.workspace_size * int64(sizeof(T)), 64) * 64;
    const int64 past = groups * (slot + 1) / p.slots;
    for (int64 i = groups * slot / p.slots; i < past; ++i) {
      const int64 count = minimum(lanes, p.batch - i * lanes);
      for (int64 k = 0; k < count; ++k) p.info[i * lanes + k] = 0;
      LaneRoutine({p, i * lanes, count, reinterpret_cast<R*>(scratch)});
    }
  }
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
