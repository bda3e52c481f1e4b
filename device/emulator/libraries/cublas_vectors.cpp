// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Routines of cuBLAS 13.0 for vectors, and of matrices with vectors (levels 1 and 2).

#include <cmath>

#include "device/emulator/libraries/cublas_call.hpp"

namespace skerry::emulation::cublas {

namespace {

constexpr int lower = 0;

template <class T, class Factor>
int run_scal(Handle* handle, int n, const Factor* alpha, T* x, int incx) {
  BlasCall call("cublas scal", handle);
  const auto factor = call.factor(alpha);
  const auto elements = call.strided(x, n, incx);
  return call.run([=] {
    for (int i = 0; i < n; ++i) elements[i] *= factor();
  });
}

template <class T>
int run_axpy(Handle* handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
  BlasCall call("cublas axpy", handle);
  const auto factor = call.factor(alpha);
  const auto left = call.strided(x, n, incx);
  const auto sum = call.strided(y, n, incy);
  return call.run([=] {
    for (int i = 0; i < n; ++i) sum[i] += factor() * left[i];
  });
}

template <class T>
int run_dot(Handle* handle, int n, const T* x, int incx, const T* y, int incy, T* result,
            bool is_conjugated) {
  BlasCall call("cublas dot", handle);
  const auto left = call.strided(x, n, incx);
  const auto right = call.strided(y, n, incy);
  return call.run_with_result(result, [=] {
    T sum{};
    for (int i = 0; i < n; ++i) sum += (is_conjugated ? conjugate(left[i]) : left[i]) * right[i];
    return sum;
  });
}

/// |re| + |im|
template <class T>
real_of<T> magnitude(T x) {
  return std::abs(std::real(x)) + std::abs(std::imag(x));
}

template <class T>
int run_asum(Handle* handle, int n, const T* x, int incx, real_of<T>* result) {
  BlasCall call("cublas asum", handle);
  const auto elements = call.strided(x, n, incx);
  return call.run_with_result(result, [=] {
    real_of<T> sum = 0;
    for (int i = 0; i < n; ++i) sum += magnitude(elements[i]);
    return sum;
  });
}

template <class T>
int run_nrm2(Handle* handle, int n, const T* x, int incx, real_of<T>* result) {
  BlasCall call("cublas nrm2", handle);
  const auto elements = call.strided(x, n, incx);
  return call.run_with_result(result, [=] {
    real_of<T> norm = 0;
    for (int i = 0; i < n; ++i) norm = std::hypot(norm, std::abs(elements[i]));
    return norm;
  });
}

/// Stores the index, counted from 1, of the first element of largest or smallest magnitude.
template <class T>
int run_extreme(Handle* handle, int n, const T* x, int incx, int* result, bool is_largest) {
  BlasCall call(is_largest ? "cublas amax" : "cublas amin", handle);
  const auto elements = call.strided(x, n, incx);
  return call.run_with_result(result, [=] {
    int best = 0;
    for (int i = 1; i < n; ++i) {
      const auto value = magnitude(elements[i]);
      const auto best_value = magnitude(elements[best]);
      if (is_largest ? value > best_value : value < best_value) best = i;
    }
    return n > 0 ? best + 1 : 0;
  });
}

template <class T>
int run_gemv(Handle* handle, int op, int m, int n, const T* alpha, const T* a, int lda, const T* x,
             int incx, const T* beta, T* y, int incy) {
  BlasCall call("cublas gemv", handle);
  const int rows = op == not_transposed ? m : n;
  const int columns = op == not_transposed ? n : m;
  const auto alpha_factor = call.factor(alpha);
  const auto beta_factor = call.factor(beta);
  const auto left = call.operand(a, rows, columns, lda, op);
  const auto right = call.strided(x, columns, incx);
  const auto out = call.strided(y, rows, incy);
  return call.run([=] {
    for (int i = 0; i < rows; ++i) {
      T sum{};
      for (int j = 0; j < columns; ++j) sum += left(i, j) * right[j];
      // y may be uninitialized if beta is 0.
      out[i] = beta_factor() == T() ? alpha_factor() * sum
                                    : alpha_factor() * sum + beta_factor() * out[i];
    }
  });
}

template <class T>
int run_ger(Handle* handle, int m, int n, const T* alpha, const T* x, int incx, const T* y,
            int incy, T* a, int lda, bool is_conjugated) {
  BlasCall call("cublas ger", handle);
  const auto alpha_factor = call.factor(alpha);
  const auto left = call.strided(x, m, incx);
  const auto right = call.strided(y, n, incy);
  call.matrix(a, m, n, lda);
  return call.run([=] {
    for (int j = 0; j < n; ++j) {
      const T factor = alpha_factor() * (is_conjugated ? conjugate(right[j]) : right[j]);
      for (int i = 0; i < m; ++i) a[std::int64_t{j} * lda + i] += factor * left[i];
    }
  });
}

template <class T>
int run_sbmv(Handle* handle, int uplo, int n, int k, const T* alpha, const T* a, int lda,
             const T* x, int incx, const T* beta, T* y, int incy) {
  BlasCall call("cublas sbmv", handle);
  const auto alpha_factor = call.factor(alpha);
  const auto beta_factor = call.factor(beta);
  call.matrix(a, std::int64_t{k} + 1, n, lda);
  const auto right = call.strided(x, n, incx);
  const auto out = call.strided(y, n, incy);
  const auto element = [=](std::int64_t row, std::int64_t column) -> T {
    if (std::abs(row - column) > k) return T();
    const bool is_swapped = (row < column) == (uplo == lower);
    const std::int64_t i = is_swapped ? column : row;
    const std::int64_t j = is_swapped ? row : column;
    return a[j * lda + (uplo == lower ? i - j : k + i - j)];
  };
  return call.run([=] {
    for (int i = 0; i < n; ++i) {
      T sum{};
      for (int j = 0; j < n; ++j) sum += element(i, j) * right[j];
      out[i] = beta_factor() == T() ? alpha_factor() * sum
                                    : alpha_factor() * sum + beta_factor() * out[i];
    }
  });
}

/// Copies a triangle to or from its packed columns.
template <class T, class Copy>
int copy_triangle(BlasCall& call, int uplo, int n, const T* packed, const T* a, int lda,
                  Copy copy) {
  call.matrix(a, n, n, lda);
  call.vector(packed, std::int64_t{n} * (n + 1) / 2);
  return call.run([=] {
    std::int64_t position = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t begin = uplo == lower ? j : 0;
      const std::int64_t end = uplo == lower ? n : j + 1;
      for (std::int64_t i = begin; i < end; ++i) copy(position++, j * lda + i);
    }
  });
}
template <class T>
int run_tpttr(Handle* handle, int uplo, int n, const T* packed, T* a, int lda) {
  BlasCall call("cublas tpttr", handle);
  return copy_triangle(
      call, uplo, n, packed, a, lda,
      [=](std::int64_t position, std::int64_t index) { a[index] = packed[position]; });
}
template <class T>
int run_trttp(Handle* handle, int uplo, int n, const T* a, int lda, T* packed) {
  BlasCall call("cublas trttp", handle);
  return copy_triangle(
      call, uplo, n, packed, a, lda,
      [=](std::int64_t position, std::int64_t index) { packed[position] = a[index]; });
}

}  // namespace

#define SKERRY_VECTORS(T, R, type_character, real_characters)                                 \
  SKERRY_BLAS(type_character##scal_v2, scal,                                                  \
              (Handle * handle, int n, const T* alpha, T* x, int incx),                       \
              run_scal(handle, n, alpha, x, incx))                                            \
  SKERRY_BLAS(type_character##axpy_v2, axpy,                                                  \
              (Handle * handle, int n, const T* alpha, const T* x, int incx, T* y, int incy), \
              run_axpy(handle, n, alpha, x, incx, y, incy))                                   \
  SKERRY_BLAS(real_characters##asum_v2, asum,                                                 \
              (Handle * handle, int n, const T* x, int incx, R* sum),                         \
              run_asum(handle, n, x, incx, sum))                                              \
  SKERRY_BLAS(real_characters##nrm2_v2, nrm2,                                                 \
              (Handle * handle, int n, const T* x, int incx, R* norm),                        \
              run_nrm2(handle, n, x, incx, norm))                                             \
  SKERRY_BLAS(type_character##gemv_v2, gemv,                                                  \
              (Handle * handle, int op, int m, int n, const T* alpha, const T* a, int lda,    \
               const T* x, int incx, const T* beta, T* y, int incy),                          \
              run_gemv(handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy))
SKERRY_VECTORS(float32, float32, S, S)
SKERRY_VECTORS(float64, float64, D, D)
SKERRY_VECTORS(std_complex64, float32, C, Sc)
SKERRY_VECTORS(std_complex128, float64, Z, Dz)
#undef SKERRY_VECTORS

SKERRY_BLAS(Csscal_v2, scal_by_real,
            (Handle * handle, int n, const float32* alpha, std_complex64* x, int incx),
            run_scal(handle, n, alpha, x, incx))
SKERRY_BLAS(Zdscal_v2, scal_by_real,
            (Handle * handle, int n, const float64* alpha, std_complex128* x, int incx),
            run_scal(handle, n, alpha, x, incx))

#define SKERRY_EXTREMES(T, type_character)                            \
  SKERRY_BLAS(I##type_character##amax_v2, amax,                       \
              (Handle * handle, int n, const T* x, int incx, int* k), \
              run_extreme(handle, n, x, incx, k, true))               \
  SKERRY_BLAS(I##type_character##amin_v2, amin,                       \
              (Handle * handle, int n, const T* x, int incx, int* k), \
              run_extreme(handle, n, x, incx, k, false))
SKERRY_EXTREMES(float32, s)
SKERRY_EXTREMES(float64, d)
SKERRY_EXTREMES(std_complex64, c)
SKERRY_EXTREMES(std_complex128, z)
#undef SKERRY_EXTREMES

#define SKERRY_PRODUCTS(T, dot_symbol, dot, ger_symbol, ger, is_conjugated)                     \
  SKERRY_BLAS(dot_symbol##_v2, dot,                                                             \
              (Handle * handle, int n, const T* x, int incx, const T* y, int incy, T* product), \
              run_dot(handle, n, x, incx, y, incy, product, is_conjugated))                     \
  SKERRY_BLAS(ger_symbol##_v2, ger,                                                             \
              (Handle * handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
               int incy, T* a, int lda),                                                        \
              run_ger(handle, m, n, alpha, x, incx, y, incy, a, lda, is_conjugated))
SKERRY_PRODUCTS(float32, Sdot, dot, Sger, ger, false)
SKERRY_PRODUCTS(float64, Ddot, dot, Dger, ger, false)
SKERRY_PRODUCTS(std_complex64, Cdotu, dot, Cgeru, ger, false)
SKERRY_PRODUCTS(std_complex128, Zdotu, dot, Zgeru, ger, false)
SKERRY_PRODUCTS(std_complex64, Cdotc, dot_of_conjugate, Cgerc, ger_of_conjugate, true)
SKERRY_PRODUCTS(std_complex128, Zdotc, dot_of_conjugate, Zgerc, ger_of_conjugate, true)
#undef SKERRY_PRODUCTS

#define SKERRY_TRIANGLES(T, type_character)                                                  \
  SKERRY_BLAS(type_character##sbmv_v2, sbmv,                                                 \
              (Handle * handle, int uplo, int n, int k, const T* alpha, const T* a, int lda, \
               const T* x, int incx, const T* beta, T* y, int incy),                         \
              run_sbmv(handle, uplo, n, k, alpha, a, lda, x, incx, beta, y, incy))           \
  SKERRY_BLAS(type_character##tpttr, tpttr,                                                  \
              (Handle * handle, int uplo, int n, const T* packed, T* a, int lda),            \
              run_tpttr(handle, uplo, n, packed, a, lda))                                    \
  SKERRY_BLAS(type_character##trttp, trttp,                                                  \
              (Handle * handle, int uplo, int n, const T* a, int lda, T* packed),            \
              run_trttp(handle, uplo, n, a, lda, packed))
SKERRY_TRIANGLES(float32, S)
SKERRY_TRIANGLES(float64, D)
#undef SKERRY_TRIANGLES

}  // namespace skerry::emulation::cublas
