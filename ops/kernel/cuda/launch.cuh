// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel.hpp"

#include <cuda_runtime.h>

#include <cuda/std/__cccl/version.h>
#include <cub/version.cuh>

#include <cstddef>

namespace skerry::native {

inline cudaStream_t stream_of(const LaunchContext* context) {
  return static_cast<cudaStream_t>(context->stream);
}

/// Returns the status of a native kernel; each ends with this call. CUB returns launch errors, but
/// also leaves them as the thread's last error, which the next caller would report as its own.
inline int end_launch(cudaError_t status) {
  if (status != cudaSuccess) (void)cudaGetLastError();
  return static_cast<int>(status);
}

/// Runs a CUB algorithm in its two phases: `call(nullptr, nbytes)` queries the size of the scratch
/// memory, `call(scratch, nbytes)` enqueues.
template <class Call>
cudaError_t with_workspace(LaunchContext* context, Call&& call) {
  std::size_t nbytes = 0;
  if (const cudaError_t status = call(nullptr, nbytes); status != cudaSuccess) return status;
  // Not 0: with a null pointer, the second call would only query again.
  if (nbytes == 0) nbytes = 1;
  void* scratch = context->workspace(context, nbytes);
  if (scratch == nullptr) return cudaErrorMemoryAllocation;
  return call(scratch, nbytes);
}

}  // namespace skerry::native
