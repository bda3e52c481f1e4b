// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Routines of cuSOLVER 13.0 that CuPy calls besides those of skerry: products and systems with
// factors, singular values by QR, eigenvalues by other names.

#include <algorithm>
#include <vector>

#include "device/emulator/libraries/cusolver_call.hpp"
#include "device/emulator/libraries/lapack_calls.hpp"
#include "device/emulator/libraries/triangular_systems.hpp"

namespace skerry::emulation::cusolver {

namespace {

using cublas::adjoint;
using cublas::not_transposed;
using cublas::std_complex128;
using cublas::std_complex64;

/// Solves A X = B with a factor of potrf: A = L L^H or U^H U.
template <class T>
void solve_with_factor(int uplo, int n, int columns, const T* a, int lda, T* b, int ldb) {
  const int first = uplo == lower ? not_transposed : adjoint;
  const int second = uplo == lower ? adjoint : not_transposed;
  for (const int op : {first, second}) {
    cublas::solve<T>({cublas::left_side, uplo, op, false, n, columns}, T(1), a, lda, b, ldb);
  }
}

template <class T>
int run_potrs(Handle* handle, int uplo, int n, int columns, const T* a, int lda, T* b, int ldb,
              int* info) {
  Call call("cusolverDn potrs", handle);
  call.require(is_flag(uplo), "invalid uplo");
  call.matrix(a, n, n, lda);
  call.matrix(b, n, columns, ldb);
  call.vector(info, 1);
  return call.run([=] {
    solve_with_factor(uplo, n, columns, a, lda, b, ldb);
    *info = 0;
  });
}

template <class T>
int run_potrs_batched(Handle* handle, int uplo, int n, int columns, T** a, int lda, T** b, int ldb,
                      int* info, int count) {
  Call call("cusolverDn potrsBatched", handle);
  call.require(is_flag(uplo), "invalid uplo");
  call.require(columns == 1, "the library supports one right-hand side only");
  call.matrices(a, count, n, n, lda);
  call.matrices(b, count, n, columns, ldb);
  call.vector(info, 1);
  return call.run([=] {
    for (int i = 0; i < count; ++i) solve_with_factor(uplo, n, columns, a[i], lda, b[i], ldb);
    *info = 0;
  });
}

/// Applies I - tau v v^H to the lines of C: its columns from the left, its rows from the right. `v`
/// is 0 before `start` and 1 there.
template <class T>
void reflect(const T* v, T tau, int start, int length, int lines, T* c, std::int64_t step,
             std::int64_t line_step, bool is_left) {
  for (int line = 0; line < lines; ++line) {
    T* const elements = c + line * line_step;
    T sum = elements[start * step];
    for (int i = start + 1; i < length; ++i) {
      sum += (is_left ? cublas::conjugate(v[i]) : v[i]) * elements[i * step];
    }
    sum *= tau;
    elements[start * step] -= sum;
    for (int i = start + 1; i < length; ++i) {
      elements[i * step] -= sum * (is_left ? v[i] : cublas::conjugate(v[i]));
    }
  }
}

template <class T>
int run_ormqr(Handle* handle, int side, int op, int m, int n, int k, const T* a, int lda,
              const T* tau, T* c, int ldc, T* workspace, int length, int* info) {
  Call call("cusolverDn ormqr", handle);
  const bool is_left = side == cublas::left_side;
  const int order = is_left ? m : n;
  call.require(is_flag(side) && op >= not_transposed && op <= adjoint, "invalid side or operation");
  call.require(k >= 0 && k <= order, "more reflectors than the order of Q");
  call.matrix(a, order, k, lda);
  call.vector(tau, k);
  call.matrix(c, m, n, ldc);
  call.workspace(workspace, length, length_for(m, n));
  call.vector(info, 1);
  return call.run([=] {
    // Q = H(1) ... H(k); a product from the left begins with its last factor.
    const bool is_descending = is_left == (op == not_transposed);
    for (int step = 0; step < k; ++step) {
      const int i = is_descending ? k - 1 - step : step;
      const T factor = op == not_transposed ? tau[i] : cublas::conjugate(tau[i]);
      const T* const v = a + std::int64_t{i} * lda;
      if (is_left) {
        reflect(v, factor, i, m, n, c, 1, ldc, true);
      } else {
        reflect(v, factor, i, n, m, c, ldc, 1, false);
      }
    }
    *info = 0;
  });
}

/// Copies columns of a contiguous matrix.
template <class T>
void copy_columns(const std::vector<T>& matrix, std::int64_t rows, std::int64_t columns, T* target,
                  std::int64_t leading) {
  for (std::int64_t j = 0; j < columns; ++j) {
    std::copy_n(matrix.data() + j * rows, rows, target + j * leading);
  }
}

bool is_vector_option(signed char option) {
  return option == 'A' || option == 'S' || option == 'O' || option == 'N';
}

template <class T>
int run_gesvd(Handle* handle, signed char jobu, signed char jobvt, int m, int n, T* a, int lda,
              lapack::real_of<T>* s, T* u, int ldu, T* vt, int ldvt, T* workspace, int length,
              int* info) {
  Call call("cusolverDn gesvd", handle);
  call.require(m >= n, "the library supports m >= n only");
  call.require(is_vector_option(jobu) && is_vector_option(jobvt), "invalid jobu or jobvt");
  call.require(jobu != 'O' || jobvt != 'O', "both jobu and jobvt are O");
  const bool is_full = jobu == 'A';
  call.matrix(a, m, n, lda);
  call.vector(s, n);
  if (jobu == 'A' || jobu == 'S') call.matrix(u, m, is_full ? m : n, ldu);
  if (jobvt == 'A' || jobvt == 'S') call.matrix(vt, n, n, ldvt);
  call.workspace(workspace, length, length_for(m, n));
  call.vector(info, 1);
  return call.run([=] {
    if (jobu == 'N' && jobvt == 'N') {
      return lapack::gesdd<T>('N', m, n, a, lda, s, nullptr, 1, nullptr, 1, info);
    }
    const auto rows = static_cast<std::size_t>(m);
    const auto columns = static_cast<std::size_t>(n);
    std::vector<T> left(rows * (is_full ? rows : columns));
    std::vector<T> right(columns * columns);
    lapack::gesdd<T>(is_full ? 'A' : 'S', m, n, a, lda, s, left.data(), m, right.data(), n, info);
    if (jobu == 'O') copy_columns(left, m, n, a, lda);
    if (jobu == 'A' || jobu == 'S') copy_columns(left, m, is_full ? m : n, u, ldu);
    if (jobvt == 'O') copy_columns(right, n, n, a, lda);
    if (jobvt == 'A' || jobvt == 'S') copy_columns(right, n, n, vt, ldvt);
  });
}

template <class T>
int run_syevj_batched(Handle* handle, int jobz, int uplo, int n, T* a, int lda,
                      lapack::real_of<T>* w, T* workspace, int length, int* info,
                      const RoutineSettings* settings, int count) {
  Call call("cusolverDn syevjBatched", handle);
  call.require(settings != nullptr && settings->mark == LibraryHandle::alive, "invalid params");
  call.require(is_flag(jobz) && is_flag(uplo), "invalid jobz or uplo");
  call.matrix(a, n, std::int64_t{n} * count, lda);
  call.vector(w, std::int64_t{n} * count);
  call.workspace(workspace, length, length_for(n, std::int64_t{n} * count));
  call.vector(info, count);
  return call.run([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      lapack::syevd<T>(jobz == vectors ? 'V' : 'N', uplo == upper ? 'U' : 'L', n, a + i * lda * n,
                       lda, w + i * n, info + i);
    }
  });
}

}  // namespace

#define SKERRY_SOLVE(symbol, function, parameters, call) \
  SKERRY_ENTRY_POINT(cusolverDn##symbol, function, parameters) { return call; }

SKERRY_SOLVE(GetStream, get_stream, (Handle * handle, void** stream),
             handle == nullptr ? not_initialized : (*stream = handle->stream, success))

SKERRY_SOLVE(CreateSyevjInfo, create_syevj_settings, (RoutineSettings * *settings),
             create_settings(settings))
SKERRY_SOLVE(DestroySyevjInfo, destroy_syevj_settings, (RoutineSettings * settings),
             destroy_settings(settings))
// LAPACK's results are as exact as those of any number of sweeps.
SKERRY_SOLVE(XsyevjSetTolerance, set_syevj_tolerance, (RoutineSettings*, double), success)
SKERRY_SOLVE(XsyevjSetMaxSweeps, set_syevj_sweeps, (RoutineSettings*, int), success)
SKERRY_SOLVE(XsyevjSetSortEig, set_syevj_order, (RoutineSettings*, int is_sorted),
             is_sorted != 0 ? success : not_supported)
SKERRY_SOLVE(XgesvdjSetTolerance, set_gesvdj_tolerance, (RoutineSettings*, double), success)
SKERRY_SOLVE(XgesvdjSetMaxSweeps, set_gesvdj_sweeps, (RoutineSettings*, int), success)
SKERRY_SOLVE(XgesvdjSetSortEig, set_gesvdj_order, (RoutineSettings*, int is_sorted),
             is_sorted != 0 ? success : not_supported)

// Eigenvalues of one matrix are a stack of one.
SKERRY_SOLVE(Xsyevd_bufferSize, syevd_of_types_size,
             (Handle * handle, RoutineSettings* settings, int jobz, int uplo, std::int64_t n,
              int type_a, const void* a, std::int64_t lda, int type_w, const void* w, int compute,
              std::size_t* device_nbytes, std::size_t* host_nbytes),
             syev_batched_size(handle, settings, jobz, uplo, n, type_a, a, lda, type_w, w, compute,
                               device_nbytes, host_nbytes, 1))
SKERRY_SOLVE(Xsyevd, syevd_of_types,
             (Handle * handle, RoutineSettings* settings, int jobz, int uplo, std::int64_t n,
              int type_a, void* a, std::int64_t lda, int type_w, void* w, int compute,
              void* device_work, std::size_t device_nbytes, void* host_work,
              std::size_t host_nbytes, int* info),
             syev_batched(handle, settings, jobz, uplo, n, type_a, a, lda, type_w, w, compute,
                          device_work, device_nbytes, host_work, host_nbytes, info, 1))

int size_of_call(Handle* handle, const char* routine, std::int64_t m, std::int64_t n, int* length) {
  Call call(routine, handle);
  return say_length(call, length, m, n);
}

#define SKERRY_SOLVER(T, S, type_character, ormqr_)                                                \
  SKERRY_SOLVE(type_character##potrs, potrs,                                                       \
               (Handle * handle, int uplo, int n, int columns, const S* a, int lda, S* b, int ldb, \
                int* info),                                                                        \
               run_potrs(handle, uplo, n, columns, a, lda, b, ldb, info))                          \
  SKERRY_SOLVE(type_character##potrsBatched, potrs_batched,                                        \
               (Handle * handle, int uplo, int n, int columns, S** a, int lda, S** b, int ldb,     \
                int* info, int count),                                                             \
               run_potrs_batched(handle, uplo, n, columns, a, lda, b, ldb, info, count))           \
  SKERRY_SOLVE(type_character##ormqr_##_bufferSize, ormqr_size,                                    \
               (Handle * handle, int, int, int m, int n, int, const S*, int, const S*, const S*,   \
                int, int* length),                                                                 \
               size_of_call(handle, "cusolverDn ormqr_bufferSize", m, n, length))                  \
  SKERRY_SOLVE(type_character##ormqr_, ormqr,                                                      \
               (Handle * handle, int side, int op, int m, int n, int k, const S* a, int lda,       \
                const S* tau, S* c, int ldc, S* workspace, int length, int* info),                 \
               run_ormqr(handle, side, op, m, n, k, a, lda, tau, c, ldc, workspace, length, info))
SKERRY_SOLVER(float32, float32, S, ormqr)
SKERRY_SOLVER(float64, float64, D, ormqr)
SKERRY_SOLVER(complex64, std_complex64, C, unmqr)
SKERRY_SOLVER(complex128, std_complex128, Z, unmqr)
#undef SKERRY_SOLVER

#define SKERRY_VALUES(T, R, type_character, syevj_)                                               \
  SKERRY_SOLVE(type_character##gesvd_bufferSize, gesvd_size_##type_character,                     \
               (Handle * handle, int m, int n, int* length),                                      \
               size_of_call(handle, "cusolverDn gesvd_bufferSize", m, n, length))                 \
  SKERRY_SOLVE(                                                                                   \
      type_character##gesvd, gesvd,                                                               \
      (Handle * handle, signed char jobu, signed char jobvt, int m, int n, T* a, int lda, R* s,   \
       T* u, int ldu, T* vt, int ldvt, T* workspace, int length, R*, int* info),                  \
      run_gesvd(handle, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, workspace, length, info)) \
  SKERRY_SOLVE(type_character##syevj_##_bufferSize, syevj_size,                                   \
               (Handle * handle, int jobz, int uplo, int n, const T* a, int lda, const R* w,      \
                int* length, RoutineSettings*),                                                   \
               syevd_size(handle, jobz, uplo, n, a, lda, w, length))                              \
  SKERRY_SOLVE(type_character##syevj_, syevj,                                                     \
               (Handle * handle, int jobz, int uplo, int n, T* a, int lda, R* w, T* workspace,    \
                int length, int* info, RoutineSettings*),                                         \
               syevd(handle, jobz, uplo, n, a, lda, w, workspace, length, info))                  \
  SKERRY_SOLVE(type_character##syevj_##Batched_bufferSize, syevj_batched_size,                    \
               (Handle * handle, int, int, int n, const T*, int, const R*, int* length,           \
                RoutineSettings*, int count),                                                     \
               size_of_call(handle, "cusolverDn syevjBatched_bufferSize", n,                      \
                            std::int64_t{n} * count, length))                                     \
  SKERRY_SOLVE(type_character##syevj_##Batched, syevj_batched,                                    \
               (Handle * handle, int jobz, int uplo, int n, T* a, int lda, R* w, T* workspace,    \
                int length, int* info, RoutineSettings* settings, int count),                     \
               run_syevj_batched(handle, jobz, uplo, n, a, lda, w, workspace, length, info,       \
                                 settings, count))
SKERRY_VALUES(float32, float32, S, syevj)
SKERRY_VALUES(float64, float64, D, syevj)
SKERRY_VALUES(complex64, float32, C, heevj)
SKERRY_VALUES(complex128, float64, Z, heevj)
#undef SKERRY_VALUES
#undef SKERRY_SOLVE

}  // namespace skerry::emulation::cusolver
