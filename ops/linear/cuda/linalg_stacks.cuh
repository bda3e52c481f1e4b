// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/linear/cuda/cusolver.cuh"
#include "ops/linear/linalg_kernels.hpp"

#include <cstdint>

// Stacks of small matrices, for which the libraries have forms that take all of them by one call.

namespace skerry::native {

inline constexpr int linalg_threads = 256;

inline unsigned linalg_blocks(std::int64_t count) {
  constexpr std::int64_t most = 1 << 16;  // more work is done in turns
  const std::int64_t blocks = (count + linalg_threads - 1) / linalg_threads;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

/// Up to this side, a stack is one call. Calls for single matrices are several launches each, which
/// a matrix of 256 x 256 (11 million operations, less than a microsecond of an H100) doesn't fill;
/// larger ones are for routines that spread one matrix over the device. Reckoned, not measured.
inline constexpr std::int64_t small_side = 256;

[[nodiscard]] inline bool is_stack_of_small(const LinAlgParams& p) {
  constexpr std::int64_t most = 0x7fffffff;
  return p.batch > 1 && p.batch <= most && p.rows <= small_side && p.columns <= small_side;
}

/// Matrices of one call of what computes eigenvalues and singular values. Their scratch memory is
/// in proportion, and gesvdjBatched counts it in an int; syevBatched documents n * lda * batch <
/// 2^31 and was seen to refuse 40,000 matrices of 3 x 3 (mujocolab/mjlab, pull request 732).
inline constexpr std::int64_t most_of_a_call = std::int64_t{1} << 14;
static_assert(small_side * small_side * most_of_a_call <= 0x7fffffff);

/// `run(first, count)` for each part of a stack that is a call.
template <class Run>
void for_each_part(std::int64_t batch, Run&& run) {
  for (std::int64_t first = 0; first < batch; first += most_of_a_call) {
    run(first, least(batch - first, most_of_a_call));
  }
}

/// `ask(count)` for each number of matrices that such a part has.
template <class Ask>
void for_each_part_size(std::int64_t batch, Ask&& ask) {
  ask(least(batch, most_of_a_call));
  if (batch > most_of_a_call && batch % most_of_a_call != 0) ask(batch % most_of_a_call);
}

/// to[i] = where matrix i of a stack begins.
inline __global__ void __launch_bounds__(linalg_threads)
    list_matrices(char** to, char* stack, std::int64_t nbytes, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * linalg_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * linalg_threads + threadIdx.x; i < count;
       i += step) {
    to[i] = stack + i * nbytes;
  }
}

/// The list of a stack's matrices that some of these forms take, in the device's memory.
template <class U>
U** list_of(Session& on, char* stack, std::int64_t items, std::int64_t count) {
  U** const list = on.scratch<U*>(count);
  if (!on.ok()) return nullptr;
  list_matrices<<<linalg_blocks(count), linalg_threads, 0, stream_of(on.context)>>>(
      reinterpret_cast<char**>(list), stack, items * static_cast<std::int64_t>(sizeof(U)), count);
  on.note(cudaGetLastError());
  return list;
}

/// `body(settings)`, with what `create` makes for it.
template <class Settings, class Body>
void with_settings(Session& on, cusolverStatus_t (*create)(Settings*),
                   cusolverStatus_t (*destroy)(Settings), Body&& body) {
  Settings settings = nullptr;
  on.note(create(&settings));
  if (on.ok()) body(settings);
  if (settings != nullptr) (void)destroy(settings);
}

}  // namespace skerry::native
