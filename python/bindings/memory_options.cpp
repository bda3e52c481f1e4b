// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/memory_options.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {

namespace {

/// Memory that both the host and GPUs can access, in the order of SKERRY_MEMORY_PARAMETERS.
constexpr MemoryOption memory_options[] = {
    {"pinned", allocate_pinned, true},
    {"managed", allocate_managed, false},
};

}  // namespace

const MemoryOption* parse_memory(const Arguments& arguments, int first, Device device) {
  const MemoryOption* requested = nullptr;
  for (const MemoryOption& option : memory_options) {
    if (!boolean(arguments, first++, false)) continue;
    const bool is_possible =
        option.is_for_host ? is_host(device) : capabilities_of(device).has_cuda_interface;
    if (!is_possible) {
      throw ValueError(std::string(option.name) + "=True is for " +
                       (option.is_for_host ? "CPU" : "CUDA") + " devices, not " +
                       to_string(device));
    }
    requested = &option;
  }
  return requested;
}

}  // namespace skerry::python
