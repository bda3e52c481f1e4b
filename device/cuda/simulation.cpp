// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/simulation.hpp"

#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "device/cuda/guarded_rehearsal.hpp"
#include "device/environment.hpp"
#include "device/interchange.hpp"

namespace skerry {

namespace {

std::mutex folder_mutex;
std::string configured_folder;

}  // namespace

void set_emulator_folder(const std::string& folder) {
  const std::lock_guard lock(folder_mutex);
  configured_folder = folder;
}

namespace cuda {

namespace {

/// The emulated GPU; null if this library simulates.
constinit std::atomic<const skerry_emulator*> emulator{nullptr};

[[noreturn]] void throw_no_emulator(const std::string& reason) {
  throw DeviceUnavailableError("the emulated GPU, which runs CUDA kernels, " + reason,
                               UnavailableReason::no_cuda_module);
}

constexpr const char* how_to_install =
    "; pip install 'skerry[emulator]' (in skerry's sources: make emulator), or rehearse without "
    "kernels";

void require_processor() {
#ifdef __x86_64__
  // The emulator runs a warp's lanes as AVX2 vectors.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    throw_no_emulator("uses AVX2 and FMA, which this processor lacks; rehearse without kernels");
  }
#endif
}

const skerry_emulator& open_emulator() {
  if (const skerry_emulator* const loaded_emulator = emulator.load()) return *loaded_emulator;
  const std::string folder = emulator_folder();
  if (folder.empty()) throw_no_emulator(std::string("is not installed") + how_to_install);
  require_processor();
  const std::string path = folder + "/libskerry_emulator.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const message = dlerror();
    throw_no_emulator("can't be opened (" + (message != nullptr ? std::string(message) : path) +
                      ")" + how_to_install);
  }
  const auto get_interface = reinterpret_cast<decltype(&skerry_emulator_interface)>(
      dlsym(library, SKERRY_EMULATOR_SYMBOL));
  const skerry_emulator* const opened = get_interface != nullptr ? get_interface() : nullptr;
  if (opened == nullptr || opened->version != SKERRY_CUDA_API_VERSION) {
    const std::string description = opened == nullptr
                                        ? "a library without skerry's interface"
                                        : "skerry-emulator " + std::string(opened->release) +
                                              ", of interface " + std::to_string(opened->version);
    dlclose(library);
    throw_no_emulator("is " + description + " in " + path + "; this skerry needs interface " +
                      std::to_string(SKERRY_CUDA_API_VERSION) + how_to_install);
  }
  emulator.store(opened);
  array_namer.store(opened->name_array, std::memory_order_release);
  new_array_namer.store(opened->name_new_array, std::memory_order_release);
  return *opened;
}

}  // namespace

std::string emulator_folder() {
  if (const char* const folder = environment_text("SKERRY_EMULATOR")) return folder;
  const std::lock_guard lock(folder_mutex);
  return configured_folder;
}

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
  const skerry_emulator* const other = emulator.load();
  return other != nullptr ? *other->calls : *rehearsal::calls_table();
}

const rehearsal::Controls& simulation_controls() noexcept {
  const skerry_emulator* const other = emulator.load();
  return other != nullptr ? *other->controls : rehearsal::own_controls;
}

}  // namespace cuda

}  // namespace skerry
