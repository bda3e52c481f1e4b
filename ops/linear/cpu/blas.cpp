// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/cpu/blas.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/linear/cpu/openblas.hpp"
#include "ops/linear/matmul_kernels.hpp"

namespace skerry::blas {
namespace {

/// Maximum extent per call: BLAS uses 32-bit integers.
constexpr std::int64_t max_extent = std::int64_t{1} << 30;
/// Number of multiplications up to which OpenBLAS uses one thread (its GEMM_MULTITHREAD_THRESHOLD),
/// so that the matrices of a stack are shared among our threads instead.
constexpr std::int64_t one_thread = std::int64_t{64} * 64 * 64;

template <class T>
typename factor<T>::type as_factor(const T& value) {
  if constexpr (EntryPoints<T>::is_complex) {
    return &value;
  } else {
    return value;
  }
}

/// One pair of matrices of the stack, and its product.
struct Product {
  const char* x1;
  const char* x2;
  char* out;
  std::int64_t m, n, k;
  BlasLayout first, second;
};

integer narrow(std::int64_t value) {
  return static_cast<integer>(std::min<std::int64_t>(value, INT32_MAX));
}

int transpose_flag(const BlasLayout& layout) {
  return layout.transposed ? transposed : not_transposed;
}

/// Maximum extents per call; 1 along an axis whose leading dimension exceeds 32 bits.
struct Steps {
  std::int64_t m = max_extent;
  std::int64_t n = max_extent;
  std::int64_t k = max_extent;

  explicit Steps(const Product& p) {
    if (p.first.leading > INT32_MAX) (p.first.transposed ? k : m) = 1;
    if (p.second.leading > INT32_MAX) (p.second.transposed ? n : k) = 1;
    if (p.n > INT32_MAX) m = 1;
  }
};

template <class T>
void multiply_part(const Product& p, std::int64_t i, std::int64_t j, std::int64_t l,
                   const Steps& steps) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const T one(1);
  const T beta(l == 0 ? 0.f : 1.f);
  const std::int64_t a = p.first.transposed ? l * p.first.leading + i : i * p.first.leading + l;
  const std::int64_t b = p.second.transposed ? j * p.second.leading + l : l * p.second.leading + j;
  use().entry_points<T>().gemm(row_major, transpose_flag(p.first), transpose_flag(p.second),
                               narrow(std::min(steps.m, p.m - i)),
                               narrow(std::min(steps.n, p.n - j)),
                               narrow(std::min(steps.k, p.k - l)), as_factor(one), p.x1 + a * item,
                               narrow(p.first.leading), p.x2 + b * item, narrow(p.second.leading),
                               as_factor(beta), p.out + (i * p.n + j) * item, narrow(p.n));
}

template <class T>
void multiply_matrices(const Product& p) {
  const Steps steps(p);
  for (std::int64_t i = 0; i < p.m; i += steps.m) {
    for (std::int64_t j = 0; j < p.n; j += steps.n) {
      for (std::int64_t l = 0; l < p.k; l += steps.k) multiply_part<T>(p, i, j, l, steps);
    }
  }
}

/// Multiplies a matrix by a vector, or a vector by a matrix: y = A x.
template <class T>
void multiply_vector(const Product& p) {
  const T one(1);
  const T zero(0);
  const bool column = p.n == 1;
  const BlasLayout& matrix = column ? p.first : p.second;
  const BlasLayout& vector = column ? p.second : p.first;
  // CBLAS expects the rows and columns as stored.
  const std::int64_t rows = column ? p.m : p.k;
  const std::int64_t columns = column ? p.k : p.n;
  const std::int64_t stored_rows = matrix.transposed ? columns : rows;
  const std::int64_t stored_columns = matrix.transposed ? rows : columns;
  const bool along = column != matrix.transposed;  // the output runs along the stored rows
  const std::int64_t step = vector.transposed == column ? 1 : vector.leading;
  use().entry_points<T>().gemv(row_major, along ? not_transposed : transposed, narrow(stored_rows),
                               narrow(stored_columns), as_factor(one), column ? p.x1 : p.x2,
                               narrow(matrix.leading), column ? p.x2 : p.x1, narrow(step),
                               as_factor(zero), p.out, 1);
}

bool has_large_extent(const Product& p) {
  return std::max({p.m, p.n, p.k, p.first.leading, p.second.leading}) > max_extent;
}

/// True for x @ x.mT and x.mT @ x, which syrk computes with half of the work and exactly symmetric.
bool is_with_own_transpose(const Product& p) {
  return p.x1 == p.x2 && p.m == p.n && p.first.leading == p.second.leading &&
         p.first.transposed != p.second.transposed;
}

template <class T>
void multiply_with_own_transpose(const Product& p) {
  const T one(1);
  const T zero(0);
  use().entry_points<T>().syrk(row_major, upper, transpose_flag(p.first), narrow(p.n), narrow(p.k),
                               as_factor(one), p.x1, narrow(p.first.leading), as_factor(zero),
                               p.out, narrow(p.n));
  T* const out = reinterpret_cast<T*>(p.out);
  const std::int64_t tile = tuning::mirrored_tile_side;
  for (std::int64_t i0 = 0; i0 < p.n; i0 += tile) {
    for (std::int64_t j0 = i0; j0 < p.n; j0 += tile) {
      for (std::int64_t i = i0; i < std::min(i0 + tile, p.n); ++i) {
        for (std::int64_t j = std::max(j0, i + 1); j < std::min(j0 + tile, p.n); ++j) {
          out[j * p.n + i] = out[i * p.n + j];
        }
      }
    }
  }
}

template <class T>
void multiply_one(const Product& p) {
  if (has_large_extent(p)) {
    multiply_matrices<T>(p);
  } else if (p.m == 1 || p.n == 1) {
    multiply_vector<T>(p);
  } else if (is_with_own_transpose(p)) {
    multiply_with_own_transpose<T>(p);
  } else {
    multiply_matrices<T>(p);
  }
}

}  // namespace

template <class T>
void multiply(const MatmulParams& params) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t out_step = params.m * params.n * item;
  if (out_step == 0 || params.batch == 0) return;
  if (params.k == 0) {
    std::memset(params.out, 0, static_cast<std::size_t>(params.batch * out_step));
    return;
  }
  const BlasLayout first =
      blas_layout_of(params.m, params.k, params.x1_row, params.x1_column, item);
  const BlasLayout second =
      blas_layout_of(params.k, params.n, params.x2_row, params.x2_column, item);
  const auto body = [&](std::int64_t begin, std::int64_t end) noexcept {
    for (std::int64_t i = begin; i < end; ++i) {
      const StackOffsets offsets = stack_offsets(i, params);
      multiply_one<T>({params.x1 + offsets.x1, params.x2 + offsets.x2, params.out + i * out_step,
                       params.m, params.n, params.k, first, second});
    }
  };
  const double operations =
      static_cast<double>(params.m) * static_cast<double>(params.n) * static_cast<double>(params.k);
  if (params.batch == 1 || operations > one_thread) {
    body(0, params.batch);
  } else {
    cpu::parallel_for(params.batch, one_thread / static_cast<std::int64_t>(operations), body);
  }
}

template void multiply<float32>(const MatmulParams&);
template void multiply<float64>(const MatmulParams&);
template void multiply<complex64>(const MatmulParams&);
template void multiply<complex128>(const MatmulParams&);

}  // namespace skerry::blas
