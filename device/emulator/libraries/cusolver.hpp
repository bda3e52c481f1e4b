// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "device/emulator/libraries/stand_in_library.hpp"
#include "ops/math/concepts.hpp"

// The part of CUDA 13's cuSOLVER that skerry's linalg.cu calls; functions that only CuPy calls are
// declared in their sources. Functions for the types S, D, C and Z are
// overloads of one name.

namespace skerry::emulation::cusolver {

inline constexpr int success = 0;
inline constexpr int not_initialized = 1;
inline constexpr int alloc_failed = 2;
inline constexpr int invalid_value = 3;
inline constexpr int execution_failed = 6;
inline constexpr int not_supported = 9;

inline constexpr int no_vectors = 0;
inline constexpr int vectors = 1;
inline constexpr int lower = 0;
inline constexpr int upper = 1;

struct Handle : LibraryHandle {};
/// gesvdjInfo_t and cusolverDnParams_t, without options: skerry uses the defaults.
struct RoutineSettings {
  std::uint64_t mark = LibraryHandle::alive;
};

int create(Handle** new_handle) SKERRY_LIBRARY(cusolverDnCreate);
int destroy(Handle* handle) SKERRY_LIBRARY(cusolverDnDestroy);
int set_stream(Handle* handle, void* stream) SKERRY_LIBRARY(cusolverDnSetStream);
int get_version(int* version) SKERRY_LIBRARY(cusolverGetVersion);
/// `property`: 0, 1, 2 for the major, minor and patch version.
int get_property(int property, int* value) SKERRY_LIBRARY(cusolverGetProperty);
int create_gesvdj_settings(RoutineSettings** new_settings)
    SKERRY_LIBRARY(cusolverDnCreateGesvdjInfo);
int destroy_gesvdj_settings(RoutineSettings* settings) SKERRY_LIBRARY(cusolverDnDestroyGesvdjInfo);
int create_settings(RoutineSettings** new_settings) SKERRY_LIBRARY(cusolverDnCreateParams);
int destroy_settings(RoutineSettings* settings) SKERRY_LIBRARY(cusolverDnDestroyParams);

#define SKERRY_SOLVER(T, R, type_character, orgqr_, syevd_)                                        \
  int getrf_size(Handle* handle, int m, int n, T* a, int lda, int* length)                         \
      SKERRY_LIBRARY(cusolverDn##type_character##getrf_bufferSize);                                \
  int getrf(Handle* handle, int m, int n, T* a, int lda, T* workspace, int* pivots, int* info)     \
      SKERRY_LIBRARY(cusolverDn##type_character##getrf);                                           \
  int getrs(Handle* handle, int op, int n, int count, const T* a, int lda, const int* pivots,      \
            T* b, int ldb, int* info) SKERRY_LIBRARY(cusolverDn##type_character##getrs);           \
  int potrf_size(Handle* handle, int uplo, int n, T* a, int lda, int* length)                      \
      SKERRY_LIBRARY(cusolverDn##type_character##potrf_bufferSize);                                \
  int potrf(Handle* handle, int uplo, int n, T* a, int lda, T* workspace, int length, int* info)   \
      SKERRY_LIBRARY(cusolverDn##type_character##potrf);                                           \
  int potrf_batched(Handle* handle, int uplo, int n, T** a, int lda, int* info, int count)         \
      SKERRY_LIBRARY(cusolverDn##type_character##potrfBatched);                                    \
  int geqrf_size(Handle* handle, int m, int n, T* a, int lda, int* length)                         \
      SKERRY_LIBRARY(cusolverDn##type_character##geqrf_bufferSize);                                \
  int geqrf(Handle* handle, int m, int n, T* a, int lda, T* tau, T* workspace, int length,         \
            int* info) SKERRY_LIBRARY(cusolverDn##type_character##geqrf);                          \
  int orgqr_size(Handle* handle, int m, int n, int k, const T* a, int lda, const T* tau,           \
                 int* length) SKERRY_LIBRARY(cusolverDn##type_character##orgqr_##_bufferSize);     \
  int orgqr(Handle* handle, int m, int n, int k, T* a, int lda, const T* tau, T* workspace,        \
            int length, int* info) SKERRY_LIBRARY(cusolverDn##type_character##orgqr_);             \
  int gesvdj_size(Handle* handle, int jobz, int econ, int m, int n, const T* a, int lda,           \
                  const R* s, const T* u, int ldu, const T* v, int ldv, int* length,               \
                  RoutineSettings* settings)                                                       \
      SKERRY_LIBRARY(cusolverDn##type_character##gesvdj_bufferSize);                               \
  int gesvdj(Handle* handle, int jobz, int econ, int m, int n, T* a, int lda, R* s, T* u, int ldu, \
             T* v, int ldv, T* workspace, int length, int* info, RoutineSettings* settings)        \
      SKERRY_LIBRARY(cusolverDn##type_character##gesvdj);                                          \
  int gesvdj_batched_size(Handle* handle, int jobz, int m, int n, const T* a, int lda, const R* s, \
                          const T* u, int ldu, const T* v, int ldv, int* length,                   \
                          RoutineSettings* settings, int count)                                    \
      SKERRY_LIBRARY(cusolverDn##type_character##gesvdjBatched_bufferSize);                        \
  int gesvdj_batched(Handle* handle, int jobz, int m, int n, T* a, int lda, R* s, T* u, int ldu,   \
                     T* v, int ldv, T* workspace, int length, int* info,                           \
                     RoutineSettings* settings, int count)                                         \
      SKERRY_LIBRARY(cusolverDn##type_character##gesvdjBatched);                                   \
  int syevd_size(Handle* handle, int jobz, int uplo, int n, const T* a, int lda, const R* w,       \
                 int* length) SKERRY_LIBRARY(cusolverDn##type_character##syevd_##_bufferSize);     \
  int syevd(Handle* handle, int jobz, int uplo, int n, T* a, int lda, R* w, T* workspace,          \
            int length, int* info) SKERRY_LIBRARY(cusolverDn##type_character##syevd_);
SKERRY_SOLVER(float32, float32, S, orgqr, syevd)
SKERRY_SOLVER(float64, float64, D, orgqr, syevd)
SKERRY_SOLVER(complex64, float32, C, ungqr, heevd)
SKERRY_SOLVER(complex128, float64, Z, ungqr, heevd)
#undef SKERRY_SOLVER

int syev_batched_size(Handle* handle, RoutineSettings* settings, int jobz, int uplo, std::int64_t n,
                      int type_a, const void* a, std::int64_t lda, int type_w, const void* w,
                      int compute, std::size_t* device_nbytes, std::size_t* host_nbytes,
                      std::int64_t count) SKERRY_LIBRARY(cusolverDnXsyevBatched_bufferSize);
int syev_batched(Handle* handle, RoutineSettings* settings, int jobz, int uplo, std::int64_t n,
                 int type_a, void* a, std::int64_t lda, int type_w, void* w, int compute,
                 void* device_work, std::size_t device_nbytes, void* host_work,
                 std::size_t host_nbytes, int* info, std::int64_t count)
    SKERRY_LIBRARY(cusolverDnXsyevBatched);
int geev_size(Handle* handle, RoutineSettings* settings, int left, int right, std::int64_t n,
              int type_a, const void* a, std::int64_t lda, int type_w, const void* w, int type_vl,
              const void* vl, std::int64_t ldvl, int type_vr, const void* vr, std::int64_t ldvr,
              int compute, std::size_t* device_nbytes, std::size_t* host_nbytes)
    SKERRY_LIBRARY(cusolverDnXgeev_bufferSize);
int geev(Handle* handle, RoutineSettings* settings, int left, int right, std::int64_t n, int type_a,
         void* a, std::int64_t lda, int type_w, void* w, int type_vl, void* vl, std::int64_t ldvl,
         int type_vr, void* vr, std::int64_t ldvr, int compute, void* device_work,
         std::size_t device_nbytes, void* host_work, std::size_t host_nbytes, int* info)
    SKERRY_LIBRARY(cusolverDnXgeev);

}  // namespace skerry::emulation::cusolver
