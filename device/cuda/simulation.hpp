// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/api.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/rehearse.hpp"

namespace skerry::cuda {

// What stands for CUDA's runtime where devices are rehearsed: the simulation of this library, or
// that of the emulated GPU, on whose devices kernels of others run, too.

/// Opens the emulated GPU's library, once, if `kernels` needs it, and tells the simulation how many
/// devices there are. Throws DeviceUnavailableError if the emulated GPU is not installed, or if it
/// is of another version than this library needs.
void choose_simulation(int count, RehearsedKernels kernels);

/// What SKERRY_REHEARSE_KERNELS says: 0, 1 (of users) or all. Throws ValueError for anything else.
[[nodiscard]] RehearsedKernels kernels_from_environment() noexcept;
/// The folder of the emulated GPU's libraries; empty if nobody has said it.
[[nodiscard]] std::string emulator_folder();

/// For the chosen simulation.
[[nodiscard]] const Api& simulated_calls() noexcept;
[[nodiscard]] const rehearsal::Controls& simulation_controls() noexcept;

}  // namespace skerry::cuda
