// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "device/cuda/api.hpp"

namespace skerry {
struct KernelTable;
}  // namespace skerry

namespace skerry::cuda {

/// The interface of the CUDA module (skerry_cuda.so).
struct ModuleInterface {
  int abi_version;
  const Api* calls;
  /// Adds the native kernels to the table of all kernels; null if none are linked in.
  void (*fill_kernels)(KernelTable& table);
  /// The architectures of the kernels as CMake's list ("90-real,100"); empty without kernels.
  const char* architectures;
  /// The same as nvcc's list: "900,1000".
  const char* compiled_by_nvcc;
  int runtime_version;
};

/// Opens the first of `paths` that can be loaded and has this module_abi_version. Returns null if
/// there is none; `complaint` then has the reason for each path.
[[nodiscard]] const ModuleInterface* open_module(const std::vector<std::string>& paths,
                                                 std::string& complaint);
/// Returns the path of a file in the folder of the library or program that contains this code.
[[nodiscard]] std::string path_next_to_this_library(const char* file);

/// Returns the module in use; null for rehearsal and without a CUDA module. Probes CUDA.
[[nodiscard]] const ModuleInterface* loaded_module() noexcept;

}  // namespace skerry::cuda

// The only exported symbol of the CUDA module. Returns null if it was built for another
// `abi_version`.
extern "C" const skerry::cuda::ModuleInterface* skerry_cuda_module(int abi_version);
