// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/device.hpp"
#include "core/storage.hpp"
#include "python/bindings/function_table.hpp"

namespace skerry::python {

/// The kind of a new array's memory.
struct MemoryOption {
  const char* name;
  StorageRef (*allocate)(Device device, std::size_t nbytes);
  bool is_for_host;  ///< for CPU devices; else for CUDA devices
};

// These parameters in the signatures of creation functions, and their documentation.
#define SKERRY_MEMORY_PARAMETERS "pinned=False, managed=False"
#define SKERRY_MEMORY_DOC                                                                       \
  "pinned : bool\n    Use page-locked host memory, which CUDA devices can access (CPU only).\n" \
  "managed : bool\n    Use managed memory, which the host can access: numpy.asarray waits for " \
  "the "                                                                                        \
  "device, and returns a view (CUDA only).\n"

/// Returns the option that is requested by the parameters from `first` on; null for memory of the
/// device. Throws ValueError if the device has no such memory.
[[nodiscard]] const MemoryOption* parse_memory(const Arguments& arguments, int first,
                                               Device device);

}  // namespace skerry::python
