// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry {

/// Which CUDA kernels run on rehearsed devices, by an emulated GPU that executes their PTX.
enum class RehearsedKernels : int {
  none,   ///< no: operations run the host forms of their kernels, and nothing else is launched
  users,  ///< those of other libraries; operations run the host forms, which are faster
  all,    ///< these, too
};

/// Makes `count` rehearsal devices cuda:0 … Throws ValueError if this process has found CUDA
/// devices already (having looked for a GPU in vain does not count), or if a count is out of 1…64,
/// and DeviceUnavailableError if there is no emulated GPU for the kernels that are wanted.
/// SKERRY_REHEARSE in the environment does the same at first use.
void rehearse(int count, RehearsedKernels kernels = RehearsedKernels::none);
/// Says where the libraries of the emulated GPU are, which the package skerry-emulator has: before
/// `rehearse`, which opens them. SKERRY_EMULATOR in the environment goes first.
void set_emulator_folder(const std::string& folder);
[[nodiscard]] bool is_rehearsing() noexcept;
/// Which CUDA kernels run on them; none if there are no rehearsed devices.
[[nodiscard]] RehearsedKernels kernels_of_rehearsal() noexcept;
}  // namespace skerry
