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

/// The entry points for one dtype, and how cuSOLVER spells its types.
template <class T>
struct typed_entries;

#define SKERRY_TYPED_ENTRIES(dtype_, own_, real_, letter_, orgqr_, syevd_)                  \
  template <>                                                                               \
  struct typed_entries<dtype_> {                                                            \
    using own = own_;                                                                       \
    using real = real_;                                                                     \
    decltype(&cusolverDn##letter_##getrf_bufferSize) getrf_size = nullptr;                  \
    decltype(&cusolverDn##letter_##getrf) getrf = nullptr;                                  \
    decltype(&cusolverDn##letter_##getrs) getrs = nullptr;                                  \
    decltype(&cusolverDn##letter_##potrf_bufferSize) potrf_size = nullptr;                  \
    decltype(&cusolverDn##letter_##potrf) potrf = nullptr;                                  \
    decltype(&cusolverDn##letter_##potrfBatched) potrf_batched = nullptr;                   \
    decltype(&cusolverDn##letter_##geqrf_bufferSize) geqrf_size = nullptr;                  \
    decltype(&cusolverDn##letter_##geqrf) geqrf = nullptr;                                  \
    decltype(&cusolverDn##letter_##orgqr_##_bufferSize) orgqr_size = nullptr;               \
    decltype(&cusolverDn##letter_##orgqr_) orgqr = nullptr;                                 \
    decltype(&cusolverDn##letter_##gesvdj_bufferSize) gesvdj_size = nullptr;                \
    decltype(&cusolverDn##letter_##gesvdj) gesvdj = nullptr;                                \
    decltype(&cusolverDn##letter_##gesvdjBatched_bufferSize) gesvdj_batched_size = nullptr; \
    decltype(&cusolverDn##letter_##gesvdjBatched) gesvdj_batched = nullptr;                 \
    decltype(&cusolverDn##letter_##syevd_##_bufferSize) syevd_size = nullptr;               \
    decltype(&cusolverDn##letter_##syevd_) syevd = nullptr;                                 \
                                                                                            \
    void find(SharedLibrary& library) {                                                     \
      library.find("cusolverDn" #letter_ "getrf_bufferSize", getrf_size);                   \
      library.find("cusolverDn" #letter_ "getrf", getrf);                                   \
      library.find("cusolverDn" #letter_ "getrs", getrs);                                   \
      library.find("cusolverDn" #letter_ "potrf_bufferSize", potrf_size);                   \
      library.find("cusolverDn" #letter_ "potrf", potrf);                                   \
      library.find("cusolverDn" #letter_ "potrfBatched", potrf_batched);                    \
      library.find("cusolverDn" #letter_ "geqrf_bufferSize", geqrf_size);                   \
      library.find("cusolverDn" #letter_ "geqrf", geqrf);                                   \
      library.find("cusolverDn" #letter_ #orgqr_ "_bufferSize", orgqr_size);                \
      library.find("cusolverDn" #letter_ #orgqr_, orgqr);                                   \
      library.find("cusolverDn" #letter_ "gesvdj_bufferSize", gesvdj_size);                 \
      library.find("cusolverDn" #letter_ "gesvdj", gesvdj);                                 \
      library.find("cusolverDn" #letter_ "gesvdjBatched_bufferSize", gesvdj_batched_size);  \
      library.find("cusolverDn" #letter_ "gesvdjBatched", gesvdj_batched);                  \
      library.find("cusolverDn" #letter_ #syevd_ "_bufferSize", syevd_size);                \
      library.find("cusolverDn" #letter_ #syevd_, syevd);                                   \
    }                                                                                       \
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
  decltype(&cusolverDnXsyevBatched) syev_batched = nullptr;  // null where it can't be used
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
  [[nodiscard]] const typed_entries<T>& of() const {
    if constexpr (ops::same_v<T, float32>) return s;
    if constexpr (ops::same_v<T, float64>) return d;
    if constexpr (ops::same_v<T, complex64>) return c;
    if constexpr (ops::same_v<T, complex128>) return z;
  }

 private:
  /// 11.7.1 is wrong now and then for lower triangles of complex64 (JuliaGPU/CUDA.jl, pull requests
  /// 2577 and 2636).
  static constexpr int first_right_syev_batched = 11702;

  /// For the library that was opened, which may be another than that of the headers.
  int version() {
    decltype(&cusolverGetVersion) ask = nullptr;
    library.find("cusolverGetVersion", ask, true);
    int found = 0;
    return ask != nullptr && ask(&found) == CUSOLVER_STATUS_SUCCESS ? found : 0;
  }
};

/// Never destroyed: handles go with the process, at whose end no CUDA call may be made.
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

/// One call: cuSOLVER's handle on the stream, with the lock on it.
struct Session {
  cusolverDnHandle_t handle = nullptr;
  cudaError_t status = cudaSuccess;
  LaunchContext* context;
  std::lock_guard<std::mutex> lock;

  explicit Session(LaunchContext* of) : context(of), lock(cusolver().by_device.lock()) {
    CusolverEntries& mine = cusolver();
    handle = mine.by_device.of_current_device(
        [&](cusolverDnHandle_t* made) { return mine.create(made) == CUSOLVER_STATUS_SUCCESS; });
    status = handle == nullptr ? cudaErrorInitializationError
                               : to_cuda(mine.set_stream(handle, stream_of(context)));
  }

  [[nodiscard]] bool ok() const { return status == cudaSuccess; }
  void note(cusolverStatus_t next) {
    if (ok()) status = to_cuda(next);
  }
  void note(cudaError_t next) {
    if (ok()) status = next;
  }
  /// Scratch memory for `count` items; null, with the status set, where there is none.
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
inline std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// Matrix `i` of a stack of rows x columns.
template <class U>
U* at(char* stack, std::int64_t i, std::int64_t rows, std::int64_t columns) {
  return reinterpret_cast<U*>(stack) + i * rows * columns;
}

}  // namespace skerry::native
