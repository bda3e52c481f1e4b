// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/linear/cuda/cusolver.cuh"
#include "ops/linear/linalg_kernels.hpp"

#include <cub/device/device_for.cuh>

#include <cstdint>

// Stacks of small matrices, for which the libraries have batched routines.

namespace skerry::native {

/// Maximum extent of matrices for which a stack is processed by batched calls. A call for a single
/// matrix consists of several launches, and a matrix of 256 x 256 (11 million operations, less than
/// a microsecond on an H100) is too small to fill the device. Larger matrices suit routines that
/// spread one matrix over the device. Estimated, not measured.
inline constexpr std::int64_t small_side = 256;

[[nodiscard]] inline bool is_stack_of_small(const LinAlgParams& p) {
  constexpr std::int64_t max_batch = 0x7fffffff;
  return p.batch > 1 && p.batch <= max_batch && p.rows <= small_side && p.columns <= small_side;
}

/// Maximum number of matrices per batched call for eigenvalues and singular values. Scratch memory
/// is proportional to it, and gesvdjBatched counts it in an int; syevBatched documents n * lda *
/// batch < 2^31 and was seen to reject 40,000 matrices of 3 x 3 (mujocolab/mjlab, pull request
/// 732).
inline constexpr std::int64_t max_call_batch = std::int64_t{1} << 14;
static_assert(small_side * small_side * max_call_batch <= 0x7fffffff);

/// Calls `visitor(first, count)` for each part of a stack that one batched call processes.
template <class Run>
void for_each_part(std::int64_t batch, Run&& visitor) {
  for (std::int64_t first = 0; first < batch; first += max_call_batch) {
    visitor(first, minimum(batch - first, max_call_batch));
  }
}

/// Calls `ask(count)` for each number of matrices that such a part can have.
template <class Ask>
void for_each_part_size(std::int64_t batch, Ask&& ask) {
  ask(minimum(batch, max_call_batch));
  if (batch > max_call_batch && batch % max_call_batch != 0) ask(batch % max_call_batch);
}

/// addresses[i] = address of matrix i of a stack.
struct list_matrices {
  char** addresses;
  char* stack;
  std::int64_t nbytes;

  __device__ void operator()(std::int64_t i) const { addresses[i] = stack + i * nbytes; }
};

/// Builds the list of matrix addresses that some batched routines take, in device memory.
template <class U>
U** list_of(CusolverCall& session, char* stack, std::int64_t items, std::int64_t count) {
  U** const list = session.scratch<U*>(count);
  if (!session.ok()) return nullptr;
  const list_matrices write{.addresses = reinterpret_cast<char**>(list),
                            .stack = stack,
                            .nbytes = items * static_cast<std::int64_t>(sizeof(U))};
  session.note(cub::DeviceFor::Bulk(count, write, stream_of(session.context)));
  return list;
}

/// Calls `body(settings)` with settings from `create`, and destroys them.
template <class Settings, class Body>
void with_settings(CusolverCall& session, cusolverStatus_t (*create)(Settings*),
                   cusolverStatus_t (*destroy)(Settings), Body&& body) {
  Settings settings = nullptr;
  session.note(create(&settings));
  if (session.ok()) body(settings);
  if (settings != nullptr) (void)destroy(settings);
}

}  // namespace skerry::native
