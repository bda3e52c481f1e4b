// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "device/emulator/execute/launch.hpp"

namespace skerry::emulation {

/// Values of the SKERRY_EMULATE_* variables.
struct EmulatorSettings {
  int devices = 1;
  DeviceModel model;
  /// Path of the file that gets each kernel's name at its first run. Empty: none.
  std::string kernel_list;
  bool says_statistics = false;  ///< prints counts of launches and instructions at process exit
  bool is_quiet = false;         ///< reports are recorded, but not printed
  /// Path of the file that gets a record of each launch (statistics, memory requests). Empty: none.
  std::string launch_list;
};

/// Returns the settings, read from the environment at the first call. Never destroyed.
[[nodiscard]] const EmulatorSettings& current_emulator_settings() noexcept;

/// Changes a setting for later launches. No kernel may be running. Returns an error message, or an
/// empty string.
[[nodiscard]] std::string change_setting(std::string_view name, std::string_view value);

/// True if races between streams are checked, alone or with the other races.
[[nodiscard]] bool needs_stream_order(const DeviceModel& model) noexcept;

/// Sets the limits of an A100 (80) or an H100 (90); false for other capabilities.
[[nodiscard]] bool set_compute_capability(DeviceModel& model, int capability) noexcept;

/// Parses `value` of the variable `name` into `settings`. Returns an error message, or an empty
/// string.
[[nodiscard]] std::string read_setting(std::string_view name, std::string_view value,
                                       EmulatorSettings& settings);

}  // namespace skerry::emulation
