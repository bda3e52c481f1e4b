// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Initialization, version and profiler.

#include <cstdio>

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

int initialize(unsigned flags) {
  if (flags != 0) return code::invalid_value;
  static_cast<void>(driver_api());
  return system_has_started() ? code::success : code::not_initialized;
}

int get_version(int* version) {
  if (version == nullptr) return code::invalid_value;
  const RuntimeErrorGuard error_guard;
  return driver_api().driver_version(version);
}

// There is no profiler.
int profiler_start() {
  return in_context([] { return code::success; });
}
int profiler_stop() {
  return in_context([] { return code::success; });
}

int unsupported(const char* feature) noexcept {
  std::fprintf(stderr, "skerry: emulated GPU: %s: not supported\n", feature);
  return code::not_supported;
}

}  // namespace skerry::emulation::driver
