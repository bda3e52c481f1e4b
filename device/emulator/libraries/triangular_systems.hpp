// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/libraries/cublas_call.hpp"

namespace skerry::emulation::cublas {

inline constexpr int lower_triangle = 0;
inline constexpr int left_side = 0;

/// A triangular system: op(A) X = alpha B, or X op(A) = alpha B on the right.
struct TriangularSystem {
  int side;
  int uplo;
  int op;
  bool has_unit_diagonal;
  int m;
  int n;
  [[nodiscard]] int order() const { return side == left_side ? m : n; }
};

/// Replaces B by X.
template <class T>
void solve(const TriangularSystem& system, T alpha, const T* a, std::int64_t lda, T* b,
           std::int64_t ldb) {
  const Operand<T> matrix(a, lda, system.op);
  const bool is_left = system.side == left_side;
  const int order = system.order();
  // In the order of substitution, each unknown needs those before it.
  const bool is_lower = (system.uplo == lower_triangle) == (system.op == not_transposed);
  const bool is_ascending = is_lower == is_left;
  for (int line = 0; line < (is_left ? system.n : system.m); ++line) {
    const auto unknown = [&](int index) -> T& {
      return is_left ? b[line * ldb + index] : b[index * ldb + line];
    };
    for (int step = 0; step < order; ++step) {
      const int i = is_ascending ? step : order - 1 - step;
      T rest = alpha * unknown(i);
      for (int earlier = 0; earlier < step; ++earlier) {
        const int j = is_ascending ? earlier : order - 1 - earlier;
        rest -= (is_left ? matrix(i, j) : matrix(j, i)) * unknown(j);
      }
      unknown(i) = system.has_unit_diagonal ? rest : rest / matrix(i, i);
    }
  }
}

}  // namespace skerry::emulation::cublas
