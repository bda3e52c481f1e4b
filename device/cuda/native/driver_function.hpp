// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace skerry::cuda {

/// Returns a function of the driver, which this module does not link; null if the driver lacks it.
template <class Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  auto status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &status);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &status);
#endif
  if (code == cudaSuccess && status == cudaDriverEntryPointSuccess) {
    return reinterpret_cast<Function*>(function);
  }
  cudaGetLastError();
  return nullptr;
}

}  // namespace skerry::cuda
