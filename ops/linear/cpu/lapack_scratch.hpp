// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/linear/cpu/lapack.hpp"
#include "ops/linear/cpu/openblas.hpp"
#include "ops/linear/linalg_kernels.hpp"

// Arguments of LAPACK routines other than matrices: sizes in LAPACK's integer type, and scratch
// memory.

namespace skerry::blas {

template <class T>
struct real_of {
  using type = T;
};
template <class R>
struct real_of<complex<R>> {
  using type = R;
};
template <class T>
using real_t = typename real_of<T>::type;
template <class T>
inline constexpr bool is_complex = EntryPoints<T>::is_complex;

inline integer positive(std::int64_t value) {
  return static_cast<integer>(std::clamp<std::int64_t>(value, 1, INT32_MAX));
}

/// The parts of one slot's scratch memory: items of T, reals, integers.
template <class T>
struct WorkspaceParts {
  T* workspace = nullptr;
  real_t<T>* reals = nullptr;
  integer* integers = nullptr;

  static std::int64_t nbytes(const LinAlgRequest& p) {
    const std::int64_t all = p.workspace_size * static_cast<std::int64_t>(sizeof(T)) +
                             p.real_work * static_cast<std::int64_t>(sizeof(real_t<T>)) +
                             p.integer_work * static_cast<std::int64_t>(sizeof(integer));
    return (all + 63) / 64 * 64;
  }
  WorkspaceParts() = default;  // for queries
  WorkspaceParts(const LinAlgParams& p, std::int64_t slot)
      : workspace(reinterpret_cast<T*>(p.scratch + slot * nbytes(p))),
        reals(reinterpret_cast<real_t<T>*>(workspace + p.workspace_size)),
        integers(reinterpret_cast<integer*>(reals + p.real_work)) {}
};

/// Plans scratch memory for `numbers` in vectors of 64 bytes if the matrices are processed in
/// lanes. The routines that support this need no other scratch memory.
template <class T>
void plan_lanes(LinAlgRequest& p, std::int64_t numbers) {
  const bool is_small = p.rows == p.columns && p.rows <= max_rows_in_lanes;
  p.workspace_size =
      is_small && p.batch >= min_rows_in_lanes ? numbers * 64 / sizeof(real_t<T>) : 0;
}

/// Returns matrix `i` of a stack of rows x columns.
template <class T>
T* matrix_at(char* stack, std::int64_t i, std::int64_t rows, std::int64_t columns) {
  return reinterpret_cast<T*>(stack) + i * rows * columns;
}

/// Converts the result of a workspace query in work[0]; rounded up, as float32 may have rounded
/// down.
template <class T>
std::int64_t length_of(const T& optimal_length) {
  double length = 0;
  if constexpr (is_complex<T>) {
    length = static_cast<double>(optimal_length.re);
  } else {
    length = static_cast<double>(optimal_length);
  }
  return static_cast<std::int64_t>(length * (sizeof(real_t<T>) == 4 ? 1 + 0x1p-22 : 1)) + 1;
}

}  // namespace skerry::blas
