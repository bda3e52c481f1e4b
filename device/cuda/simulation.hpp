// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/api.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/rehearse.hpp"

namespace skerry::cuda {

// The simulated runtime of rehearsed devices: this library's own, or that of the emulated GPU,
// which also runs CUDA kernels of other libraries.

/// Opens the emulated GPU's library, once, if `kernels` needs it, and sets the simulation's number
/// of devices. Throws DeviceUnavailableError if the emulated GPU is not installed or has another
/// interface version.
void choose_simulation(int count, RehearsedKernels kernels);

/// Returns the value of SKERRY_REHEARSE_KERNELS: 1 (users' kernels), all, or else none.
[[nodiscard]] RehearsedKernels kernels_from_environment() noexcept;
/// Returns the folder of the emulated GPU's libraries; empty if not configured.
[[nodiscard]] std::string emulator_folder();

/// Returns the calls and controls of the chosen simulation.
[[nodiscard]] const Api& simulated_calls() noexcept;
[[nodiscard]] const rehearsal::Controls& simulation_controls() noexcept;

}  // namespace skerry::cuda
