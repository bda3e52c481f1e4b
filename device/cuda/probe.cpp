// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Determines once, at first use, which CUDA devices this process has, or why it has none.

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "device/allocator.hpp"
#include "device/cuda/architectures.hpp"
#include "device/cuda/counting.hpp"
#include "device/cuda/deferred.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/simulation.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/streams.hpp"
#include "device/environment.hpp"

namespace skerry::cuda {

namespace detail {

constinit std::atomic<int> usable_count{-1};
constinit DeviceState* states[max_devices]{};
constinit std::atomic<const Api*> table{nullptr};

}  // namespace detail

namespace {

constexpr const char* cpu_works = " CPU arrays work without it.";

struct Findings {
  std::optional<CudaFailure> failure;
  const ModuleInterface* module = nullptr;
  int driver_version = 0;
  int runtime_version = 0;
  Findings* next_superseded = nullptr;
};

constinit std::mutex probe_mutex;
constinit std::atomic<Findings*> probe_findings{nullptr};
/// Findings of probes that failed before a rehearsal was planned. Kept, since other threads may
/// still read them.
constinit Findings* superseded = nullptr;
constinit std::atomic<bool> was_used{false};
constinit std::atomic<bool> in_forked_child{false};
constinit std::atomic<bool> was_shut_down{false};
constinit std::atomic<int> total_count{0};
constinit std::atomic<int> planned_rehearsal{0};
constinit std::atomic<RehearsedKernels> planned_kernels{RehearsedKernels::none};
std::atomic<bool> rehearsed_float64{flag_from_environment("SKERRY_REHEARSE_FLOAT64", true)};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

CudaFailure failure_of_code(int code, const Findings& findings) {
  switch (code) {
    case stub_library:
      return {UnavailableReason::stub_library,
              std::string("the CUDA driver library found is the stub that is meant for linking "
                          "only; remove its folder from LD_LIBRARY_PATH.") +
                  cpu_works};
    case insufficient_driver:
      return {UnavailableReason::driver_too_old,
              "the NVIDIA driver (CUDA " + version_text(findings.driver_version) +
                  ") is older than the CUDA " + version_text(findings.runtime_version) +
                  " that this build needs; update the driver." + cpu_works};
    case no_device:
      return {UnavailableReason::no_device,
              std::string("the NVIDIA driver finds no GPU; check CUDA_VISIBLE_DEVICES, or rehearse "
                          "without one: SKERRY_REHEARSE=2.") +
                  cpu_works};
    case devices_unavailable:
      return {UnavailableReason::busy,
              std::string("the GPUs are busy or in exclusive mode; end the process that uses "
                          "them.") +
                  cpu_works};
    default:
      return {UnavailableReason::no_device,
              std::string("CUDA can't be initialised: ") + calls().error_string(code) + " (" +
                  calls().error_name(code) + ", " + std::to_string(code) + ")." + cpu_works};
  }
}

/// Opens the module named by SKERRY_CUDA_MODULE, or else `default_path`.
const ModuleInterface* open_cuda_module(const std::string& default_path, std::string& complaint) {
  std::vector<std::string> paths;
  if (const char* configured_path = environment_text("SKERRY_CUDA_MODULE")) {
    paths.emplace_back(configured_path);
  } else {
    paths.push_back(default_path);
#ifdef SKERRY_CUDA_MODULE_PATH
    paths.emplace_back(SKERRY_CUDA_MODULE_PATH);
#endif
  }
  return open_module(paths, complaint);
}

CudaFailure no_module(const std::string& complaint) {
  return {UnavailableReason::no_cuda_module,
          "this build of skerry has no usable CUDA module (" + complaint +
              "); install a build with CUDA, or set SKERRY_CUDA_MODULE." + cpu_works};
}

/// Selects the backend of rehearsed devices.
void use_rehearsed_backend() noexcept {
  const bool has_float64 = rehearsed_float64.load();
  if (planned_kernels.load() == RehearsedKernels::all) {
    use_backend(has_float64 ? native_backend : native_backend_without_float64);
  } else {
    use_backend(has_float64 ? rehearsed_backend : rehearsed_backend_without_float64);
  }
}

/// Sets up rehearsal. Returns false, with a failure in `findings`, if the requested kernels are
/// missing.
bool find_rehearsal(Findings& findings) {
  const RehearsedKernels kernels = planned_kernels.load();
  choose_simulation(planned_rehearsal.load(), kernels);
  if (kernels != RehearsedKernels::all) {
    detail::table = &simulated_calls();
    use_rehearsed_backend();
    return true;
  }
  // The module calls the runtime of the emulator's library, which is open by now.
  std::string complaint;
  findings.module = open_cuda_module(emulator_folder() + "/skerry_cuda.so", complaint);
  if (findings.module == nullptr) {
    findings.failure = {
        UnavailableReason::no_cuda_module,
        "there is no module of skerry's own CUDA kernels for the emulated GPU (" + complaint +
            "); rehearse with kernels=True, which runs your kernels without it, or build "
            "it by `make emulate` in skerry's sources." +
            cpu_works};
    return false;
  }
  detail::table = findings.module->calls;
  use_rehearsed_backend();
  return true;
}

/// Sets the table of calls. Returns false, with a failure in `findings`, if there is no CUDA.
bool find_table(Findings& findings) {
  if (planned_rehearsal.load() > 0) return find_rehearsal(findings);
  if (const int rehearsed = count_from_environment("SKERRY_REHEARSE", 0, 0); rehearsed > 0) {
    planned_rehearsal.store(rehearsed);
    planned_kernels.store(kernels_from_environment());
    return find_rehearsal(findings);
  }
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    findings.failure = {UnavailableReason::no_driver,
                        std::string("no NVIDIA driver is installed (libcuda.so.1 was not found); "
                                    "install one, or rehearse without a GPU: SKERRY_REHEARSE=2.") +
                            cpu_works};
    return false;
  }
  std::string complaint;
  findings.module = open_cuda_module(path_next_to_this_library("skerry_cuda.so"), complaint);
  if (findings.module == nullptr) {
    findings.failure = no_module(complaint);
    return false;
  }
  detail::table = findings.module->calls;
  return true;
}

std::unique_ptr<DeviceState> make_state(int index, int ordinal, const DeviceProperties& properties,
                                        const Findings& findings) {
  auto state = std::make_unique<DeviceState>();
  state->device = {cuda_kind, static_cast<std::int16_t>(index)};
  state->ordinal = ordinal;
  state->properties = properties;
  state->has_kernels = findings.module == nullptr || compiled_for(findings.module->architectures,
                                                                  findings.module->compiled_by_nvcc,
                                                                  properties.compute_capability);
  // Exact block sizes let the emulator detect accesses past the end.
  if (planned_kernels.load() != RehearsedKernels::none) state->keeps_blocks = false;
  if (selected_allocator() != Allocator::pool) {
    state->keeps_blocks = false;
    state->properties.supports_pools = 0;
  }
  state->memory = std::make_unique<Pool>(*state);
  state->chunks = std::make_unique<Staging>(*state);
  state->streams = std::make_unique<StreamSet>(*state);
  state->deferred = std::make_unique<DeferredErrors>(*state);
  return state;
}

/// Creates the states of all devices; returns their number.
int find_devices(Findings& findings) {
  if (!find_table(findings)) return 0;
  const Api& ask = calls();
  int code = ask.driver_version(&findings.driver_version);
  if (code == success) code = ask.runtime_version(&findings.runtime_version);
  int physical = 0;
  if (code == success) code = ask.device_count(&physical);
  if (code == success && physical == 0) code = no_device;
  const int parts = count_from_environment("SKERRY_CUDA_LOGICAL", 1, 1);
  std::vector<std::unique_ptr<DeviceState>> new_states;
  for (int ordinal = 0; code == success && ordinal < physical; ++ordinal) {
    DeviceProperties properties{};
    code = ask.get_properties(&properties, ordinal);
    for (int logical_index = 0; code == success && logical_index < parts; ++logical_index) {
      const int index = ordinal * parts + logical_index;
      if (index >= max_devices) break;
      new_states.push_back(make_state(index, ordinal, properties, findings));
    }
  }
  if (code != success) {
    static_cast<void>(ask.get_last_error());
    findings.failure = failure_of_code(code, findings);
    return 0;
  }
  for (std::size_t i = 0; i < new_states.size(); ++i) detail::states[i] = new_states[i].release();
  return static_cast<int>(new_states.size());
}

/// Blocks all access to CUDA state: in a forked child CUDA can't be used, and mutexes that other
/// threads held at the fork stay locked.
void after_fork_in_child() noexcept {
  if (!was_used.load()) return;
  in_forked_child.store(true);
  detail::usable_count.store(0);
}

[[noreturn]] void throw_forked(Device device) {
  throw DeviceUnavailableError(
      to_string(device) +
          " can't be used in a forked process, because its parent had used CUDA; start processes "
          "with multiprocessing's \"spawn\" or \"forkserver\", or use CUDA first after the fork",
      UnavailableReason::forked);
}

}  // namespace

void probe() noexcept {
  if (probe_findings.load(std::memory_order_acquire) != nullptr) return;
  if (in_forked_child.load() || was_shut_down.load()) return;
  was_used.store(true);
  const std::lock_guard lock(probe_mutex);
  if (probe_findings.load() != nullptr) return;
  auto* result = new Findings;
  static const int no_fork_handler = pthread_atfork(nullptr, nullptr, after_fork_in_child);
  static_cast<void>(no_fork_handler);
  int n = 0;
  try {
    const OperationScope unnamed(nullptr);  // no name: other operations reuse the text
    n = find_devices(*result);
  } catch (const std::exception& error) {
    result->failure = {UnavailableReason::no_device,
                       std::string("CUDA can't be initialised: ") + error.what()};
  }
  // Registered after the driver's own exit handler, so that it runs before that one.
  static const int no_exit_handler = std::atexit([] { shut_down(); });
  static_cast<void>(no_exit_handler);
  total_count.store(n);
  detail::usable_count.store(n, std::memory_order_release);
  probe_findings.store(result, std::memory_order_release);
}

DeviceState& look_at(Device device) {
  probe();
  if (in_forked_child.load()) throw_forked(device);
  if (was_shut_down.load()) {
    throw DeviceUnavailableError(to_string(device) + " can't be used: the process is ending",
                                 UnavailableReason::no_device);
  }
  const Findings& result = *probe_findings.load();
  if (result.failure) {
    throw DeviceUnavailableError(to_string(device) + ": " + result.failure->text,
                                 result.failure->reason);
  }
  const int n = count();
  if (device.index < 0 || device.index >= n) {
    throw DeviceUnavailableError(
        to_string(device) + " does not exist: this machine has " + std::to_string(n) +
            (n == 1 ? " CUDA device (cuda:0)"
                    : " CUDA devices (cuda:0 to cuda:" + std::to_string(n - 1) + ")") +
            "; see skerry.devices()",
        UnavailableReason::out_of_range);
  }
  return *detail::states[device.index];
}

int count() noexcept { return total_count.load(); }

std::optional<CudaFailure> probe_failure() {
  probe();
  const Findings* result = probe_findings.load();
  return result != nullptr ? result->failure : std::nullopt;
}

bool used() noexcept { return was_used.load(); }

void plan_rehearsal(int n, RehearsedKernels kernels) {
  const std::lock_guard lock(probe_mutex);
  // Done here, not at first use: other libraries may query the emulated GPU before skerry does.
  choose_simulation(n, kernels);
  planned_rehearsal.store(n);
  planned_kernels.store(kernels);
  // Discard a failed probe, so that the next one finds the rehearsed devices.
  if (count() > 0) return;
  if (Findings* const old = probe_findings.exchange(nullptr))
    old->next_superseded = std::exchange(superseded, old);
}

bool rehearsing() noexcept {
  if (planned_rehearsal.load() > 0) return true;
  if (probe_findings.load() != nullptr) return false;
  return count_from_environment("SKERRY_REHEARSE", 0, 0) > 0;
}

void rehearse_float64(bool is_there) noexcept {
  const std::lock_guard lock(probe_mutex);
  rehearsed_float64.store(is_there);
  if (rehearsing() && count() > 0) use_rehearsed_backend();
}

RehearsedKernels kernels_of_rehearsal() noexcept { return planned_kernels.load(); }

int driver_version() noexcept {
  const Findings* result = probe_findings.load();
  return result != nullptr ? result->driver_version : 0;
}

int runtime_version() noexcept {
  const Findings* result = probe_findings.load();
  return result != nullptr ? result->runtime_version : 0;
}

const ModuleInterface* loaded_module() noexcept {
  probe();
  const Findings* result = probe_findings.load();
  return result != nullptr ? result->module : nullptr;
}

void shut_down() noexcept {
  if (was_shut_down.exchange(true)) return;
  detail::usable_count.store(0);
  // A forked child has none of the parent's threads, so there is nothing to end.
  if (probe_findings.load() == nullptr || in_forked_child.load()) return;
  if (planned_rehearsal.load() > 0) return simulation_controls().finish();
  reject_calls();
}

}  // namespace skerry::cuda
