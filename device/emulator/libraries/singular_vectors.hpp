// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "device/emulator/libraries/cusolver.hpp"
#include "device/emulator/libraries/lapack_calls.hpp"

namespace skerry::emulation::cusolver {

/// Returns the number of columns of U and of V.
inline std::pair<int, int> vector_counts(int econ, int m, int n) {
  const int min_extent = std::min(m, n);
  return econ == 1 ? std::pair{min_extent, min_extent} : std::pair{m, n};
}

/// Computes the singular values, U, and V (not its adjoint), as gesvdj does.
template <class T>
void decompose(int jobz, int econ, int m, int n, T* a, int lda, lapack::real_of<T>* s, T* u,
               int ldu, T* v, int ldv, int* info) {
  if (jobz == no_vectors) {
    return lapack::gesdd<T>('N', m, n, a, lda, s, nullptr, 1, nullptr, 1, info);
  }
  const int count = vector_counts(econ, m, n).second;
  std::vector<T> vt(static_cast<std::size_t>(count) * static_cast<std::size_t>(n));
  lapack::gesdd<T>(econ == 1 ? 'S' : 'A', m, n, a, lda, s, u, ldu, vt.data(), count, info);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < count; ++j) {
      const T x = vt[static_cast<std::size_t>(i * count + j)];
      if constexpr (ops::complex_floating<T>) {
        v[j * ldv + i] = T(x.re, -x.im);
      } else {
        v[j * ldv + i] = x;
      }
    }
  }
}

}  // namespace skerry::emulation::cusolver
