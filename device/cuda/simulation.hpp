// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/cuda/module.hpp"
#include "device/cuda/rehearsal/control.hpp"
#include "device/registry.hpp"

namespace skerry::cuda {

// What stands for CUDA's runtime where devices are rehearsed: the simulation of this library, or
// that of the emulated GPU, on whose devices kernels of others run, too.

/// Opens the emulated GPU's library, once, if `kernels` needs it, and tells the simulation how many
/// devices there are. Throws DeviceUnavailableError if this build has no emulated GPU.
void choose_simulation(int count, RehearsedKernels kernels);

/// What SKERRY_REHEARSE_KERNELS says: 0, 1 (of users) or all. Throws ValueError for anything else.
[[nodiscard]] RehearsedKernels kernels_from_environment() noexcept;

/// For the chosen simulation.
[[nodiscard]] const Api& simulated_calls() noexcept;
[[nodiscard]] const rehearsal::Controls& simulation_controls() noexcept;

}  // namespace skerry::cuda
