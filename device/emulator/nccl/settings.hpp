// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skerry::emulation::nccl {

/// A fault of the network that a test requests.
struct Fault {
  enum class Kind { slow, dead, abort };
  Kind kind = Kind::slow;
  int rank = 0;
  int peer = 0;            ///< slow: the other end of the link
  double seconds = 0;      ///< slow: the delay of each call
  std::uint64_t call = 1;  ///< dead, abort: the number of the rank's collective call, from 1
};

/// Values of the SKERRY_NCCL_* variables.
struct Settings {
  double timeout_seconds = 30;
  /// Errors leave the devices usable; otherwise they are sticky, so that no wrong value passes.
  bool is_async = false;
  /// The seed of the order in which ranks are reduced; none: rank 0 first.
  std::optional<std::uint64_t> order_seed;
  std::vector<Fault> faults;
};

/// Returns a copy of the settings, read from the environment at the first call.
[[nodiscard]] Settings current_settings();
/// Changes a setting for later calls; an empty value restores the default. Returns an error
/// message, or an empty string.
[[nodiscard]] std::string change_setting(std::string_view name, std::string_view value);

}  // namespace skerry::emulation::nccl
