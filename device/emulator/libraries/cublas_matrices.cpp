// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Routines of cuBLAS 13.0 for matrices (level 3 and extensions), besides products.

#include "device/emulator/libraries/lapack_calls.hpp"
#include "device/emulator/libraries/triangular_systems.hpp"

namespace skerry::emulation::cublas {

namespace {

template <class T>
int run_geam(Handle* handle, int op_a, int op_b, int m, int n, const T* alpha, const T* a, int lda,
             const T* beta, const T* b, int ldb, T* c, int ldc) {
  BlasCall call("cublas geam", handle);
  const auto alpha_factor = call.factor(alpha);
  const auto beta_factor = call.factor(beta);
  // A matrix with a factor of 0 is not read, and may be null.
  const bool has_a = handle->pointer_mode == pointers_to_device || alpha_factor() != T();
  const bool has_b = handle->pointer_mode == pointers_to_device || beta_factor() != T();
  if (has_a) static_cast<void>(call.operand(a, m, n, lda, op_a));
  if (has_b) static_cast<void>(call.operand(b, m, n, ldb, op_b));
  call.matrix(c, m, n, ldc);
  return call.run([=] {
    const Operand<T> first(a, lda, op_a);
    const Operand<T> second(b, ldb, op_b);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        T sum{};
        if (alpha_factor() != T()) sum += alpha_factor() * first(i, j);
        if (beta_factor() != T()) sum += beta_factor() * second(i, j);
        c[std::int64_t{j} * ldc + i] = sum;
      }
    }
  });
}

template <class T>
int run_dgmm(Handle* handle, int side, int m, int n, const T* a, int lda, const T* x, int incx,
             T* c, int ldc) {
  BlasCall call("cublas dgmm", handle);
  call.matrix(a, m, n, lda);
  call.matrix(c, m, n, ldc);
  const auto diagonal = call.strided(x, side == left_side ? m : n, incx);
  return call.run([=] {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        c[std::int64_t{j} * ldc + i] =
            a[std::int64_t{j} * lda + i] * diagonal[side == left_side ? i : j];
      }
    }
  });
}

template <class T>
int run_syrk(Handle* handle, int uplo, int op, int n, int k, const T* alpha, const T* a, int lda,
             const T* beta, T* c, int ldc) {
  BlasCall call("cublas syrk", handle);
  const auto alpha_factor = call.factor(alpha);
  const auto beta_factor = call.factor(beta);
  const auto rows = call.operand(a, n, k, lda, op);
  call.matrix(c, n, n, ldc);
  return call.run([=] {
    for (int j = 0; j < n; ++j) {
      for (int i = uplo == lower_triangle ? j : 0; i < (uplo == lower_triangle ? n : j + 1); ++i) {
        T sum{};
        for (int l = 0; l < k; ++l) sum += rows(i, l) * rows(j, l);
        T& out = c[std::int64_t{j} * ldc + i];
        out = beta_factor() == T() ? alpha_factor() * sum
                                   : alpha_factor() * sum + beta_factor() * out;
      }
    }
  });
}

template <class T>
int run_trsm(Handle* handle, int side, int uplo, int op, int diagonal, int m, int n, const T* alpha,
             const T* a, int lda, T* b, int ldb) {
  BlasCall call("cublas trsm", handle);
  const TriangularSystem system{side, uplo, op, diagonal != 0, m, n};
  const auto alpha_factor = call.factor(alpha);
  static_cast<void>(call.operand(a, system.order(), system.order(), lda, op));
  call.matrix(b, m, n, ldb);
  return call.run([=] { solve(system, alpha_factor(), a, lda, b, ldb); });
}

template <class T>
int run_trsm_batched(Handle* handle, int side, int uplo, int op, int diagonal, int m, int n,
                     const T* alpha, const T* const* a, int lda, T* const* b, int ldb, int count) {
  BlasCall call("cublas trsmBatched", handle);
  const TriangularSystem system{side, uplo, op, diagonal != 0, m, n};
  const auto alpha_factor = call.factor(alpha);
  call.matrices(a, count, system.order(), system.order(), lda);
  call.matrices(b, count, m, n, ldb);
  return call.run([=] {
    for (int i = 0; i < count; ++i) solve(system, alpha_factor(), a[i], lda, b[i], ldb);
  });
}

/// Computes inverses from the factors of getrfBatched. That of a singular matrix is not finite.
template <class T>
int run_getri(Handle* handle, int n, const T* const* a, int lda, const int* pivots, T* const* c,
              int ldc, int* info, int count) {
  BlasCall call("cublas getriBatched", handle);
  call.matrices(a, count, n, n, lda);
  call.matrices(c, count, n, n, ldc);
  call.vector(pivots, std::int64_t{n} * count);
  call.vector(info, count);
  return call.run([=] {
    for (int k = 0; k < count; ++k) {
      info[k] = 0;
      for (int i = n; i-- > 0;) {
        if (a[k][std::int64_t{i} * lda + i] == T(0)) info[k] = i + 1;
        for (int j = 0; j < n; ++j) c[k][std::int64_t{j} * ldc + i] = T(i == j ? 1 : 0);
      }
      int wrong = 0;
      lapack::getrs<T>(not_transposed, n, n, a[k], lda, pivots + std::int64_t{k} * n, c[k], ldc,
                       &wrong);
    }
  });
}

}  // namespace

#define SKERRY_MATRICES(T, type_character)                                                         \
  SKERRY_BLAS(type_character##geam, geam,                                                          \
              (Handle * handle, int op_a, int op_b, int m, int n, const T* alpha, const T* a,      \
               int lda, const T* beta, const T* b, int ldb, T* c, int ldc),                        \
              run_geam(handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc))             \
  SKERRY_BLAS(type_character##dgmm, dgmm,                                                          \
              (Handle * handle, int side, int m, int n, const T* a, int lda, const T* x, int incx, \
               T* c, int ldc),                                                                     \
              run_dgmm(handle, side, m, n, a, lda, x, incx, c, ldc))                               \
  SKERRY_BLAS(type_character##syrk_v2, syrk,                                                       \
              (Handle * handle, int uplo, int op, int n, int k, const T* alpha, const T* a,        \
               int lda, const T* beta, T* c, int ldc),                                             \
              run_syrk(handle, uplo, op, n, k, alpha, a, lda, beta, c, ldc))                       \
  SKERRY_BLAS(type_character##trsm_v2, trsm,                                                       \
              (Handle * handle, int side, int uplo, int op, int diagonal, int m, int n,            \
               const T* alpha, const T* a, int lda, T* b, int ldb),                                \
              run_trsm(handle, side, uplo, op, diagonal, m, n, alpha, a, lda, b, ldb))             \
  SKERRY_BLAS(                                                                                     \
      type_character##trsmBatched, trsm_batched,                                                   \
      (Handle * handle, int side, int uplo, int op, int diagonal, int m, int n, const T* alpha,    \
       const T* const* a, int lda, T* const* b, int ldb, int count),                               \
      run_trsm_batched(handle, side, uplo, op, diagonal, m, n, alpha, a, lda, b, ldb, count))
SKERRY_MATRICES(float32, S)
SKERRY_MATRICES(float64, D)
SKERRY_MATRICES(std_complex64, C)
SKERRY_MATRICES(std_complex128, Z)
#undef SKERRY_MATRICES

#define SKERRY_INVERSES(T, type_character)                                                         \
  SKERRY_BLAS(type_character##getriBatched, getri_batched,                                         \
              (Handle * handle, int n, const T* const* a, int lda, const int* pivots, T* const* c, \
               int ldc, int* info, int count),                                                     \
              run_getri<T>(handle, n, a, lda, pivots, c, ldc, info, count))
SKERRY_INVERSES(float32, S)
SKERRY_INVERSES(float64, D)
SKERRY_INVERSES(complex64, C)
SKERRY_INVERSES(complex128, Z)
#undef SKERRY_INVERSES

}  // namespace skerry::emulation::cublas
