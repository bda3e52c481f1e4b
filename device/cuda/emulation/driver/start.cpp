// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Where programs begin.

#include <cstdio>

#include "device/cuda/emulation/driver/calls.hpp"

namespace skerry::emulation::driver {

int initialize(unsigned flags) {
  if (flags != 0) return code::invalid_value;
  static_cast<void>(machine_calls());
  return machine_has_started() ? code::success : code::not_initialized;
}

int get_version(int* version) {
  if (version == nullptr) return code::invalid_value;
  const KeptRuntimeError kept;
  return machine_calls().driver_version(version);
}

// Nothing is profiled.
int profiler_start() {
  return in_context([] { return code::success; });
}
int profiler_stop() {
  return in_context([] { return code::success; });
}

int unsupported(const char* what) noexcept {
  std::fprintf(stderr, "skerry: emulated GPU: %s: not supported\n", what);
  return code::not_supported;
}

}  // namespace skerry::emulation::driver
