// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "enabled_dtypes.hpp"
#include "ops/linear/cpu/lane_matrices.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Maximum number of rows of matrices that are processed one per lane. It grows with the vector,
/// since fewer lanes gain less over LAPACK, which vectorizes along rows: with AVX-512, LU factors
/// of 32 rows take 0.7 (float32) to 0.9 times as long as with LAPACK. It is lower for complex
/// matrices, since LAPACK adds more partial sums in larger ones and is slightly more accurate.
template <class T>
constexpr int64 max_rows = vector_bytes / 2 / (Wide<T>::parts * Wide<T>::parts);

template <LinAlgRoutine Routine, class T>
void run_library(const LinAlgParams& p) {
  blas::routine_of(Routine, dtype_of<T>)(p);
}

/// Runs LAPACK's routine on each matrix or, if scratch memory was planned for it, `LaneRoutine` on
/// as many matrices at a time as there are lanes.
template <LinAlgRoutine Routine, class T, void (*LaneRoutine)(const Group<T>&)>
void run(const LinAlgParams& p) {
  if (p.workspace_size == 0 || p.rows > max_rows<T>) return run_library<Routine, T>(p);
  cpu::parallel_for(p.slots, 1, work_on_slots<T, LaneRoutine>, const_cast<LinAlgParams*>(&p));
}

template <class T>
void fill(LinAlgKernels& table) {
  if constexpr (ops::floating<T> && !ops::stored_only<T>) {
    using enum LinAlgRoutine;
    const auto kernel_of = [&](LinAlgRoutine routine) -> Kernel<LinAlgParams>& {
      return table.kernel[static_cast<int>(routine)][static_cast<int>(dtype_of<T>)];
    };
    kernel_of(getrf).template set_host<run<getrf, T, factor_in_lanes<T>>>();
    kernel_of(getrs).template set_host<run<getrs, T, solve_in_lanes<T>>>();
    if constexpr (Wide<T>::parts == 1) {
      kernel_of(determinant)
          .template set_host<run<determinant, T, find_determinants_in_lanes<T>>>();
    } else {
      kernel_of(determinant).template set_host<run_library<determinant, T>>();
    }
    kernel_of(potrf).template set_host<run<potrf, T, find_cholesky_in_lanes<T>>>();
    kernel_of(geqrf).template set_host<run_library<geqrf, T>>();
    kernel_of(orgqr).template set_host<run_library<orgqr, T>>();
    kernel_of(gesdd).template set_host<run_library<gesdd, T>>();
    kernel_of(syevd).template set_host<run_library<syevd, T>>();
    kernel_of(geev).template set_host<run_library<geev, T>>();
  }
}

}  // namespace

void fill_linalg(LinAlgKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
