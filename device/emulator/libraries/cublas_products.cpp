// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Other forms of products of matrices in cuBLAS 13.0, by cublasGemmStridedBatchedEx_64.

#include "device/emulator/libraries/cublas_call.hpp"

namespace skerry::emulation::cublas {

namespace {

template <class T>
inline constexpr int type_code = 0;
template <>
inline constexpr int type_code<float32> = real_32;
template <>
inline constexpr int type_code<float64> = real_64;
template <>
inline constexpr int type_code<std_complex64> = complex_32;
template <>
inline constexpr int type_code<std_complex128> = complex_64;

template <class T>
int run_strided(Handle* handle, int op_a, int op_b, int m, int n, int k, const T* alpha, const T* a,
                int lda, long long stride_a, const T* b, int ldb, long long stride_b, const T* beta,
                T* c, int ldc, long long stride_c, int count) {
  constexpr int type = type_code<T>;
  constexpr int compute = std::is_same_v<real_of<T>, float32> ? compute_32 : compute_64;
  constexpr int default_algorithm = -1;
  return gemm_strided_batched(handle, op_a, op_b, m, n, k, alpha, a, type, lda, stride_a, b, type,
                              ldb, stride_b, beta, c, type, ldc, stride_c, count, compute,
                              default_algorithm);
}

/// Calls the strided form for each matrix, in stream order. The lists are read when the stream
/// reaches this call, as the library does.
template <class T>
int run_batched(Handle* handle, int op_a, int op_b, int m, int n, int k, const T* alpha,
                const T* const* a, int lda, const T* const* b, int ldb, const T* beta, T* const* c,
                int ldc, int count) {
  BlasCall call("cublas gemmBatched", handle);
  const bool is_a = op_a == not_transposed;
  const bool is_b = op_b == not_transposed;
  const auto alpha_factor = call.factor(alpha);
  const auto beta_factor = call.factor(beta);
  call.require(op_a >= not_transposed && op_a <= adjoint, "invalid operation");
  call.require(op_b >= not_transposed && op_b <= adjoint, "invalid operation");
  call.matrices(a, count, is_a ? m : k, is_a ? k : m, lda);
  call.matrices(b, count, is_b ? k : n, is_b ? n : k, ldb);
  call.matrices(c, count, m, n, ldc);
  return call.run([=] {
    const T alpha_now = alpha_factor();
    const T beta_now = beta_factor();
    for (int i = 0; i < count; ++i) {
      multiply_matrices(op_a, op_b, m, n, k, &alpha_now, a[i], lda, b[i], ldb, &beta_now, c[i], ldc,
                        type_code<T>);
    }
  });
}

}  // namespace

#define SKERRY_GEMM(T, type_character)                                                            \
  SKERRY_ENTRY_POINT(cublas##type_character##gemm_v2, gemm,                                       \
                     (Handle * handle, int op_a, int op_b, int m, int n, int k, const T* alpha,   \
                      const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc)) {  \
    return run_strided(handle, op_a, op_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, \
                       1);                                                                        \
  }                                                                                               \
  SKERRY_ENTRY_POINT(                                                                             \
      cublas##type_character##gemmStridedBatched, gemm_strided,                                   \
      (Handle * handle, int op_a, int op_b, int m, int n, int k, const T* alpha, const T* a,      \
       int lda, long long stride_a, const T* b, int ldb, long long stride_b, const T* beta, T* c, \
       int ldc, long long stride_c, int count)) {                                                 \
    return run_strided(handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b,    \
                       beta, c, ldc, stride_c, count);                                            \
  }                                                                                               \
  SKERRY_ENTRY_POINT(cublas##type_character##gemmBatched, gemm_batched,                           \
                     (Handle * handle, int op_a, int op_b, int m, int n, int k, const T* alpha,   \
                      const T* const* a, int lda, const T* const* b, int ldb, const T* beta,      \
                      T* const* c, int ldc, int count)) {                                         \
    return run_batched(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);  \
  }
SKERRY_GEMM(float32, S)
SKERRY_GEMM(float64, D)
SKERRY_GEMM(std_complex64, C)
SKERRY_GEMM(std_complex128, Z)
#undef SKERRY_GEMM

SKERRY_ENTRY_POINT(cublasGemmEx, gemm_of_types,
                   (Handle * handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                    const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                    const void* beta, void* c, int type_c, int ldc, int compute, int algorithm)) {
  return gemm_strided_batched(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb,
                              0, beta, c, type_c, ldc, 0, 1, compute, algorithm);
}

SKERRY_ENTRY_POINT(cublasGemmStridedBatchedEx, gemm_strided_of_types,
                   (Handle * handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                    const void* a, int type_a, int lda, long long stride_a, const void* b,
                    int type_b, int ldb, long long stride_b, const void* beta, void* c, int type_c,
                    int ldc, long long stride_c, int count, int compute, int algorithm)) {
  return gemm_strided_batched(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, stride_a, b,
                              type_b, ldb, stride_b, beta, c, type_c, ldc, stride_c, count, compute,
                              algorithm);
}

SKERRY_ENTRY_POINT(cublasSgemmEx, gemm_of_halves,
                   (Handle * handle, int op_a, int op_b, int m, int n, int k, const float32* alpha,
                    const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                    const float32* beta, void* c, int type_c, int ldc)) {
  constexpr int default_algorithm = -1;
  return gemm_strided_batched(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb,
                              0, beta, c, type_c, ldc, 0, 1, compute_32, default_algorithm);
}

}  // namespace skerry::emulation::cublas
