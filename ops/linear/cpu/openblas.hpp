// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "core/complex.hpp"
#include "core/config.hpp"

/// The entry points of OpenBLAS in use, as in the package scipy-openblas32: prefix `scipy_`, 32-bit
/// integers; LAPACK with Fortran's calling convention, with the hidden lengths of strings last.
namespace skerry::blas {

using integer = int32;
inline constexpr int row_major = 101;
inline constexpr int not_transposed = 111;
inline constexpr int transposed = 112;
inline constexpr int upper = 121;

/// How CBLAS passes a factor: reals by value, complex numbers by address.
template <class T>
struct factor {
  using type = T;
};
template <class R>
struct factor<complex<R>> {
  using type = const void*;
};

template <class T>
struct EntryPoints {
  using A = typename factor<T>::type;
  using I = const integer*;
  using C = const char*;
  using length = std::size_t;
  static constexpr bool is_complex = std::is_pointer_v<A>;

  void (*gemm)(int order, int trans_a, int trans_b, integer m, integer n, integer k, A alpha,
               const void* a, integer lda, const void* b, integer ldb, A beta, void* c,
               integer ldc);
  void (*gemv)(int order, int trans, integer m, integer n, A alpha, const void* a, integer lda,
               const void* x, integer incx, A beta, void* y, integer incy);
  void (*syrk)(int order, int uplo, int trans, integer n, integer k, A alpha, const void* a,
               integer lda, A beta, void* c, integer ldc);

  void (*getrf)(I m, I n, void* a, I lda, integer* pivots, integer* info);
  void (*getrs)(C trans, I n, I nrhs, const void* a, I lda, I pivots, void* b, I ldb, integer* info,
                length);
  void (*potrf)(C uplo, I n, void* a, I lda, integer* info, length);
  void (*geqrf)(I m, I n, void* a, I lda, void* tau, void* work, I lwork, integer* info);
  void (*orgqr)(I m, I n, I k, void* a, I lda, const void* tau, void* work, I lwork, integer* info);
  // Complex routines take another scratch array, `rwork`.
  using gesdd_real = void(C jobz, I m, I n, void* a, I lda, void* s, void* u, I ldu, void* vt,
                          I ldvt, void* work, I lwork, integer* iwork, integer* info, length);
  using gesdd_complex = void(C jobz, I m, I n, void* a, I lda, void* s, void* u, I ldu, void* vt,
                             I ldvt, void* work, I lwork, void* rwork, integer* iwork,
                             integer* info, length);
  std::conditional_t<is_complex, gesdd_complex, gesdd_real>* gesdd;
  using heevd_real = void(C jobz, C uplo, I n, void* a, I lda, void* w, void* work, I lwork,
                          integer* iwork, I liwork, integer* info, length, length);
  using heevd_complex = void(C jobz, C uplo, I n, void* a, I lda, void* w, void* work, I lwork,
                             void* rwork, I lrwork, integer* iwork, I liwork, integer* info, length,
                             length);
  std::conditional_t<is_complex, heevd_complex, heevd_real>* heevd;
  using geev_real = void(C jobvl, C jobvr, I n, void* a, I lda, void* wr, void* wi, void* vl,
                         I ldvl, void* vr, I ldvr, void* work, I lwork, integer* info, length,
                         length);
  using geev_complex = void(C jobvl, C jobvr, I n, void* a, I lda, void* w, void* vl, I ldvl,
                            void* vr, I ldvr, void* work, I lwork, void* rwork, integer* info,
                            length, length);
  std::conditional_t<is_complex, geev_complex, geev_real>* geev;
};

struct Openblas {
  EntryPoints<float32> s;
  EntryPoints<float64> d;
  EntryPoints<complex64> c;
  EntryPoints<complex128> z;
  void (*set_num_threads)(int n);

  template <class T>
  [[nodiscard]] const EntryPoints<T>& entry_points() const noexcept {
    if constexpr (std::is_same_v<T, float32>) return s;
    if constexpr (std::is_same_v<T, float64>) return d;
    if constexpr (std::is_same_v<T, complex64>) return c;
    if constexpr (std::is_same_v<T, complex128>) return z;
  }
};

/// The open library for one call, with the number of threads that it may use; require() must have
/// returned before. OpenBLAS releases its threads and buffers when the process forks or exits, even
/// while they are in use. So fork and exit wait for running calls, and block later calls (forever,
/// at exit).
class OneCall {
 public:
  explicit OneCall(int threads) noexcept;
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;
  ~OneCall();

  template <class T>
  [[nodiscard]] const EntryPoints<T>& entry_points() const noexcept {
    return library_->entry_points<T>();
  }

 private:
  const Openblas* library_;
};
/// Uses as many threads as this process does.
[[nodiscard]] OneCall use() noexcept;

}  // namespace skerry::blas
