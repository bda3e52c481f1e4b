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

/// What the CUDA module (skerry_cuda.so) gives to the rest of the library.
struct ModuleInterface {
  int abi_version;
  const Api* calls;
  /// Adds the native forms to a table of all kernels; null if none are linked in.
  void (*fill_kernels)(KernelTable& table);
  /// What the kernels were compiled for, in CMake's words: "90-real,100"; empty if there are none.
  const char* architectures;
  /// The same in nvcc's: "900,1000".
  const char* compiled_by_nvcc;
  int runtime_version;
};

/// The CUDA module: the first of `paths` that can be opened and is of this version. Null if there
/// is none; then `complaint` says why of each.
[[nodiscard]] const ModuleInterface* open_module(const std::vector<std::string>& paths,
                                                 std::string& complaint);
/// A file beside the library or program that this code is part of.
[[nodiscard]] std::string path_next_to_this_library(const char* file);

/// The module in use: null on rehearsal devices and where there is no CUDA module. Probes CUDA.
[[nodiscard]] const ModuleInterface* loaded_module() noexcept;

}  // namespace skerry::cuda

// The one symbol of the CUDA module. Null if it was built for another `abi_version`.
extern "C" const skerry::cuda::ModuleInterface* skerry_cuda_module(int abi_version);
