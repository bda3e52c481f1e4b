// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/library.cuh"
#include "ops/math/concepts.hpp"

#include <cublas_v2.h>

#include <cstddef>
#include <mutex>

namespace skerry::native {

/// The entry points for one dtype: factorizations of stacks of small matrices.
template <class T>
struct cublas_factors;

#define SKERRY_CUBLAS_FACTORS(dtype_, type_character_)                \
  template <>                                                         \
  struct cublas_factors<dtype_> {                                     \
    decltype(&cublas##type_character_##getrfBatched) getrf = nullptr; \
    decltype(&cublas##type_character_##getrsBatched) getrs = nullptr; \
    decltype(&cublas##type_character_##geqrfBatched) geqrf = nullptr; \
                                                                      \
    void find(SharedLibrary& library) {                               \
      library.find("cublas" #type_character_ "getrfBatched", getrf);  \
      library.find("cublas" #type_character_ "getrsBatched", getrs);  \
      library.find("cublas" #type_character_ "geqrfBatched", geqrf);  \
    }                                                                 \
  };
SKERRY_CUBLAS_FACTORS(float32, S)
SKERRY_CUBLAS_FACTORS(float64, D)
SKERRY_CUBLAS_FACTORS(complex64, C)
SKERRY_CUBLAS_FACTORS(complex128, Z)
#undef SKERRY_CUBLAS_FACTORS

struct CublasEntries {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasGemmStridedBatchedEx_64) gemm = nullptr;
  cublas_factors<float32> s;
  cublas_factors<float64> d;
  cublas_factors<complex64> c;
  cublas_factors<complex128> z;
  SharedLibrary library{"libcublas.so." SKERRY_TEXT(CUBLAS_VER_MAJOR), "libcublas.so"};
  Handles<cublasHandle_t> by_device;

  CublasEntries() {
    library.find("cublasCreate_v2", create);
    library.find("cublasSetStream_v2", set_stream);
    library.find("cublasSetWorkspace_v2", set_workspace);
    library.find("cublasSetMathMode", set_math_mode);
    library.find("cublasGemmStridedBatchedEx_64", gemm);
    s.find(library);
    d.find(library);
    c.find(library);
    z.find(library);
  }

  template <class T>
  [[nodiscard]] const cublas_factors<T>& entry_points() const {
    if constexpr (ops::same_v<T, float32>) return s;
    if constexpr (ops::same_v<T, float64>) return d;
    if constexpr (ops::same_v<T, complex64>) return c;
    if constexpr (ops::same_v<T, complex128>) return z;
  }
};

/// Never destroyed: handles last as long as the process, and no CUDA call may be made at its end.
inline CublasEntries& cublas() {
  static auto* one = new CublasEntries;
  return *one;
}

inline cudaError_t to_cuda(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return cudaSuccess;
    case CUBLAS_STATUS_ALLOC_FAILED:
      return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_INVALID_VALUE:
      return cudaErrorInvalidValue;
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return cudaErrorNotSupported;
    default:
      return cudaErrorUnknown;
  }
}

/// Creates a handle that accumulates in the compute type: by default cuBLAS may reduce partial sums
/// in the output type, if it is stored only, which rounds more than once and can overflow.
inline bool create_cublas(cublasHandle_t* new_handle) {
  constexpr auto mode = static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                                  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  return cublas().create(new_handle) == CUBLAS_STATUS_SUCCESS &&
         cublas().set_math_mode(*new_handle, mode) == CUBLAS_STATUS_SUCCESS;
}

/// NVIDIA's recommendation for the newest architecture (cuBLAS documentation, cublasSetWorkspace).
inline constexpr std::size_t cublas_workspace_nbytes = std::size_t{32} << 20;

/// Calls `call(handle)` with cuBLAS's handle, set to the stream and given a workspace, under its
/// lock.
template <class Call>
cudaError_t with_cublas(LaunchContext* context, Call&& call) {
  CublasEntries& entries = cublas();
  if (entries.library.error_message() != nullptr) return cudaErrorNotSupported;
  void* scratch = context->workspace(context, cublas_workspace_nbytes);
  if (scratch == nullptr) return cudaErrorMemoryAllocation;
  const std::lock_guard<std::mutex> lock(entries.by_device.lock());
  const cublasHandle_t handle = entries.by_device.of_current_device(create_cublas);
  if (handle == nullptr) return cudaErrorInitializationError;
  cudaError_t status = to_cuda(entries.set_stream(handle, stream_of(context)));
  if (status != cudaSuccess) return status;
  status = to_cuda(entries.set_workspace(handle, scratch, cublas_workspace_nbytes));
  return status == cudaSuccess ? call(handle) : status;
}

}  // namespace skerry::native
