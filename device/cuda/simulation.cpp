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
  if (const char* const chosen = environment_text("SKERRY_EMULATOR")) return chosen;
  return cuda::path_next_to_this_library("emulator");
}

namespace cuda {

namespace {

/// The emulated GPU's; null: this library simulates by itself.
constinit std::atomic<const module_interface*> emulator{nullptr};

const module_interface& open_emulator() {
  if (const module_interface* const known = emulator.load()) return *known;
#ifdef SKERRY_EMULATOR_NEEDS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    throw device_unavailable_error(
        "rehearse: the emulated GPU runs kernels by AVX2 and FMA, which this processor lacks; "
        "rehearse without kernels",
        unavailable_reason::no_cuda_module);
  }
#endif
  std::string complaint;
  const std::string path = emulator_folder() + "/libskerry_emulator.so";
  const module_interface* const found = open_module({path}, "skerry_emulator_module", complaint);
  if (found == nullptr) {
    throw device_unavailable_error(
        "rehearse: this build of skerry has no emulated GPU to run kernels on (" + complaint +
            "); install one with it, as `make build` makes, or rehearse without kernels",
        unavailable_reason::no_cuda_module);
  }
  emulator.store(found);
  return *found;
}

}  // namespace

rehearsed_kernels kernels_from_environment() noexcept {
  const char* const value = environment_text("SKERRY_REHEARSE_KERNELS");
  const std::string_view text = value != nullptr ? value : "";
  if (text == "1") return rehearsed_kernels::users;
  return text == "all" ? rehearsed_kernels::all : rehearsed_kernels::none;
}

void choose_simulation(int count, rehearsed_kernels which) {
  if (which != rehearsed_kernels::none) static_cast<void>(open_emulator());
  if (which == rehearsed_kernels::none) guard_rehearsed_memory();
  simulation_controls().set_device_count(count);
}

const api& simulated_calls() noexcept {
  const module_interface* const other = emulator.load();
  return other != nullptr ? *other->calls : *rehearsal::calls_table();
}

const rehearsal::controls& simulation_controls() noexcept {
  const module_interface* const other = emulator.load();
  return other != nullptr ? *other->controls : rehearsal::own_controls;
}

}  // namespace cuda

}  // namespace skerry
