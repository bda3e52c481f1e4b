// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The interface for skerry's arrays on the emulated GPU: the simulated runtime, whose streams also
// run the kernels of other libraries.

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda/api.h"
#include "device/emulator/driver/captures.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/environment.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/work.hpp"

namespace skerry::emulation {

namespace {

int get_properties(cuda::DeviceProperties* properties, int ordinal) {
  const int code = driver_api().get_properties(properties, ordinal);
  if (code != cuda::success) return code;
  const DeviceModel& model = current_emulator_settings().model;
  std::snprintf(properties->name, sizeof properties->name, "emulated GPU");
  properties->compute_capability = model.compute_capability;
  properties->multiprocessors = model.multiprocessors;
  return code;
}

// Work of skerry's arrays on streams that a program captures by calls of the driver.

int launch_host_kernel(void (*kernel)(const void* params), const void* params,
                       std::size_t params_size, const cuda::KernelOperand* operands,
                       std::size_t operand_count, void* stream) {
  if (!driver::is_captured(stream)) {
    return rehearsal::launch_host_kernel(kernel, params, params_size, operands, operand_count,
                                         stream);
  }
  const auto* const bytes = static_cast<const std::byte*>(params);
  return rehearsal::return_code(driver::capture(
      stream, driver::NodeKind::kernel,
      [kernel, own_params = std::vector(bytes, bytes + params_size),
       own_operands = std::vector(operands, operands + operand_count)](void* launch_stream) {
        return rehearsal::launch_host_kernel(kernel, own_params.data(), own_params.size(),
                                             own_operands.data(), own_operands.size(),
                                             launch_stream);
      }));
}

int copy_async(void* target, const void* source, std::size_t nbytes, cuda::CopyKind kind,
               void* stream) {
  return driver::on_stream(stream, driver::NodeKind::copy, [=](void* launch_stream) {
    return rehearsal::copy_async(target, source, nbytes, kind, launch_stream);
  });
}

int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* stream) {
  return driver::on_stream(stream, driver::NodeKind::copy, [=](void* launch_stream) {
    return rehearsal::copy_peer_async(target, target_ordinal, source, source_ordinal, nbytes,
                                      launch_stream);
  });
}

int stream_is_capturing(void* stream, int* capturing) {
  const int code = rehearsal::stream_is_capturing(stream, capturing);
  if (code == cuda::success && driver::is_captured(stream)) *capturing = 1;
  return code;
}

int stream_capture_retain(void* stream, void* data, void (*release)(void* data)) {
  if (!driver::is_captured(stream)) return rehearsal::stream_capture_retain(stream, data, release);
  return rehearsal::return_code(
      driver::capture_retain(stream, std::shared_ptr<void>(data, release)));
}

void set_default_setting(const char* name, const char* value) noexcept {
  if (environment_text(name) == nullptr) static_cast<void>(change_setting(name, value));
}

const skerry_emulator& interface() {
  static const cuda::Api calls = [] {
    cuda::Api table = *rehearsal::calls_table();
    table.get_properties = get_properties;
    table.launch_host_kernel = launch_host_kernel;
    table.copy_async = copy_async;
    table.copy_peer_async = copy_peer_async;
    table.stream_is_capturing = stream_is_capturing;
    table.stream_capture_retain = stream_capture_retain;
    // skerry's first call, which starts the system.
    table.driver_version = [](int* version) { return driver_api().driver_version(version); };
    return table;
  }();
  static const rehearsal::Controls controls = [] {
    rehearsal::Controls handles = rehearsal::own_controls;
    handles.set_device_count = [](int count) {
      static_cast<void>(change_setting("SKERRY_EMULATE_DEVICES", std::to_string(count)));
      // A user's kernel may never end.
      set_default_setting("SKERRY_EMULATE_SECONDS", "60");
      set_default_setting("SKERRY_EMULATE_NOTICE", "10");
    };
    return handles;
  }();
  static const skerry_emulator table{
      .version = SKERRY_CUDA_API_VERSION,
      .release = SKERRY_EMULATOR_RELEASE,
      .calls = &calls,
      .controls = &controls,
      .name_array = name_array,
      .name_new_array = name_new_array,
  };
  return table;
}

}  // namespace

}  // namespace skerry::emulation

extern "C" __attribute__((visibility("default"))) const skerry_emulator*
skerry_emulator_interface() {
  return &skerry::emulation::interface();
}
