// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Checks arguments according to the documentation of cuSOLVER 13.0, dense LAPACK functions.

#include "device/emulator/libraries/cusolver.hpp"

#include <algorithm>
#include <new>

#include "device/emulator/libraries/cusolver_call.hpp"
#include "device/emulator/libraries/lapack_calls.hpp"
#include "device/emulator/libraries/singular_vectors.hpp"

namespace skerry::emulation::cusolver {

namespace {

template <class T>
int run_getrf(Handle* handle, int m, int n, T* a, int lda, T* workspace, int* pivots, int* info) {
  Call call("cusolverDn getrf", handle);
  call.matrix(a, m, n, lda);
  call.workspace(workspace, length_for(m, n), 0);
  call.vector(pivots, std::min(m, n));
  call.vector(info, 1);
  return call.run([=] { lapack::getrf<T>(m, n, a, lda, pivots, info); });
}

template <class T>
int run_getrs(Handle* handle, int op, int n, int count, const T* a, int lda, const int* pivots,
              T* b, int ldb, int* info) {
  Call call("cusolverDn getrs", handle);
  call.require(op >= 0 && op <= 2, "invalid operation");
  call.matrix(a, n, n, lda);
  call.matrix(b, n, count, ldb);
  call.vector(pivots, n);
  call.vector(info, 1);
  return call.run([=] { lapack::getrs<T>(op, n, count, a, lda, pivots, b, ldb, info); });
}

template <class T>
int run_potrf(Handle* handle, int uplo, int n, T* a, int lda, T* workspace, int length, int* info) {
  Call call("cusolverDn potrf", handle);
  call.require(is_flag(uplo), "invalid uplo");
  call.matrix(a, n, n, lda);
  call.workspace(workspace, length, length_for(n, n));
  call.vector(info, 1);
  return call.run([=] { lapack::potrf<T>(uplo == upper ? 'U' : 'L', n, a, lda, info); });
}

template <class T>
int run_potrf_batched(Handle* handle, int uplo, int n, T** a, int lda, int* info, int count) {
  Call call("cusolverDn potrfBatched", handle);
  call.require(is_flag(uplo), "invalid uplo");
  call.matrices(a, count, n, n, lda);
  call.vector(info, count);
  return call.run([=] {
    for (int i = 0; i < count; ++i) {
      lapack::potrf<T>(uplo == upper ? 'U' : 'L', n, a[i], lda, info + i);
    }
  });
}

/// The library's bufferSize of geqrf accepts any leading dimension: CuPy passes n.
template <class T>
void check_shape_only(Call& call, const T* a, int m, int n, int lda) {
  call.matrix(a, m, n, std::max(lda, m));
}

template <class T>
int run_geqrf(Handle* handle, int m, int n, T* a, int lda, T* tau, T* workspace, int length,
              int* info) {
  Call call("cusolverDn geqrf", handle);
  call.matrix(a, m, n, lda);
  call.vector(tau, std::min(m, n));
  call.workspace(workspace, length, length_for(m, n));
  call.vector(info, 1);
  return call.run([=] { lapack::geqrf<T>(m, n, a, lda, tau, info); });
}

template <class T>
int run_orgqr(Handle* handle, int m, int n, int k, T* a, int lda, const T* tau, T* workspace,
              int length, int* info) {
  Call call("cusolverDn orgqr", handle);
  call.require(n <= m && k <= n && k >= 0, "k <= n <= m does not hold");
  call.matrix(a, m, n, lda);
  call.vector(tau, k);
  call.workspace(workspace, length, length_for(m, n));
  call.vector(info, 1);
  return call.run([=] { lapack::orgqr<T>(m, n, k, a, lda, tau, info); });
}

template <class T>
int run_gesvdj(Handle* handle, int jobz, int econ, int m, int n, T* a, int lda,
               lapack::real_of<T>* s, T* u, int ldu, T* v, int ldv, T* workspace, int length,
               int* info, const RoutineSettings* settings) {
  Call call("cusolverDn gesvdj", handle);
  call.require(settings != nullptr && settings->mark == LibraryHandle::alive, "invalid params");
  call.require(is_flag(jobz) && is_flag(econ), "invalid jobz or econ");
  const auto [u_columns, v_columns] = vector_counts(econ, m, n);
  call.matrix(a, m, n, lda);
  call.vector(s, std::min(m, n));
  call.require(ldu >= max_with_1(m) && ldv >= max_with_1(n),
               "leading dimension less than the number of rows");
  if (jobz == vectors) {
    call.matrix(u, m, u_columns, ldu);
    call.matrix(v, n, v_columns, ldv);
  }
  call.workspace(workspace, length, length_for(m, n));
  call.vector(info, 1);
  return call.run([=] { decompose<T>(jobz, econ, m, n, a, lda, s, u, ldu, v, ldv, info); });
}

template <class T>
int run_syevd(Handle* handle, int jobz, int uplo, int n, T* a, int lda, lapack::real_of<T>* w,
              T* workspace, int length, int* info) {
  Call call("cusolverDn syevd", handle);
  call.require(is_flag(jobz) && is_flag(uplo), "invalid jobz or uplo");
  call.matrix(a, n, n, lda);
  call.vector(w, n);
  call.workspace(workspace, length, length_for(n, n));
  call.vector(info, 1);
  return call.run([=] {
    lapack::syevd<T>(jobz == vectors ? 'V' : 'N', uplo == upper ? 'U' : 'L', n, a, lda, w, info);
  });
}

template <class Handle>
int make(Handle** new_handle) {
  if (new_handle == nullptr) return invalid_value;
  *new_handle = new (std::nothrow) Handle;
  return *new_handle != nullptr ? success : alloc_failed;
}

template <class Handle>
int unmake(Handle* handle) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  handle->mark = 0;
  delete handle;
  return success;
}

}  // namespace

int create(Handle** new_handle) {
  const int status = make(new_handle);
  if (status == success) (*new_handle)->ordinal = current_device();
  return status;
}
int destroy(Handle* handle) { return unmake(handle); }
int set_stream(Handle* handle, void* stream) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  handle->stream = stream;
  return success;
}
int get_version(int* version) {
  if (version == nullptr) return invalid_value;
  *version = 12004;  // 12.0.4, of CUDA 13.0
  return success;
}
int get_property(int property, int* value) {
  constexpr int version[] = {12, 0, 4};
  if (property < 0 || property > 2 || value == nullptr) return invalid_value;
  *value = version[property];
  return success;
}
int create_gesvdj_settings(RoutineSettings** new_settings) { return make(new_settings); }
int destroy_gesvdj_settings(RoutineSettings* settings) { return unmake(settings); }
int create_settings(RoutineSettings** new_settings) { return make(new_settings); }
int destroy_settings(RoutineSettings* settings) { return unmake(settings); }

#define SKERRY_SOLVER(T, R)                                                                        \
  int getrf_size(Handle* handle, int m, int n, T* a, int lda, int* length) {                       \
    Call call("cusolverDn getrf_bufferSize", handle);                                              \
    call.matrix(a, m, n, lda);                                                                     \
    return say_length(call, length, m, n);                                                         \
  }                                                                                                \
  int getrf(Handle* handle, int m, int n, T* a, int lda, T* workspace, int* pivots, int* info) {   \
    return run_getrf<T>(handle, m, n, a, lda, workspace, pivots, info);                            \
  }                                                                                                \
  int getrs(Handle* handle, int op, int n, int count, const T* a, int lda, const int* pivots,      \
            T* b, int ldb, int* info) {                                                            \
    return run_getrs<T>(handle, op, n, count, a, lda, pivots, b, ldb, info);                       \
  }                                                                                                \
  int potrf_size(Handle* handle, int uplo, int n, T* a, int lda, int* length) {                    \
    Call call("cusolverDn potrf_bufferSize", handle);                                              \
    call.require(is_flag(uplo), "invalid uplo");                                                   \
    call.matrix(a, n, n, lda);                                                                     \
    return say_length(call, length, n, n);                                                         \
  }                                                                                                \
  int potrf(Handle* handle, int uplo, int n, T* a, int lda, T* workspace, int length, int* info) { \
    return run_potrf<T>(handle, uplo, n, a, lda, workspace, length, info);                         \
  }                                                                                                \
  int potrf_batched(Handle* handle, int uplo, int n, T** a, int lda, int* info, int count) {       \
    return run_potrf_batched<T>(handle, uplo, n, a, lda, info, count);                             \
  }                                                                                                \
  int geqrf_size(Handle* handle, int m, int n, T* a, int lda, int* length) {                       \
    Call call("cusolverDn geqrf_bufferSize", handle);                                              \
    check_shape_only(call, a, m, n, lda);                                                          \
    return say_length(call, length, m, n);                                                         \
  }                                                                                                \
  int geqrf(Handle* handle, int m, int n, T* a, int lda, T* tau, T* workspace, int length,         \
            int* info) {                                                                           \
    return run_geqrf<T>(handle, m, n, a, lda, tau, workspace, length, info);                       \
  }                                                                                                \
  int orgqr_size(Handle* handle, int m, int n, int k, const T* a, int lda, const T* tau,           \
                 int* length) {                                                                    \
    Call call("cusolverDn orgqr_bufferSize", handle);                                              \
    call.matrix(a, m, n, lda);                                                                     \
    call.vector(tau, k);                                                                           \
    return say_length(call, length, m, n);                                                         \
  }                                                                                                \
  int orgqr(Handle* handle, int m, int n, int k, T* a, int lda, const T* tau, T* workspace,        \
            int length, int* info) {                                                               \
    return run_orgqr<T>(handle, m, n, k, a, lda, tau, workspace, length, info);                    \
  }                                                                                                \
  int gesvdj_size(Handle* handle, int jobz, int econ, int m, int n, const T* a, int lda, const R*, \
                  const T*, int ldu, const T*, int ldv, int* length, RoutineSettings* settings) {  \
    Call call("cusolverDn gesvdj_bufferSize", handle);                                             \
    call.require(settings != nullptr && is_flag(jobz) && is_flag(econ), "invalid jobz or econ");   \
    call.matrix(a, m, n, lda);                                                                     \
    call.require(ldu >= max_with_1(m) && ldv >= max_with_1(n),                                     \
                 "leading dimension less than the number of rows");                                \
    return say_length(call, length, m, n);                                                         \
  }                                                                                                \
  int gesvdj(Handle* handle, int jobz, int econ, int m, int n, T* a, int lda, R* s, T* u, int ldu, \
             T* v, int ldv, T* workspace, int length, int* info, RoutineSettings* settings) {      \
    return run_gesvdj<T>(handle, jobz, econ, m, n, a, lda, s, u, ldu, v, ldv, workspace, length,   \
                         info, settings);                                                          \
  }                                                                                                \
  int syevd_size(Handle* handle, int jobz, int uplo, int n, const T* a, int lda, const R*,         \
                 int* length) {                                                                    \
    Call call("cusolverDn syevd_bufferSize", handle);                                              \
    call.require(is_flag(jobz) && is_flag(uplo), "invalid jobz or uplo");                          \
    call.matrix(a, n, n, lda);                                                                     \
    return say_length(call, length, n, n);                                                         \
  }                                                                                                \
  int syevd(Handle* handle, int jobz, int uplo, int n, T* a, int lda, R* w, T* workspace,          \
            int length, int* info) {                                                               \
    return run_syevd<T>(handle, jobz, uplo, n, a, lda, w, workspace, length, info);                \
  }
SKERRY_SOLVER(float32, float32)
SKERRY_SOLVER(float64, float64)
SKERRY_SOLVER(complex64, float32)
SKERRY_SOLVER(complex128, float64)
#undef SKERRY_SOLVER

}  // namespace skerry::emulation::cusolver
