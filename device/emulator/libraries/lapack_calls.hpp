// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/linear/cpu/openblas.hpp"
#include "ops/math/concepts.hpp"

// LAPACK routines that allocate their workspace, for one column-major matrix.

namespace skerry::emulation::lapack {

using blas::integer;

template <class T>
using real_of = ops::real_part_t<T>;

template <class T>
integer to_length(T optimal_length) {
  if constexpr (ops::complex_floating<T>) {
    return static_cast<integer>(optimal_length.re);
  } else {
    return static_cast<integer>(optimal_length);
  }
}

/// Calls `call(work, length)` twice: to query the workspace size, then with a workspace.
template <class T, class Call>
void with_work(Call call) {
  T optimal_length(0);
  call(&optimal_length, integer{-1});
  const integer length = std::max(to_length(optimal_length), integer{1});
  std::vector<T> workspace(static_cast<std::size_t>(length));
  call(workspace.data(), length);
}

template <class T>
void getrf(integer m, integer n, T* a, integer lda, integer* pivots, integer* info) {
  blas::use().entry_points<T>().getrf(&m, &n, a, &lda, pivots, info);
}

template <class T>
void getrs(int op, integer n, integer count, const T* a, integer lda, const integer* pivots, T* b,
           integer ldb, integer* info) {
  blas::use().entry_points<T>().getrs(&"NTC"[op], &n, &count, a, &lda, pivots, b, &ldb, info, 1);
}

template <class T>
void potrf(char uplo, integer n, T* a, integer lda, integer* info) {
  blas::use().entry_points<T>().potrf(&uplo, &n, a, &lda, info, 1);
}

template <class T>
void geqrf(integer m, integer n, T* a, integer lda, T* tau, integer* info) {
  const blas::OneCall library = blas::use();
  with_work<T>([&](T* workspace, integer length) {
    library.entry_points<T>().geqrf(&m, &n, a, &lda, tau, workspace, &length, info);
  });
}

template <class T>
void orgqr(integer m, integer n, integer k, T* a, integer lda, const T* tau, integer* info) {
  const blas::OneCall library = blas::use();
  with_work<T>([&](T* workspace, integer length) {
    library.entry_points<T>().orgqr(&m, &n, &k, a, &lda, tau, workspace, &length, info);
  });
}

/// `jobz`: 'N', 'S' (reduced) or 'A'.
template <class T>
void gesdd(char jobz, integer m, integer n, T* a, integer lda, real_of<T>* s, T* u, integer ldu,
           T* vt, integer ldvt, integer* info) {
  const blas::OneCall library = blas::use();
  const auto min_extent = static_cast<std::size_t>(std::min(m, n));
  const auto max_extent = static_cast<std::size_t>(std::max(m, n));
  std::vector<integer> integers(8 * min_extent);
  with_work<T>([&](T* workspace, integer length) {
    if constexpr (ops::complex_floating<T>) {
      std::vector<real_of<T>> reals(
          min_extent * std::max(5 * min_extent + 7, 2 * max_extent + 2 * min_extent + 1));
      library.entry_points<T>().gesdd(&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, workspace,
                                      &length, reals.data(), integers.data(), info, 1);
    } else {
      library.entry_points<T>().gesdd(&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, workspace,
                                      &length, integers.data(), info, 1);
    }
  });
}

template <class T>
void syevd(char jobz, char uplo, integer n, T* a, integer lda, real_of<T>* w, integer* info) {
  const blas::OneCall library = blas::use();
  const auto size = static_cast<std::size_t>(n);
  std::vector<integer> integers(5 * size + 3);
  const auto integer_length = static_cast<integer>(integers.size());
  if constexpr (ops::complex_floating<T>) {
    std::vector<T> workspace(size * size + 2 * size + 1);
    std::vector<real_of<T>> reals(2 * size * size + 5 * size + 1);
    const auto length = static_cast<integer>(workspace.size());
    const auto real_length = static_cast<integer>(reals.size());
    library.entry_points<T>().heevd(&jobz, &uplo, &n, a, &lda, w, workspace.data(), &length,
                                    reals.data(), &real_length, integers.data(), &integer_length,
                                    info, 1, 1);
  } else {
    std::vector<T> workspace(2 * size * size + 6 * size + 1);
    const auto length = static_cast<integer>(workspace.size());
    library.entry_points<T>().heevd(&jobz, &uplo, &n, a, &lda, w, workspace.data(), &length,
                                    integers.data(), &integer_length, info, 1, 1);
  }
}

/// Computes eigenvalues and, if `jobvr` is 'V', right eigenvectors. Those of a real matrix are
/// real: of a conjugate pair, the first column is the real part and the second the imaginary part.
template <class T>
void geev(char jobvr, integer n, T* a, integer lda, complex<real_of<T>>* w, T* vr, integer ldvr,
          integer* info) {
  const blas::OneCall library = blas::use();
  constexpr char no_left = 'N';
  const integer one = 1;
  const auto size = static_cast<std::size_t>(n);
  std::vector<real_of<T>> reals(2 * size);
  with_work<T>([&](T* workspace, integer length) {
    if constexpr (ops::complex_floating<T>) {
      library.entry_points<T>().geev(&no_left, &jobvr, &n, a, &lda, w, nullptr, &one, vr, &ldvr,
                                     workspace, &length, reals.data(), info, 1, 1);
    } else {
      library.entry_points<T>().geev(&no_left, &jobvr, &n, a, &lda, reals.data(),
                                     reals.data() + size, nullptr, &one, vr, &ldvr, workspace,
                                     &length, info, 1, 1);
      for (std::size_t i = 0; i < size; ++i) w[i] = {reals[i], reals[size + i]};
    }
  });
}

}  // namespace skerry::emulation::lapack
