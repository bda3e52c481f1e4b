// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda/api.hpp"
#include "device/emulator/driver/abi.hpp"

// The entry points of libcuda: functions with skerry's names and CUDA's symbols. Statuses are
// CUresult as int, devices are ordinals, streams and events are those of the simulated runtime.

namespace skerry::emulation::driver {

/// CUdeviceptr
using address = std::uint64_t;

#define SKERRY_DRIVER(name, version, symbol, function, ...) \
  int function(__VA_ARGS__) __asm__(#symbol) __attribute__((visibility("default")));
#include "device/emulator/driver/functions.inc"
#undef SKERRY_DRIVER

}  // namespace skerry::emulation::driver
