// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/simulation.hpp"

#include <atomic>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "device/cuda/guarded_rehearsal.hpp"
#include "device/environment.hpp"

namespace skerry {

std::string emulator_folder() {
  if (const char* const folder = environment_text("SKERRY_EMULATOR")) return folder;
  return cuda::path_next_to_this_library("emulator");
}

namespace cuda {

namespace {

/// The emulated GPU's; null: this library simulates by itself.
constinit std::atomic<const ModuleInterface*> emulator{nullptr};

const ModuleInterface& open_emulator() {
  if (const ModuleInterface* const loaded_emulator = emulator.load()) return *loaded_emulator;
#ifdef SKERRY_EMULATOR_NEEDS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    throw DeviceUnavailableError(
        "rehearse: the emulated GPU runs kernels by AVX2 and FMA, which this processor lacks; "
        "rehearse without kernels",
        UnavailableReason::no_cuda_module);
  }
#endif
  std::string complaint;
  const std::string path = emulator_folder() + "/libskerry_emulator.so";
  const ModuleInterface* const opened_module =
      open_module({path}, "skerry_emulator_module", complaint);
  if (opened_module == nullptr) {
    throw DeviceUnavailableError(
        "rehearse: this build of skerry has no emulated GPU to run kernels on (" + complaint +
            "); install one with it, as `make build` makes, or rehearse without kernels",
        UnavailableReason::no_cuda_module);
  }
  emulator.store(opened_module);
  return *opened_module;
}

}  // namespace

RehearsedKernels kernels_from_environment() noexcept {
  const char* const value = environment_text("SKERRY_REHEARSE_KERNELS");
  const std::string_view text = value != nullptr ? value : "";
  if (text == "1") return RehearsedKernels::users;
  return text == "all" ? RehearsedKernels::all : RehearsedKernels::none;
}

void choose_simulation(int count, RehearsedKernels kernels) {
  if (kernels != RehearsedKernels::none) static_cast<void>(open_emulator());
  if (kernels == RehearsedKernels::none) guard_rehearsed_memory();
  simulation_controls().set_device_count(count);
}

const Api& simulated_calls() noexcept {
  const ModuleInterface* const other = emulator.load();
  return other != nullptr ? *other->calls : *rehearsal::calls_table();
}

const rehearsal::Controls& simulation_controls() noexcept {
  const ModuleInterface* const other = emulator.load();
  return other != nullptr ? *other->controls : rehearsal::own_controls;
}

}  // namespace cuda

}  // namespace skerry
