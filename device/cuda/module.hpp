// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/api.hpp"

namespace skerry::cuda {

/// What the CUDA module (skerry_cuda.so) gives to the rest of the library.
struct module_interface {
  int abi_version;
  const api* calls;
  /// Writes the native kernels into the table that ops defines; null if none are linked in.
  void (*fill_kernels)(void* table);
  /// What the kernels were compiled for, in CMake's words: "90-real,100"; empty if there are none.
  const char* architectures;
  /// The same in nvcc's: "900,1000".
  const char* compiled_by_nvcc;
  int runtime_version;
};

/// The module in use: null on rehearsal devices and where there is no CUDA module. Probes CUDA.
[[nodiscard]] const module_interface* loaded_module() noexcept;

}  // namespace skerry::cuda

/// The one symbol of the CUDA module. Null if it was built for another `abi_version`.
extern "C" const skerry::cuda::module_interface* skerry_cuda_module(int abi_version);
