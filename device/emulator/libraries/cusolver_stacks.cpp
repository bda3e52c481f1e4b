// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Emulates cusolverDn<t>gesvdjBatched and cusolverDnXsyevBatched. Arguments are checked as
// documented for cuSOLVER 13.0.

#include <cstring>
#include <limits>

#include "device/emulator/libraries/cusolver_call.hpp"
#include "device/emulator/libraries/lapack_calls.hpp"
#include "device/emulator/libraries/singular_vectors.hpp"

namespace skerry::emulation::cusolver {

namespace {

constexpr int garbage = 0xa5;

void check_settings(Call& call, const RoutineSettings* settings) {
  call.require(settings != nullptr && settings->mark == LibraryHandle::alive, "invalid params");
}

/// Checks a stack of `count` consecutive matrices.
template <class T>
void check_stack(Call& call, const T* data, std::int64_t rows, std::int64_t columns,
                 std::int64_t leading, std::int64_t count) {
  call.require(count >= 0, "negative number of matrices");
  call.matrix(data, rows, columns * count, leading);
}

// ---- singular values

template <class T>
void check_gesvdj(Call& call, int jobz, int m, int n, const T* a, int lda, int ldu, int ldv,
                  const RoutineSettings* settings, int count) {
  check_settings(call, settings);
  constexpr int max_extent = 32;
  call.require(is_flag(jobz), "invalid jobz");
  call.require(m >= 0 && n >= 0, "negative extent");
  call.require(m <= max_extent && n <= max_extent, "more than 32 rows or columns");
  call.require(ldu >= max_with_1(m) && ldv >= max_with_1(n),
               "leading dimension less than the number of rows");
  check_stack(call, a, m, n, lda, count);
}

template <class T>
int run_gesvdj_batched(Handle* handle, int jobz, int m, int n, T* a, int lda, lapack::real_of<T>* s,
                       T* u, int ldu, T* v, int ldv, T* workspace, int length, int* info,
                       const RoutineSettings* settings, int count) {
  Call call("cusolverDn gesvdjBatched", handle);
  check_gesvdj(call, jobz, m, n, a, lda, ldu, ldv, settings, count);
  const int values = std::min(m, n);
  call.vector(s, std::int64_t{values} * count);
  // Required even if jobz requests no singular vectors: the library fails if u or v is null.
  check_stack(call, u, m, m, ldu, count);
  check_stack(call, v, n, n, ldv, count);
  call.workspace(workspace, length, length_for(m, std::int64_t{n} * count));
  call.vector(info, count);
  return call.run([=] {
    if (jobz == no_vectors) {
      std::memset(static_cast<void*>(u), garbage,
                  extent_of_matrix(m, std::int64_t{m} * count, ldu, sizeof(T)));
      std::memset(static_cast<void*>(v), garbage,
                  extent_of_matrix(n, std::int64_t{n} * count, ldv, sizeof(T)));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      decompose<T>(jobz, 0, m, n, a + i * lda * n, lda, s + i * values, u + i * ldu * m, ldu,
                   v + i * ldv * n, ldv, info + i);
    }
  });
}

// ---- eigenvalues

/// Common arguments of syevBatched and its bufferSize.
struct SyevRequest {
  const RoutineSettings* settings;
  int jobz;
  int uplo;
  std::int64_t n;
  int type_a;
  std::int64_t lda;
  int type_w;
  int compute;
  std::int64_t count;
};

void check(Call& call, const SyevRequest& request) {
  check_settings(call, request.settings);
  call.require(is_flag(request.jobz) && is_flag(request.uplo), "invalid jobz or uplo");
  call.require(request.n >= 0 && request.lda >= max_with_1(request.n),
               "negative extent, or leading dimension less than the number of rows");
  call.require(request.count >= 1, "batchSize less than 1");
  call.require(call.status() != success || request.n == 0 ||
                   request.count <= std::numeric_limits<int>::max() / request.lda / request.n,
               "2^31 or more elements");
  // CUDA_R_32F and _64F are 0 and 1, CUDA_C_32F and _64F are 4 and 5.
  const bool is_known =
      request.type_a == 0 || request.type_a == 1 || request.type_a == 4 || request.type_a == 5;
  if (!is_known || request.type_w != request.type_a % 4 || request.compute != request.type_a) {
    call.reject(not_supported, "unsupported combination of types");
  }
}

template <class T>
int run_syev_batched(Call& call, const SyevRequest& request, void* a, void* w, void* host_work,
                     std::size_t host_nbytes, int* info) {
  auto* const matrices = static_cast<T*>(a);
  auto* const values = static_cast<lapack::real_of<T>*>(w);
  check_stack(call, matrices, request.n, request.n, request.lda, request.count);
  call.vector(values, request.n * request.count);
  call.vector(info, request.count);
  return call.run([=] {
    std::memset(host_work, garbage, host_nbytes);
    const auto n = static_cast<int>(request.n);
    for (std::int64_t i = 0; i < request.count; ++i) {
      lapack::syevd<T>(request.jobz == vectors ? 'V' : 'N', request.uplo == upper ? 'U' : 'L', n,
                       matrices + i * request.lda * n, static_cast<int>(request.lda),
                       values + i * n, info + i);
    }
  });
}

std::size_t device_nbytes_for(const SyevRequest& request) {
  return static_cast<std::size_t>(length_for(request.n, request.n * request.count));
}

}  // namespace

int syev_batched_size(Handle* handle, RoutineSettings* settings, int jobz, int uplo, std::int64_t n,
                      int type_a, const void*, std::int64_t lda, int type_w, const void*,
                      int compute, std::size_t* device_nbytes, std::size_t* host_nbytes,
                      std::int64_t count) {
  const SyevRequest request{settings, jobz, uplo, n, type_a, lda, type_w, compute, count};
  Call call("cusolverDnXsyevBatched_bufferSize", handle);
  check(call, request);
  call.require(device_nbytes != nullptr && host_nbytes != nullptr,
               "null pointer to a workspace size");
  if (call.status() != success) return call.status();
  *device_nbytes = device_nbytes_for(request);
  *host_nbytes = device_nbytes_for(request) + 1;
  return success;
}

int syev_batched(Handle* handle, RoutineSettings* settings, int jobz, int uplo, std::int64_t n,
                 int type_a, void* a, std::int64_t lda, int type_w, void* w, int compute,
                 void* device_work, std::size_t device_nbytes, void* host_work,
                 std::size_t host_nbytes, int* info, std::int64_t count) {
  const SyevRequest request{settings, jobz, uplo, n, type_a, lda, type_w, compute, count};
  Call call("cusolverDnXsyevBatched", handle);
  check(call, request);
  if (call.status() != success) return call.status();
  const std::size_t required_nbytes = device_nbytes_for(request);
  call.require(host_nbytes > required_nbytes && host_work != nullptr,
               "host workspace null or smaller than bufferSize returned");
  call.workspace(static_cast<char*>(device_work), static_cast<std::int64_t>(device_nbytes),
                 static_cast<std::int64_t>(required_nbytes));
  const auto function = type_a == 0   ? run_syev_batched<float32>
                        : type_a == 1 ? run_syev_batched<float64>
                        : type_a == 4 ? run_syev_batched<complex64>
                                      : run_syev_batched<complex128>;
  return function(call, request, a, w, host_work, host_nbytes, info);
}

#define SKERRY_SOLVER(T, R)                                                                        \
  int gesvdj_batched_size(Handle* handle, int jobz, int m, int n, const T* a, int lda, const R*,   \
                          const T*, int ldu, const T*, int ldv, int* length,                       \
                          RoutineSettings* settings, int count) {                                  \
    Call call("cusolverDn gesvdjBatched_bufferSize", handle);                                      \
    check_gesvdj(call, jobz, m, n, a, lda, ldu, ldv, settings, count);                             \
    return say_length(call, length, m, std::int64_t{n} * count);                                   \
  }                                                                                                \
  int gesvdj_batched(Handle* handle, int jobz, int m, int n, T* a, int lda, R* s, T* u, int ldu,   \
                     T* v, int ldv, T* workspace, int length, int* info,                           \
                     RoutineSettings* settings, int count) {                                       \
    return run_gesvdj_batched<T>(handle, jobz, m, n, a, lda, s, u, ldu, v, ldv, workspace, length, \
                                 info, settings, count);                                           \
  }
SKERRY_SOLVER(float32, float32)
SKERRY_SOLVER(float64, float64)
SKERRY_SOLVER(complex64, float32)
SKERRY_SOLVER(complex128, float64)
#undef SKERRY_SOLVER

}  // namespace skerry::emulation::cusolver
