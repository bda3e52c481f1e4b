// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "device/emulator/libraries/stand_in_library.hpp"

// The part of CUDA 13's cuBLAS that skerry's matmul.cu and linalg.cu call, and the handle that
// all its routines share. Those that only CuPy calls are declared in their sources.

namespace skerry::emulation::cublas {

inline constexpr int success = 0;
inline constexpr int not_initialized = 1;
inline constexpr int alloc_failed = 3;
inline constexpr int invalid_value = 7;
inline constexpr int execution_failed = 13;
inline constexpr int not_supported = 15;

inline constexpr int not_transposed = 0;
inline constexpr int transposed = 1;
inline constexpr int adjoint = 2;

// cudaDataType, cublasComputeType_t
inline constexpr int real_16 = 2;
inline constexpr int brain_16 = 14;
inline constexpr int real_32 = 0;
inline constexpr int real_64 = 1;
inline constexpr int complex_32 = 4;
inline constexpr int complex_64 = 5;
inline constexpr int compute_32 = 68;
inline constexpr int compute_32_pedantic = 69;
inline constexpr int compute_64 = 70;
inline constexpr int compute_64_pedantic = 71;
inline constexpr int compute_32_fast_tf32 = 77;

// cublasMath_t
inline constexpr int default_math = 0;
inline constexpr int tf32_math = 3;  // the last of the modes; tensor cores, pedantic
inline constexpr int disallow_reduced_precision_reduction = 16;

// cublasPointerMode_t
inline constexpr int pointers_to_host = 0;
inline constexpr int pointers_to_device = 1;

struct Handle : LibraryHandle {
  int pointer_mode = pointers_to_host;
  int math_mode = default_math;
  void* workspace = nullptr;
  std::size_t workspace_nbytes = 0;
};

int create(Handle** new_handle) SKERRY_LIBRARY(cublasCreate_v2);
int destroy(Handle* handle) SKERRY_LIBRARY(cublasDestroy_v2);
int set_stream(Handle* handle, void* stream) SKERRY_LIBRARY(cublasSetStream_v2);
int set_workspace(Handle* handle, void* workspace, std::size_t nbytes)
    SKERRY_LIBRARY(cublasSetWorkspace_v2);
int set_math_mode(Handle* handle, int mode) SKERRY_LIBRARY(cublasSetMathMode);
int get_math_mode(const Handle* handle, int* mode) SKERRY_LIBRARY(cublasGetMathMode);
int get_stream(const Handle* handle, void** stream) SKERRY_LIBRARY(cublasGetStream_v2);
int set_pointer_mode(Handle* handle, int mode) SKERRY_LIBRARY(cublasSetPointerMode_v2);
int get_pointer_mode(const Handle* handle, int* mode) SKERRY_LIBRARY(cublasGetPointerMode_v2);
int get_version(const Handle* handle, int* version) SKERRY_LIBRARY(cublasGetVersion_v2);
int gemm_strided_batched(Handle* handle, int op_a, int op_b, std::int64_t m, std::int64_t n,
                         std::int64_t k, const void* alpha, const void* a, int type_a,
                         std::int64_t lda, long long stride_a, const void* b, int type_b,
                         std::int64_t ldb, long long stride_b, const void* beta, void* c,
                         int type_c, std::int64_t ldc, long long stride_c, std::int64_t count,
                         int compute, int algorithm) SKERRY_LIBRARY(cublasGemmStridedBatchedEx_64);

/// Computes C = alpha op(A) op(B) + beta C at once. All matrices have the type `type`.
void multiply_matrices(int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                       const void* alpha, const void* a, std::int64_t lda, const void* b,
                       std::int64_t ldb, const void* beta, void* c, std::int64_t ldc, int type);

#define SKERRY_FACTORS(T, type_character)                                                          \
  int getrf_batched(Handle* handle, int n, T* const* a, int lda, int* pivots, int* info,           \
                    int count) SKERRY_LIBRARY(cublas##type_character##getrfBatched);               \
  int getrs_batched(Handle* handle, int op, int n, int columns, const T* const* a, int lda,        \
                    const int* pivots, T* const* b, int ldb, int* wrong, int count)                \
      SKERRY_LIBRARY(cublas##type_character##getrsBatched);                                        \
  int geqrf_batched(Handle* handle, int m, int n, T* const* a, int lda, T* const* tau, int* wrong, \
                    int count) SKERRY_LIBRARY(cublas##type_character##geqrfBatched);
SKERRY_FACTORS(float32, S)
SKERRY_FACTORS(float64, D)
SKERRY_FACTORS(complex64, C)
SKERRY_FACTORS(complex128, Z)
#undef SKERRY_FACTORS

}  // namespace skerry::emulation::cublas
