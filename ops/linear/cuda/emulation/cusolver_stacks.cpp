// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Checks of arguments after the documentation of cuSOLVER 13.0: cusolverDn<t>gesvdjBatched,
// cusolverDnXsyevBatched.

#include <cstring>
#include <limits>

#include "ops/linear/cuda/emulation/cusolver_call.hpp"
#include "ops/linear/cuda/emulation/lapack_calls.hpp"
#include "ops/linear/cuda/emulation/singular_vectors.hpp"

namespace skerry::emulation::cusolver {

namespace {

constexpr int garbage = 0xa5;

void check_settings(Call& of, const RoutineSettings* settings) {
  of.require(settings != nullptr && settings->mark == LibraryHandle::alive,
             "settings that are none");
}

/// A stack of `count` matrices, one behind the other.
template <class T>
void check_stack(Call& of, const T* data, std::int64_t rows, std::int64_t columns,
                 std::int64_t leading, std::int64_t count) {
  of.require(count >= 0, "a number of matrices below 0");
  of.matrix(data, rows, columns * count, leading);
}

// ---- singular values

template <class T>
void check_gesvdj(Call& of, int job, int m, int n, const T* a, int lda, int ldu, int ldv,
                  const RoutineSettings* settings, int count) {
  check_settings(of, settings);
  constexpr int most = 32;
  of.require(is_flag(job), "a mode that is none");
  of.require(m >= 0 && n >= 0, "an extent below 0");
  of.require(m <= most && n <= most, "matrices with more than 32 rows or columns");
  of.require(ldu >= at_least_1(m) && ldv >= at_least_1(n),
             "a leading dimension below the rows of its matrix");
  check_stack(of, a, m, n, lda, count);
}

template <class T>
int run_gesvdj_batched(Handle* on, int job, int m, int n, T* a, int lda, lapack::real_of<T>* s,
                       T* u, int ldu, T* v, int ldv, T* work, int length, int* info,
                       const RoutineSettings* settings, int count) {
  Call of("cusolverDn gesvdjBatched", on);
  check_gesvdj(of, job, m, n, a, lda, ldu, ldv, settings, count);
  const int values = std::min(m, n);
  of.vector(s, std::int64_t{values} * count);
  // Also where no vectors are asked for: without that memory the library fails.
  check_stack(of, u, m, m, ldu, count);
  check_stack(of, v, n, n, ldv, count);
  of.work(work, length, length_for(m, std::int64_t{n} * count));
  of.vector(info, count);
  return of.run([=] {
    if (job == no_vectors) {
      std::memset(static_cast<void*>(u), garbage,
                  extent_of_matrix(m, std::int64_t{m} * count, ldu, sizeof(T)));
      std::memset(static_cast<void*>(v), garbage,
                  extent_of_matrix(n, std::int64_t{n} * count, ldv, sizeof(T)));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      decompose<T>(job, 0, m, n, a + i * lda * n, lda, s + i * values, u + i * ldu * m, ldu,
                   v + i * ldv * n, ldv, info + i);
    }
  });
}

// ---- eigenvalues

/// What both calls of syevBatched ask for.
struct SyevRequest {
  const RoutineSettings* settings;
  int job;
  int part;
  std::int64_t n;
  int type_a;
  std::int64_t lda;
  int type_w;
  int compute;
  std::int64_t count;
};

void check(Call& of, const SyevRequest& asked) {
  check_settings(of, asked.settings);
  of.require(is_flag(asked.job) && is_flag(asked.part), "a mode or triangle that is none");
  of.require(asked.n >= 0 && asked.lda >= at_least_1(asked.n),
             "an extent below 0 or a leading dimension below the rows of its matrix");
  of.require(asked.count >= 1, "no matrices");
  of.require(of.status() != success || asked.n == 0 ||
                 asked.count <= std::numeric_limits<int>::max() / asked.lda / asked.n,
             "2^31 elements and more");
  // Reals are 0 and 1, complex numbers 4 and 5: by precision.
  const bool is_known =
      asked.type_a == 0 || asked.type_a == 1 || asked.type_a == 4 || asked.type_a == 5;
  if (!is_known || asked.type_w != asked.type_a % 4 || asked.compute != asked.type_a) {
    of.refuse(not_supported, "such a combination of types");
  }
}

template <class T>
int run_syev_batched(Call& of, const SyevRequest& asked, void* a, void* w, void* host_work,
                     std::size_t host_nbytes, int* info) {
  auto* const matrices = static_cast<T*>(a);
  auto* const values = static_cast<lapack::real_of<T>*>(w);
  check_stack(of, matrices, asked.n, asked.n, asked.lda, asked.count);
  of.vector(values, asked.n * asked.count);
  of.vector(info, asked.count);
  return of.run([=] {
    std::memset(host_work, garbage, host_nbytes);
    const auto n = static_cast<int>(asked.n);
    for (std::int64_t i = 0; i < asked.count; ++i) {
      lapack::syevd<T>(asked.job == vectors ? 'V' : 'N', asked.part == upper ? 'U' : 'L', n,
                       matrices + i * asked.lda * n, static_cast<int>(asked.lda), values + i * n,
                       info + i);
    }
  });
}

std::size_t device_nbytes_for(const SyevRequest& asked) {
  return static_cast<std::size_t>(length_for(asked.n, asked.n * asked.count));
}

}  // namespace

int syev_batched_size(Handle* on, RoutineSettings* settings, int job, int part, std::int64_t n,
                      int type_a, const void*, std::int64_t lda, int type_w, const void*,
                      int compute, std::size_t* device_nbytes, std::size_t* host_nbytes,
                      std::int64_t count) {
  const SyevRequest asked{settings, job, part, n, type_a, lda, type_w, compute, count};
  Call of("cusolverDnXsyevBatched_bufferSize", on);
  check(of, asked);
  of.require(device_nbytes != nullptr && host_nbytes != nullptr, "no place for the sizes");
  if (of.status() != success) return of.status();
  *device_nbytes = device_nbytes_for(asked);
  *host_nbytes = device_nbytes_for(asked) + 1;
  return success;
}

int syev_batched(Handle* on, RoutineSettings* settings, int job, int part, std::int64_t n,
                 int type_a, void* a, std::int64_t lda, int type_w, void* w, int compute,
                 void* device_work, std::size_t device_nbytes, void* host_work,
                 std::size_t host_nbytes, int* info, std::int64_t count) {
  const SyevRequest asked{settings, job, part, n, type_a, lda, type_w, compute, count};
  Call of("cusolverDnXsyevBatched", on);
  check(of, asked);
  if (of.status() != success) return of.status();
  const std::size_t needed = device_nbytes_for(asked);
  of.require(host_nbytes > needed && host_work != nullptr,
             "memory of the host that is smaller than bufferSize said");
  of.work(static_cast<char*>(device_work), static_cast<std::int64_t>(device_nbytes),
          static_cast<std::int64_t>(needed));
  const auto run = type_a == 0   ? run_syev_batched<float32>
                   : type_a == 1 ? run_syev_batched<float64>
                   : type_a == 4 ? run_syev_batched<complex64>
                                 : run_syev_batched<complex128>;
  return run(of, asked, a, w, host_work, host_nbytes, info);
}

#define SKERRY_SOLVER(T, R)                                                                       \
  int gesvdj_batched_size(Handle* on, int job, int m, int n, const T* a, int lda, const R*,       \
                          const T*, int ldu, const T*, int ldv, int* length,                      \
                          RoutineSettings* settings, int count) {                                 \
    Call of("cusolverDn gesvdjBatched_bufferSize", on);                                           \
    check_gesvdj(of, job, m, n, a, lda, ldu, ldv, settings, count);                               \
    return say_length(of, length, m, std::int64_t{n} * count);                                    \
  }                                                                                               \
  int gesvdj_batched(Handle* on, int job, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* v, \
                     int ldv, T* work, int length, int* info, RoutineSettings* settings,          \
                     int count) {                                                                 \
    return run_gesvdj_batched<T>(on, job, m, n, a, lda, s, u, ldu, v, ldv, work, length, info,    \
                                 settings, count);                                                \
  }
SKERRY_SOLVER(float32, float32)
SKERRY_SOLVER(float64, float64)
SKERRY_SOLVER(complex64, float32)
SKERRY_SOLVER(complex128, float64)
#undef SKERRY_SOLVER

}  // namespace skerry::emulation::cusolver
