// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/library.cuh"
#include "ops/math/concepts.hpp"

#include <cusolverDn.h>

#include <cstdint>
#include <mutex>

// cusolverDnXgeev and cusolverDnXsyevBatched came with cuSOLVER 11.7.1, of CUDA 12.6 update 2.
#if CUSOLVER_VERSION >= 11701
#define SKERRY_HAS_CUSOLVER_11701
#endif

namespace skerry::native {

/// The entry points for one dtype, and cuSOLVER's names for its types.
template <class T>
struct typed_entries;

#define SKERRY_TYPED_ENTRIES(dtype_, cuda_type_, real_, type_character_, orgqr_, syevd_)           \
  template <>                                                                                      \
  struct typed_entries<dtype_> {                                                                   \
    using cuda_type = cuda_type_;                                                                  \
    using real = real_;                                                                            \
    decltype(&cusolverDn##type_character_##getrf_bufferSize) getrf_size = nullptr;                 \
    decltype(&cusolverDn##type_character_##getrf) getrf = nullptr;                                 \
    decltype(&cusolverDn##type_character_##getrs) getrs = nullptr;                                 \
    decltype(&cusolverDn##type_character_##potrf_bufferSize) potrf_size = nullptr;                 \
    decltype(&cusolverDn##type_character_##potrf) potrf = nullptr;                                 \
    decltype(&cusolverDn##type_character_##potrfBatched) potrf_batched = nullptr;                  \
    decltype(&cusolverDn##type_character_##geqrf_bufferSize) geqrf_size = nullptr;                 \
    decltype(&cusolverDn##type_character_##geqrf) geqrf = nullptr;                                 \
    decltype(&cusolverDn##type_character_##orgqr_##_bufferSize) orgqr_size = nullptr;              \
    decltype(&cusolverDn##type_character_##orgqr_) orgqr = nullptr;                                \
    decltype(&cusolverDn##type_character_##gesvdj_bufferSize) gesvdj_size = nullptr;               \
    decltype(&cusolverDn##type_character_##gesvdj) gesvdj = nullptr;                               \
    decltype(&cusolverDn##type_character_##gesvdjBatched_bufferSize) gesvdj_batched_size =         \
        nullptr;                                                                                   \
    decltype(&cusolverDn##type_character_##gesvdjBatched) gesvdj_batched = nullptr;                \
    decltype(&cusolverDn##type_character_##syevd_##_bufferSize) syevd_size = nullptr;              \
    decltype(&cusolverDn##type_character_##syevd_) syevd = nullptr;                                \
                                                                                                   \
    void find(SharedLibrary& library) {                                                            \
      library.find("cusolverDn" #type_character_ "getrf_bufferSize", getrf_size);                  \
      library.find("cusolverDn" #type_character_ "getrf", getrf);                                  \
      library.find("cusolverDn" #type_character_ "getrs", getrs);                                  \
      library.find("cusolverDn" #type_character_ "potrf_bufferSize", potrf_size);                  \
      library.find("cusolverDn" #type_character_ "potrf", potrf);                                  \
      library.find("cusolverDn" #type_character_ "potrfBatched", potrf_batched);                   \
      library.find("cusolverDn" #type_character_ "geqrf_bufferSize", geqrf_size);                  \
      library.find("cusolverDn" #type_character_ "geqrf", geqrf);                                  \
      library.find("cusolverDn" #type_character_ #orgqr_ "_bufferSize", orgqr_size);               \
      library.find("cusolverDn" #type_character_ #orgqr_, orgqr);                                  \
      library.find("cusolverDn" #type_character_ "gesvdj_bufferSize", gesvdj_size);                \
      library.find("cusolverDn" #type_character_ "gesvdj", gesvdj);                                \
      library.find("cusolverDn" #type_character_ "gesvdjBatched_bufferSize", gesvdj_batched_size); \
      library.find("cusolverDn" #type_character_ "gesvdjBatched", gesvdj_batched);                 \
      library.find("cusolverDn" #type_character_ #syevd_ "_bufferSize", syevd_size);               \
      library.find("cusolverDn" #type_character_ #syevd_, syevd);                                  \
    }                                                                                              \
  };
SKERRY_TYPED_ENTRIES(float32, float, float, S, orgqr, syevd)
SKERRY_TYPED_ENTRIES(float64, double, double, D, orgqr, syevd)
SKERRY_TYPED_ENTRIES(complex64, cuComplex, float, C, ungqr, heevd)
SKERRY_TYPED_ENTRIES(complex128, cuDoubleComplex, double, Z, ungqr, heevd)
#undef SKERRY_TYPED_ENTRIES

struct CusolverEntries {
  decltype(&cusolverDnCreate) create = nullptr;
  decltype(&cusolverDnSetStream) set_stream = nullptr;
  decltype(&cusolverDnCreateGesvdjInfo) create_gesvdj = nullptr;
  decltype(&cusolverDnDestroyGesvdjInfo) destroy_gesvdj = nullptr;
#ifdef SKERRY_HAS_CUSOLVER_11701
  decltype(&cusolverDnXgeev_bufferSize) geev_size = nullptr;
  decltype(&cusolverDnXgeev) geev = nullptr;
  decltype(&cusolverDnXsyevBatched_bufferSize) syev_batched_size = nullptr;
  decltype(&cusolverDnXsyevBatched) syev_batched = nullptr;  // null if missing or faulty
  decltype(&cusolverDnCreateParams) create_params = nullptr;
  decltype(&cusolverDnDestroyParams) destroy_params = nullptr;
#endif
  typed_entries<float32> s;
  typed_entries<float64> d;
  typed_entries<complex64> c;
  typed_entries<complex128> z;
  SharedLibrary library{"libcusolver.so." SKERRY_TEXT(CUSOLVER_VER_MAJOR), "libcusolver.so"};
  Handles<cusolverDnHandle_t> by_device;

  CusolverEntries() {
    library.find("cusolverDnCreate", create);
    library.find("cusolverDnSetStream", set_stream);
    library.find("cusolverDnCreateGesvdjInfo", create_gesvdj);
    library.find("cusolverDnDestroyGesvdjInfo", destroy_gesvdj);
#ifdef SKERRY_HAS_CUSOLVER_11701
    library.find("cusolverDnXgeev_bufferSize", geev_size, true);
    library.find("cusolverDnXgeev", geev, true);
    if (version() >= first_right_syev_batched) {
      library.find("cusolverDnXsyevBatched_bufferSize", syev_batched_size, true);
      library.find("cusolverDnXsyevBatched", syev_batched, true);
    }
    library.find("cusolverDnCreateParams", create_params);
    library.find("cusolverDnDestroyParams", destroy_params);
#endif
    s.find(library);
    d.find(library);
    c.find(library);
    z.find(library);
  }

  template <class T>
  [[nodiscard]] const typed_entries<T>& entry_points() const {
    if constexpr (ops::same_v<T, float32>) return s;
    if constexpr (ops::same_v<T, float64>) return d;
    if constexpr (ops::same_v<T, complex64>) return c;
    if constexpr (ops::same_v<T, complex128>) return z;
  }

 private:
  /// 11.7.1 is sometimes wrong for lower triangles of complex64 (JuliaGPU/CUDA.jl, pull requests
  /// 2577 and 2636).
  static constexpr int first_right_syev_batched = 11702;

  /// Version of the library that was opened, which may differ from that of the headers.
  int version() {
    decltype(&cusolverGetVersion) ask = nullptr;
    library.find("cusolverGetVersion", ask, true);
    int version_number = 0;
    return ask != nullptr && ask(&version_number) == CUSOLVER_STATUS_SUCCESS ? version_number : 0;
  }
};

/// Never destroyed: handles last as long as the process, and no CUDA call may be made at its end.
inline CusolverEntries& cusolver() {
  static auto* one = new CusolverEntries;
  return *one;
}

inline cudaError_t to_cuda(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_SUCCESS:
      return cudaSuccess;
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return cudaErrorMemoryAllocation;
    case CUSOLVER_STATUS_INVALID_VALUE:
      return cudaErrorInvalidValue;
    case CUSOLVER_STATUS_NOT_SUPPORTED:
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return cudaErrorNotSupported;
    default:
      return cudaErrorUnknown;
  }
}

/// One call: holds cuSOLVER's handle, set to the stream, and its lock.
struct CusolverCall {
  cusolverDnHandle_t handle = nullptr;
  cudaError_t status = cudaSuccess;
  LaunchContext* context;
  std::lock_guard<std::mutex> lock;

  explicit CusolverCall(LaunchContext* launch_context)
      : context(launch_context), lock(cusolver().by_device.lock()) {
    CusolverEntries& entries = cusolver();
    handle = entries.by_device.of_current_device([&](cusolverDnHandle_t* new_handle) {
      return entries.create(new_handle) == CUSOLVER_STATUS_SUCCESS;
    });
    status = handle == nullptr ? cudaErrorInitializationError
                               : to_cuda(entries.set_stream(handle, stream_of(context)));
  }

  [[nodiscard]] bool ok() const { return status == cudaSuccess; }
  void note(cusolverStatus_t next) {
    if (ok()) status = to_cuda(next);
  }
  void note(cudaError_t next) {
    if (ok()) status = next;
  }
  /// Allocates scratch memory for `count` items; returns null and sets the status on failure.
  template <class U>
  U* scratch(std::int64_t count) {
    if (!ok()) return nullptr;
    const std::size_t nbytes = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(U);
    void* memory = context->workspace(context, nbytes);
    if (memory == nullptr) status = cudaErrorMemoryAllocation;
    return static_cast<U*>(memory);
  }
};

inline int narrow(std::int64_t value) { return static_cast<int>(value); }
inline std::int64_t minimum(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// Returns matrix `i` of a stack of rows x columns.
template <class U>
U* matrix_at(char* stack, std::int64_t i, std::int64_t rows, std::int64_t columns) {
  return reinterpret_cast<U*>(stack) + i * rows * columns;
}

}  // namespace skerry::native
