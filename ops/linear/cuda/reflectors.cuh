// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/linear/cuda/linalg_stacks.cuh"
#include "ops/math/concepts.hpp"

// LAPACK's orgqr and ungqr for stacks of small matrices, for which cuSOLVER and cuBLAS have no
// batched form.

namespace skerry::native {

inline constexpr int warp_lanes = 32;
inline constexpr int reflector_threads = 256;

template <class T>
__device__ SKERRY_INLINE T conjugate_of(T x) {
  if constexpr (ops::complex_floating<T>) {
    return T(x.re, -x.im);
  } else {
    return x;
  }
}

/// Returns the sum of x over the warp to all lanes. All lanes get the same bits.
template <class T>
__device__ SKERRY_INLINE T sum_of_warp(T x) {
  constexpr unsigned all = 0xffffffff;
  for (int step = warp_lanes / 2; step > 0; step /= 2) {
    if constexpr (ops::complex_floating<T>) {
      x = x + T(__shfl_xor_sync(all, x.re, step), __shfl_xor_sync(all, x.im, step));
    } else {
      x = x + __shfl_xor_sync(all, x, step);
    }
  }
  return x;
}

/// A Householder reflector H = I - factor v v^H, where v is 0 before row `first` and 1 in that row.
template <class T>
struct Reflector {
  const whole<T>* v;
  T factor;
  int first;

  /// Multiplies a column by H in place. One warp does this; its lanes share the rows.
  __device__ SKERRY_INLINE void apply(whole<T>* column, int rows, int lane) const {
    T sum(0);
    for (int row = first + lane; row < rows; row += warp_lanes) {
      sum = sum + conjugate_of(v[row].value) * column[row].value;
    }
    const T share = factor * sum_of_warp(sum);
    for (int row = first + lane; row < rows; row += warp_lanes) {
      column[row].value = column[row].value - v[row].value * share;
    }
  }
  /// Sets the column to H times the unit vector of row `first`.
  __device__ SKERRY_INLINE void write_own_column(whole<T>* column, int rows, int lane) const {
    for (int row = lane; row < rows; row += warp_lanes) {
      const T begin = row == first ? T(1) : T(0);
      column[row].value = row < first ? T(0) : begin - v[row].value * factor;
    }
  }
};

/// Multiplies the reflectors stored below the diagonal in the first `count` columns of each matrix,
/// and overwrites the matrix (column-major, rows x columns) with the first columns of the product.
/// One block per matrix applies the reflectors from the last to the first, as LAPACK's org2r does,
/// and keeps the current one in shared memory. Each column belongs to one warp, so warps
/// synchronize only to load a reflector.
template <class T>
__global__ void __launch_bounds__(reflector_threads)
    multiply_reflectors(whole<T>* stack, const whole<T>* factors, std::int64_t batch, int rows,
                        int columns, int count) {
  // Double-buffered: the next reflector is loaded while some warps still apply the current one.
  __shared__ alignas(16) char memory[2][small_side * sizeof(T)];
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int lane = thread % warp_lanes;
  const int warp = thread / warp_lanes;
  const int warps = threads / warp_lanes;
  for (std::int64_t matrix = blockIdx.x; matrix < batch; matrix += gridDim.x) {
    whole<T>* const a = stack + matrix * rows * columns;
    for (int j = warp; j < columns; j += warps) {
      if (j < count) continue;
      for (int row = lane; row < rows; row += warp_lanes) a[j * rows + row].value = T(row == j);
    }
    for (int i = count - 1; i >= 0; --i) {
      auto* const v = reinterpret_cast<whole<T>*>(memory[i % 2]);
      for (int row = i + thread; row < rows; row += threads) {
        v[row].value = row == i ? T(1) : a[i * rows + row].value;
      }
      __syncthreads();
      const Reflector<T> h{v, factors[matrix * count + i].value, i};
      for (int j = warp; j < columns; j += warps) {
        if (j > i) h.apply(a + j * rows, rows, lane);
        if (j == i) h.write_own_column(a + j * rows, rows, lane);
      }
    }
    __syncthreads();  // the next matrix's reflectors reuse this memory
  }
}

/// orgqr for a stack of small matrices.
template <class T>
void multiply_reflectors_of(const LinAlgParams& p, CusolverCall& session) {
  constexpr std::int64_t max_blocks = 1 << 16;
  const int warps = narrow(minimum(p.columns, reflector_threads / warp_lanes));
  multiply_reflectors<T><<<static_cast<unsigned>(minimum(p.batch, max_blocks)), warps * warp_lanes,
                           0, stream_of(session.context)>>>(
      reinterpret_cast<whole<T>*>(p.a.get()), reinterpret_cast<const whole<T>*>(p.b.get()), p.batch,
      narrow(p.rows), narrow(p.columns), narrow(p.reflector_count));
  session.note(cudaGetLastError());
}

}  // namespace skerry::native
