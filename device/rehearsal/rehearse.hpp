// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry {

/// Which CUDA kernels run on rehearsed devices, by an emulated GPU that executes their PTX.
enum class RehearsedKernels : int {
  none,   ///< no CUDA kernels: operations run the host forms of theirs
  users,  ///< kernels of other libraries; operations run the host forms, which are faster
  all,    ///< all kernels, including those of operations
};

/// Creates `count` rehearsal devices cuda:0 … Throws ValueError if this process has already found
/// CUDA devices (a failed probe does not count) or if `count` is outside 1…64, and
/// DeviceUnavailableError if the emulated GPU is needed and not installed. SKERRY_REHEARSE in the
/// environment does the same at first use.
void rehearse(int count, RehearsedKernels kernels = RehearsedKernels::none);
/// Sets the folder of the emulated GPU's libraries (package skerry-emulator); call it before
/// `rehearse`, which opens them. SKERRY_EMULATOR in the environment takes precedence.
void set_emulator_folder(const std::string& folder);
/// Sets whether rehearsed devices have float64 and complex128 (SKERRY_REHEARSE_FLOAT64). Existing
/// arrays stay as they are.
void rehearse_float64(bool is_there) noexcept;
/// Reads memory and compute capability of the rehearsed devices again, after a change of the
/// emulated GPU's settings. No device may be in use meanwhile.
void refresh_rehearsed_devices();
[[nodiscard]] bool is_rehearsing() noexcept;
/// Returns the CUDA kernels that run on rehearsed devices; none if there are no such devices.
[[nodiscard]] RehearsedKernels kernels_of_rehearsal() noexcept;
}  // namespace skerry
