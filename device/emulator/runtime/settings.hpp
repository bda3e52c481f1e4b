// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "device/emulator/execute/launch.hpp"

namespace skerry::emulation {

/// What the SKERRY_EMULATE_* variables say.
struct EmulatorSettings {
  int devices = 1;
  DeviceModel model;
  /// Names of kernels are appended to it when each first runs; none if empty.
  std::string kernel_list;
  bool says_statistics = false;  ///< at the end of the process
  bool is_quiet = false;         ///< reports are kept, and not written to stderr
  /// What each launch did and asked of memory is appended to it; nothing if empty.
  std::string launch_list;
};

/// Read from the environment by the first call, never destroyed.
[[nodiscard]] const EmulatorSettings& current_emulator_settings() noexcept;

/// Sets one of them for launches from now on, while no kernel runs. What is wrong, or nothing.
[[nodiscard]] std::string change_setting(std::string_view name, std::string_view value);

/// Limits of an A100 (80) or an H100 (90) in place of those that `model` has; false for others.
[[nodiscard]] bool set_compute_capability(DeviceModel& model, int capability) noexcept;

/// What is wrong with `value` of the variable `name`, whose meaning goes into `settings`; empty if
/// nothing is.
[[nodiscard]] std::string read_setting(std::string_view name, std::string_view value,
                                       EmulatorSettings& settings);

}  // namespace skerry::emulation
