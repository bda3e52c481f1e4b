// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Checks of arguments after the documentation of cuBLAS 13.0: cublas<t>getrfBatched,
// cublas<t>getrsBatched, cublas<t>geqrfBatched.

#include <cstring>
#include <utility>

#include "core/errors.hpp"
#include "ops/linear/cuda/emulation/cublas.hpp"
#include "ops/linear/cuda/emulation/lapack_calls.hpp"
#include "ops/linear/library.hpp"

namespace skerry::emulation::cublas {

namespace {

/// One call: what it touches, and what is wrong with it.
class factor_call {
 public:
  factor_call(const char* routine, const handle* on) : routine_(routine), on_(on) {}

  void require(bool condition, const char* why) {
    if (!condition && problem_ == nullptr) problem_ = why;
  }
  template <class T>
  void matrices(T* const* list, std::int64_t count, std::int64_t rows, std::int64_t columns,
                std::int64_t leading) {
    require(rows >= 0 && columns >= 0 && count >= 0, "an extent below 0");
    require(leading >= (rows > 1 ? rows : 1), "a leading dimension below the rows of its matrix");
    vector(list, count);
    if (problem_ == nullptr) {
      lists_.add(list, count, extent_of_matrix(rows, columns, leading, sizeof(T)));
    }
  }
  template <class T>
  void vector(const T* data, std::int64_t count) {
    if (count <= 0) return;
    const auto* const memory = static_cast<const void*>(data);
    require(memory != nullptr, "no memory");
    require(is_aligned(memory, sizeof(T)), "memory that does not begin at a multiple of an item");
    touched_.push_back({memory, static_cast<std::size_t>(count) * sizeof(T)});
  }

  template <class Body>
  int run(Body body) {
    if (const char* why = problem_of(on_)) return refuse(not_initialized, why);
    if (problem_ != nullptr) return refuse(invalid_value, problem_);
    try {
      blas::require(routine_);
    } catch (const library_error& problem) {
      return refuse(execution_failed, problem.what());
    }
    return enqueue_library_work(routine_, on_->stream, std::move(touched_), std::move(body),
                                std::move(lists_)) == 0
               ? success
               : execution_failed;
  }

 private:
  const char* routine_;
  const handle* on_;
  const char* problem_ = nullptr;
  std::vector<touched_range> touched_;
  matrix_lists lists_;

  int refuse(int status, const char* why) const {
    report_refusal(routine_, why);
    return status;
  }
};

template <class T>
int run_getrf(handle* on, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  factor_call of("cublas getrfBatched", on);
  of.matrices(a, count, n, n, lda);
  of.vector(pivots, std::int64_t{n} * count);
  of.vector(info, count);
  return of.run([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      lapack::getrf<T>(n, n, a[i], lda, pivots + i * n, info + i);
    }
  });
}

template <class T>
int run_getrs(handle* on, int op, int n, int columns, const T* const* a, int lda, const int* pivots,
              T* const* b, int ldb, int* wrong, int count) {
  factor_call of("cublas getrsBatched", on);
  of.require(op >= plain && op <= adjoint, "an operation that is none");
  of.require(wrong != nullptr, "no place on the host for what is wrong");
  of.matrices(a, count, n, n, lda);
  of.matrices(b, count, n, columns, ldb);
  of.vector(pivots, std::int64_t{n} * count);
  const int status = of.run([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      int info = 0;
      lapack::getrs<T>(op, n, columns, a[i], lda, pivots + i * n, b[i], ldb, &info);
    }
  });
  if (wrong != nullptr) *wrong = status == invalid_value ? -1 : 0;
  return status;
}

template <class T>
int run_geqrf(handle* on, int m, int n, T* const* a, int lda, T* const* tau, int* wrong,
              int count) {
  factor_call of("cublas geqrfBatched", on);
  of.require(wrong != nullptr, "no place on the host for what is wrong");
  const int factors = m < n ? m : n;
  of.matrices(a, count, m, n, lda);
  of.matrices(tau, count, factors > 1 ? factors : 1, 1, factors > 1 ? factors : 1);
  const int status = of.run([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      int info = 0;
      lapack::geqrf<T>(m, n, a[i], lda, tau[i], &info);
    }
  });
  if (wrong != nullptr) *wrong = status == invalid_value ? -1 : 0;
  return status;
}

}  // namespace

#define SKERRY_FACTORS(T)                                                                         \
  int getrf_batched(handle* on, int n, T* const* a, int lda, int* pivots, int* info, int count) { \
    return run_getrf<T>(on, n, a, lda, pivots, info, count);                                      \
  }                                                                                               \
  int getrs_batched(handle* on, int op, int n, int columns, const T* const* a, int lda,           \
                    const int* pivots, T* const* b, int ldb, int* wrong, int count) {             \
    return run_getrs<T>(on, op, n, columns, a, lda, pivots, b, ldb, wrong, count);                \
  }                                                                                               \
  int geqrf_batched(handle* on, int m, int n, T* const* a, int lda, T* const* tau, int* wrong,    \
                    int count) {                                                                  \
    return run_geqrf<T>(on, m, n, a, lda, tau, wrong, count);                                     \
  }
SKERRY_FACTORS(float32)
SKERRY_FACTORS(float64)
SKERRY_FACTORS(complex64)
SKERRY_FACTORS(complex128)
#undef SKERRY_FACTORS

}  // namespace skerry::emulation::cublas
