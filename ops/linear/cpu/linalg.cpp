// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "enabled_dtypes.hpp"
#include "ops/linear/cpu/lane_matrices.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

using host_form = void (*)(const void*);

/// Lanes of fewer bytes gain less beside the library, which works on rows by whole vectors: with
/// AVX-512 LU factors of 32 rows take 0.7 (float32) to 0.9 of its time. Its sums of larger complex
/// matrices, which are formed in more parts, are a little more accurate.
template <class T>
constexpr int64 max_rows = vector_bytes / 2 / (Wide<T>::parts * Wide<T>::parts);

/// The library's routine for each matrix, or, where scratch memory is planned for that, one of ours
/// for as many as vectors have lanes.
template <LinAlgRoutine Routine, class T, void (*LaneRoutine)(const Group<T>&)>
void run(const void* params) {
  const auto& p = *static_cast<const LinAlgParams*>(params);
  if (p.workspace_size == 0 || p.rows > max_rows<T>)
    return blas::routine_of(Routine, dtype_of<T>)(params);
  cpu::parallel_for(p.slots, 1, work_on_slots<T, LaneRoutine>, const_cast<LinAlgParams*>(&p));
}

template <class T>
host_form in_lanes(LinAlgRoutine routine) {
  using enum LinAlgRoutine;
  if (routine == getrf) return run<getrf, T, factor_in_lanes<T>>;
  if (routine == getrs) return run<getrs, T, solve_in_lanes<T>>;
  if (routine == potrf) return run<potrf, T, find_cholesky_in_lanes<T>>;
  if constexpr (Wide<T>::parts == 1) {
    if (routine == determinant) return run<determinant, T, find_determinants_in_lanes<T>>;
  }
  return nullptr;
}

void fill(LinAlgKernels& table, Dtype type) {
  for (int i = 0; i < linalg_routine_count; ++i) {
    const auto routine = static_cast<LinAlgRoutine>(i);
    host_form& host = table.kernel[i][static_cast<int>(type)].host;
    host = blas::routine_of(routine, type);
    visit(type, [&]<class T>(type_identity<T>) {
      if constexpr (ops::floating<T> && !ops::same_v<T, float16>) {
        if (const host_form lane_kernel = in_lanes<T>(routine)) host = lane_kernel;
      }
    });
  }
}

}  // namespace

void fill_linalg(LinAlgKernels& table) {
#define SKERRY_FILL(name) fill(table, Dtype::name);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
