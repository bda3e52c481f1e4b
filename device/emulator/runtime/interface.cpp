// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The interface for skerry's arrays on the emulated GPU: the simulated runtime, whose streams also
// run the kernels of other libraries.

#include <cstdio>
#include <string>

#include "device/cuda/api.h"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/environment.hpp"
#include "device/rehearsal/control.hpp"

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

void set_default_setting(const char* name, const char* value) noexcept {
  if (environment_text(name) == nullptr) static_cast<void>(change_setting(name, value));
}

const skerry_emulator& interface() {
  static const cuda::Api calls = [] {
    cuda::Api table = *rehearsal::calls_table();
    table.get_properties = get_properties;
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
