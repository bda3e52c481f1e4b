// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Checks arguments according to the documentation of cuBLAS 13.0: cublas<t>getrfBatched,
// cublas<t>getrsBatched, cublas<t>geqrfBatched.

#include "device/emulator/libraries/cublas.hpp"
#include "device/emulator/libraries/lapack_calls.hpp"
#include "device/emulator/libraries/routine_call.hpp"

namespace skerry::emulation::cublas {

namespace {

class FactorCall : public RoutineCall {
 public:
  FactorCall(const char* routine, const Handle* handle)
      : RoutineCall(routine, handle, {not_initialized, invalid_value, execution_failed}) {}
};

template <class T>
int run_getrf(Handle* handle, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  FactorCall call("cublas getrfBatched", handle);
  call.matrices(a, count, n, n, lda);
  call.vector(pivots, std::int64_t{n} * count);
  call.vector(info, count);
  return call.run([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      lapack::getrf<T>(n, n, a[i], lda, pivots + i * n, info + i);
    }
  });
}

template <class T>
int run_getrs(Handle* handle, int op, int n, int columns, const T* const* a, int lda,
              const int* pivots, T* const* b, int ldb, int* wrong, int count) {
  FactorCall call("cublas getrsBatched", handle);
  call.require(op >= not_transposed && op <= adjoint, "invalid operation");
  call.require(wrong != nullptr, "null info (a host pointer)");
  call.matrices(a, count, n, n, lda);
  call.matrices(b, count, n, columns, ldb);
  call.vector(pivots, std::int64_t{n} * count);
  const int status = call.run([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      int info = 0;
      lapack::getrs<T>(op, n, columns, a[i], lda, pivots + i * n, b[i], ldb, &info);
    }
  });
  if (wrong != nullptr) *wrong = status == invalid_value ? -1 : 0;
  return status;
}

template <class T>
int run_geqrf(Handle* handle, int m, int n, T* const* a, int lda, T* const* tau, int* wrong,
              int count) {
  FactorCall call("cublas geqrfBatched", handle);
  call.require(wrong != nullptr, "null info (a host pointer)");
  const int factors = m < n ? m : n;
  call.matrices(a, count, m, n, lda);
  call.matrices(tau, count, factors > 1 ? factors : 1, 1, factors > 1 ? factors : 1);
  const int status = call.run([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      int info = 0;
      lapack::geqrf<T>(m, n, a[i], lda, tau[i], &info);
    }
  });
  if (wrong != nullptr) *wrong = status == invalid_value ? -1 : 0;
  return status;
}

}  // namespace

#define SKERRY_FACTORS(T)                                                                          \
  int getrf_batched(Handle* handle, int n, T* const* a, int lda, int* pivots, int* info,           \
                    int count) {                                                                   \
    return run_getrf<T>(handle, n, a, lda, pivots, info, count);                                   \
  }                                                                                                \
  int getrs_batched(Handle* handle, int op, int n, int columns, const T* const* a, int lda,        \
                    const int* pivots, T* const* b, int ldb, int* wrong, int count) {              \
    return run_getrs<T>(handle, op, n, columns, a, lda, pivots, b, ldb, wrong, count);             \
  }                                                                                                \
  int geqrf_batched(Handle* handle, int m, int n, T* const* a, int lda, T* const* tau, int* wrong, \
                    int count) {                                                                   \
    return run_geqrf<T>(handle, m, n, a, lda, tau, wrong, count);                                  \
  }
SKERRY_FACTORS(float32)
SKERRY_FACTORS(float64)
SKERRY_FACTORS(complex64)
SKERRY_FACTORS(complex128)
#undef SKERRY_FACTORS

}  // namespace skerry::emulation::cublas
