// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/linear/cuda/cusolver.cuh"
#include "ops/linear/linalg_kernels.hpp"

#include <cub/device/device_for.cuh>

#include <cstdint>

// Stacks of small matrices, for which the libraries have forms that take all of them by one call.

namespace skerry::native {

/// Up to this side, a stack is one call. Calls for single matrices are several launches each, which
/// a matrix of 256 x 256 (11 million operations, less than a microsecond of an H100) doesn't fill;
/// larger ones are for routines that spread one matrix over the device. Reckoned, not measured.
inline constexpr std::int64_t small_side = 256;

[[nodiscard]] inline bool is_stack_of_small(const LinAlgParams& p) {
  constexpr std::int64_t max_batch = 0x7fffffff;
  return p.batch > 1 && p.batch <= max_batch && p.rows <= small_side && p.columns <= small_side;
}

/// Matrices of one call of what computes eigenvalues and singular values. Their scratch memory is
/// in proportion, and gesvdjBatched counts it in an int; syevBatched documents n * lda * batch <
/// 2^31 and was seen to refuse 40,000 matrices of 3 x 3 (mujocolab/mjlab, pull request 732).
inline constexpr std::int64_t max_call_batch = std::int64_t{1} << 14;
static_assert(small_side * small_side * max_call_batch <= 0x7fffffff);

/// `visitor(first, count)` for each part of a stack that is a call.
template <class Run>
void for_each_part(std::int64_t batch, Run&& visitor) {
  for (std::int64_t first = 0; first < batch; first += max_call_batch) {
    visitor(first, minimum(batch - first, max_call_batch));
  }
}

/// `ask(count)` for each number of matrices that such a part has.
template <class Ask>
void for_each_part_size(std::int64_t batch, Ask&& ask) {
  ask(minimum(batch, max_call_batch));
  if (batch > max_call_batch && batch % max_call_batch != 0) ask(batch % max_call_batch);
}

/// addresses[i] = where matrix i of a stack begins.
struct list_matrices {
  char** addresses;
  char* stack;
  std::int64_t nbytes;

  __device__ void operator()(std::int64_t i) const { addresses[i] = stack + i * nbytes; }
};

/// The list of a stack's matrices that some of these forms take, in the device's memory.
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

/// `body(settings)`, with what `create` makes for it.
template <class Settings, class Body>
void with_settings(CusolverCall& session, cusolverStatus_t (*create)(Settings*),
                   cusolverStatus_t (*destroy)(Settings), Body&& body) {
  Settings settings = nullptr;
  session.note(create(&settings));
  if (session.ok()) body(settings);
  if (settings != nullptr) (void)destroy(settings);
}

}  // namespace skerry::native
