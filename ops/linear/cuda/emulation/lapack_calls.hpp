// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/linear/cpu/openblas.hpp"
#include "ops/math/concepts.hpp"

// LAPACK's routines with memory of their own to work in, for one column-major matrix.

namespace skerry::emulation::lapack {

using blas::integer;

template <class T>
using real_of = ops::real_part_t<T>;

template <class T>
integer to_length(T asked) {
  if constexpr (ops::complex_floating<T>) {
    return static_cast<integer>(asked.re);
  } else {
    return static_cast<integer>(asked);
  }
}

/// `call(work, length)`, once to ask how much memory it takes and once with that.
template <class T, class Call>
void with_work(Call call) {
  T asked(0);
  call(&asked, integer{-1});
  const integer length = std::max(to_length(asked), integer{1});
  std::vector<T> work(static_cast<std::size_t>(length));
  call(work.data(), length);
}

template <class T>
void getrf(integer m, integer n, T* a, integer lda, integer* pivots, integer* info) {
  blas::use().of<T>().getrf(&m, &n, a, &lda, pivots, info);
}

template <class T>
void getrs(int op, integer n, integer count, const T* a, integer lda, const integer* pivots, T* b,
           integer ldb, integer* info) {
  blas::use().of<T>().getrs(&"NTC"[op], &n, &count, a, &lda, pivots, b, &ldb, info, 1);
}

template <class T>
void potrf(char part, integer n, T* a, integer lda, integer* info) {
  blas::use().of<T>().potrf(&part, &n, a, &lda, info, 1);
}

template <class T>
void geqrf(integer m, integer n, T* a, integer lda, T* tau, integer* info) {
  const blas::OneCall library = blas::use();
  with_work<T>([&](T* work, integer length) {
    library.of<T>().geqrf(&m, &n, a, &lda, tau, work, &length, info);
  });
}

template <class T>
void orgqr(integer m, integer n, integer k, T* a, integer lda, const T* tau, integer* info) {
  const blas::OneCall library = blas::use();
  with_work<T>([&](T* work, integer length) {
    library.of<T>().orgqr(&m, &n, &k, a, &lda, tau, work, &length, info);
  });
}

/// `job`: 'N', 'S' (reduced) or 'A'.
template <class T>
void gesdd(char job, integer m, integer n, T* a, integer lda, real_of<T>* s, T* u, integer ldu,
           T* vt, integer ldvt, integer* info) {
  const blas::OneCall library = blas::use();
  const auto least = static_cast<std::size_t>(std::min(m, n));
  const auto most = static_cast<std::size_t>(std::max(m, n));
  std::vector<integer> integers(8 * least);
  with_work<T>([&](T* work, integer length) {
    if constexpr (ops::complex_floating<T>) {
      std::vector<real_of<T>> reals(least * std::max(5 * least + 7, 2 * most + 2 * least + 1));
      library.of<T>().gesdd(&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &length,
                            reals.data(), integers.data(), info, 1);
    } else {
      library.of<T>().gesdd(&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &length,
                            integers.data(), info, 1);
    }
  });
}

template <class T>
void syevd(char job, char part, integer n, T* a, integer lda, real_of<T>* w, integer* info) {
  const blas::OneCall library = blas::use();
  const auto size = static_cast<std::size_t>(n);
  std::vector<integer> integers(5 * size + 3);
  const auto integer_length = static_cast<integer>(integers.size());
  if constexpr (ops::complex_floating<T>) {
    std::vector<T> work(size * size + 2 * size + 1);
    std::vector<real_of<T>> reals(2 * size * size + 5 * size + 1);
    const auto length = static_cast<integer>(work.size());
    const auto real_length = static_cast<integer>(reals.size());
    library.of<T>().heevd(&job, &part, &n, a, &lda, w, work.data(), &length, reals.data(),
                          &real_length, integers.data(), &integer_length, info, 1, 1);
  } else {
    std::vector<T> work(2 * size * size + 6 * size + 1);
    const auto length = static_cast<integer>(work.size());
    library.of<T>().heevd(&job, &part, &n, a, &lda, w, work.data(), &length, integers.data(),
                          &integer_length, info, 1, 1);
  }
}

/// For complex matrices.
template <class T>
void geev(char job, integer n, T* a, integer lda, T* w, T* vr, integer ldvr, integer* info) {
  const blas::OneCall library = blas::use();
  constexpr char no_left = 'N';
  const integer one = 1;
  std::vector<real_of<T>> reals(2 * static_cast<std::size_t>(n));
  with_work<T>([&](T* work, integer length) {
    library.of<T>().geev(&no_left, &job, &n, a, &lda, w, nullptr, &one, vr, &ldvr, work, &length,
                         reals.data(), info, 1, 1);
  });
}

}  // namespace skerry::emulation::lapack
