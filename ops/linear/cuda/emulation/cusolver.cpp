// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Checks of arguments after the documentation of cuSOLVER 13.0, dense LAPACK functions.

#include "ops/linear/cuda/emulation/cusolver.hpp"

#include <algorithm>
#include <new>

#include "ops/linear/cuda/emulation/cusolver_call.hpp"
#include "ops/linear/cuda/emulation/lapack_calls.hpp"
#include "ops/linear/cuda/emulation/singular_vectors.hpp"

namespace skerry::emulation::cusolver {

namespace {

template <class T>
int run_getrf(Handle* on, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {
  Call of("cusolverDn getrf", on);
  of.matrix(a, m, n, lda);
  of.work(work, length_for(m, n), 0);
  of.vector(pivots, std::min(m, n));
  of.vector(info, 1);
  return of.run([=] { lapack::getrf<T>(m, n, a, lda, pivots, info); });
}

template <class T>
int run_getrs(Handle* on, int op, int n, int count, const T* a, int lda, const int* pivots, T* b,
              int ldb, int* info) {
  Call of("cusolverDn getrs", on);
  of.require(op >= 0 && op <= 2, "an operation that is none");
  of.matrix(a, n, n, lda);
  of.matrix(b, n, count, ldb);
  of.vector(pivots, n);
  of.vector(info, 1);
  return of.run([=] { lapack::getrs<T>(op, n, count, a, lda, pivots, b, ldb, info); });
}

template <class T>
int run_potrf(Handle* on, int part, int n, T* a, int lda, T* work, int length, int* info) {
  Call of("cusolverDn potrf", on);
  of.require(is_flag(part), "a triangle that is none");
  of.matrix(a, n, n, lda);
  of.work(work, length, length_for(n, n));
  of.vector(info, 1);
  return of.run([=] { lapack::potrf<T>(part == upper ? 'U' : 'L', n, a, lda, info); });
}

template <class T>
int run_potrf_batched(Handle* on, int part, int n, T** a, int lda, int* info, int count) {
  Call of("cusolverDn potrfBatched", on);
  of.require(is_flag(part), "a triangle that is none");
  of.matrices(a, count, n, n, lda);
  of.vector(info, count);
  return of.run([=] {
    for (int i = 0; i < count; ++i) {
      lapack::potrf<T>(part == upper ? 'U' : 'L', n, a[i], lda, info + i);
    }
  });
}

template <class T>
int run_geqrf(Handle* on, int m, int n, T* a, int lda, T* tau, T* work, int length, int* info) {
  Call of("cusolverDn geqrf", on);
  of.matrix(a, m, n, lda);
  of.vector(tau, std::min(m, n));
  of.work(work, length, length_for(m, n));
  of.vector(info, 1);
  return of.run([=] { lapack::geqrf<T>(m, n, a, lda, tau, info); });
}

template <class T>
int run_orgqr(Handle* on, int m, int n, int k, T* a, int lda, const T* tau, T* work, int length,
              int* info) {
  Call of("cusolverDn orgqr", on);
  of.require(n <= m && k <= n && k >= 0, "more reflectors than columns, or columns than rows");
  of.matrix(a, m, n, lda);
  of.vector(tau, k);
  of.work(work, length, length_for(m, n));
  of.vector(info, 1);
  return of.run([=] { lapack::orgqr<T>(m, n, k, a, lda, tau, info); });
}

template <class T>
int run_gesvdj(Handle* on, int job, int econ, int m, int n, T* a, int lda, lapack::real_of<T>* s,
               T* u, int ldu, T* v, int ldv, T* work, int length, int* info,
               const RoutineSettings* settings) {
  Call of("cusolverDn gesvdj", on);
  of.require(settings != nullptr && settings->mark == LibraryHandle::alive,
             "settings that are none");
  of.require(is_flag(job) && is_flag(econ), "a mode that is none");
  const auto [u_columns, v_columns] = vector_counts(econ, m, n);
  of.matrix(a, m, n, lda);
  of.vector(s, std::min(m, n));
  of.require(ldu >= at_least_1(m) && ldv >= at_least_1(n),
             "a leading dimension below the rows of its matrix");
  if (job == vectors) {
    of.matrix(u, m, u_columns, ldu);
    of.matrix(v, n, v_columns, ldv);
  }
  of.work(work, length, length_for(m, n));
  of.vector(info, 1);
  return of.run([=] { decompose<T>(job, econ, m, n, a, lda, s, u, ldu, v, ldv, info); });
}

template <class T>
int run_syevd(Handle* on, int job, int part, int n, T* a, int lda, lapack::real_of<T>* w, T* work,
              int length, int* info) {
  Call of("cusolverDn syevd", on);
  of.require(is_flag(job) && is_flag(part), "a mode or triangle that is none");
  of.matrix(a, n, n, lda);
  of.vector(w, n);
  of.work(work, length, length_for(n, n));
  of.vector(info, 1);
  return of.run([=] {
    lapack::syevd<T>(job == vectors ? 'V' : 'N', part == upper ? 'U' : 'L', n, a, lda, w, info);
  });
}

template <class Handle>
int make(Handle** made) {
  if (made == nullptr) return invalid_value;
  *made = new (std::nothrow) Handle;
  return *made != nullptr ? success : alloc_failed;
}

template <class Handle>
int unmake(Handle* of) {
  if (of == nullptr || of->mark != LibraryHandle::alive) return not_initialized;
  of->mark = 0;
  delete of;
  return success;
}

}  // namespace

int create(Handle** made) {
  const int status = make(made);
  if (status == success) (*made)->ordinal = current_device();
  return status;
}
int destroy(Handle* on) { return unmake(on); }
int set_stream(Handle* on, void* stream) {
  if (on == nullptr || on->mark != LibraryHandle::alive) return not_initialized;
  on->stream = stream;
  return success;
}
int get_version(int* version) {
  if (version == nullptr) return invalid_value;
  *version = 12004;  // 12.0.4, of CUDA 13.0
  return success;
}
int create_gesvdj_settings(RoutineSettings** made) { return make(made); }
int destroy_gesvdj_settings(RoutineSettings* of) { return unmake(of); }
int create_settings(RoutineSettings** made) { return make(made); }
int destroy_settings(RoutineSettings* of) { return unmake(of); }

#define SKERRY_SOLVER(T, R)                                                                       \
  int getrf_size(Handle* on, int m, int n, T* a, int lda, int* length) {                          \
    Call of("cusolverDn getrf_bufferSize", on);                                                   \
    of.matrix(a, m, n, lda);                                                                      \
    return say_length(of, length, m, n);                                                          \
  }                                                                                               \
  int getrf(Handle* on, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {           \
    return run_getrf<T>(on, m, n, a, lda, work, pivots, info);                                    \
  }                                                                                               \
  int getrs(Handle* on, int op, int n, int count, const T* a, int lda, const int* pivots, T* b,   \
            int ldb, int* info) {                                                                 \
    return run_getrs<T>(on, op, n, count, a, lda, pivots, b, ldb, info);                          \
  }                                                                                               \
  int potrf_size(Handle* on, int part, int n, T* a, int lda, int* length) {                       \
    Call of("cusolverDn potrf_bufferSize", on);                                                   \
    of.require(is_flag(part), "a triangle that is none");                                         \
    of.matrix(a, n, n, lda);                                                                      \
    return say_length(of, length, n, n);                                                          \
  }                                                                                               \
  int potrf(Handle* on, int part, int n, T* a, int lda, T* work, int length, int* info) {         \
    return run_potrf<T>(on, part, n, a, lda, work, length, info);                                 \
  }                                                                                               \
  int potrf_batched(Handle* on, int part, int n, T** a, int lda, int* info, int count) {          \
    return run_potrf_batched<T>(on, part, n, a, lda, info, count);                                \
  }                                                                                               \
  int geqrf_size(Handle* on, int m, int n, T* a, int lda, int* length) {                          \
    Call of("cusolverDn geqrf_bufferSize", on);                                                   \
    of.matrix(a, m, n, lda);                                                                      \
    return say_length(of, length, m, n);                                                          \
  }                                                                                               \
  int geqrf(Handle* on, int m, int n, T* a, int lda, T* tau, T* work, int length, int* info) {    \
    return run_geqrf<T>(on, m, n, a, lda, tau, work, length, info);                               \
  }                                                                                               \
  int orgqr_size(Handle* on, int m, int n, int k, const T* a, int lda, const T* tau,              \
                 int* length) {                                                                   \
    Call of("cusolverDn orgqr_bufferSize", on);                                                   \
    of.matrix(a, m, n, lda);                                                                      \
    of.vector(tau, k);                                                                            \
    return say_length(of, length, m, n);                                                          \
  }                                                                                               \
  int orgqr(Handle* on, int m, int n, int k, T* a, int lda, const T* tau, T* work, int length,    \
            int* info) {                                                                          \
    return run_orgqr<T>(on, m, n, k, a, lda, tau, work, length, info);                            \
  }                                                                                               \
  int gesvdj_size(Handle* on, int job, int econ, int m, int n, const T* a, int lda, const R*,     \
                  const T*, int ldu, const T*, int ldv, int* length, RoutineSettings* settings) { \
    Call of("cusolverDn gesvdj_bufferSize", on);                                                  \
    of.require(settings != nullptr && is_flag(job) && is_flag(econ), "a mode that is none");      \
    of.matrix(a, m, n, lda);                                                                      \
    of.require(ldu >= at_least_1(m) && ldv >= at_least_1(n),                                      \
               "a leading dimension below the rows of its matrix");                               \
    return say_length(of, length, m, n);                                                          \
  }                                                                                               \
  int gesvdj(Handle* on, int job, int econ, int m, int n, T* a, int lda, R* s, T* u, int ldu,     \
             T* v, int ldv, T* work, int length, int* info, RoutineSettings* settings) {          \
    return run_gesvdj<T>(on, job, econ, m, n, a, lda, s, u, ldu, v, ldv, work, length, info,      \
                         settings);                                                               \
  }                                                                                               \
  int syevd_size(Handle* on, int job, int part, int n, const T* a, int lda, const R*,             \
                 int* length) {                                                                   \
    Call of("cusolverDn syevd_bufferSize", on);                                                   \
    of.require(is_flag(job) && is_flag(part), "a mode or triangle that is none");                 \
    of.matrix(a, n, n, lda);                                                                      \
    return say_length(of, length, n, n);                                                          \
  }                                                                                               \
  int syevd(Handle* on, int job, int part, int n, T* a, int lda, R* w, T* work, int length,       \
            int* info) {                                                                          \
    return run_syevd<T>(on, job, part, n, a, lda, w, work, length, info);                         \
  }
SKERRY_SOLVER(float32, float32)
SKERRY_SOLVER(float64, float64)
SKERRY_SOLVER(complex64, float32)
SKERRY_SOLVER(complex128, float64)
#undef SKERRY_SOLVER

}  // namespace skerry::emulation::cusolver
