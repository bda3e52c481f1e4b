// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Kernel launches, and the queries that CUB's host code makes before one.

#include <new>
#include <span>

#include "device/emulator/driver/captures.hpp"
#include "device/emulator/driver/graph_nodes.hpp"
#include "device/emulator/runtime/attributes.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/entry_points.hpp"
#include "device/emulator/runtime/launches.hpp"
#include "device/emulator/runtime/settings.hpp"
#include "device/rehearsal/current_device.hpp"
#include "device/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

constexpr int invalid_device_function = 98;

/// Calls `body` with the kernel at `function`. Returns a status, kept for cudaGetLastError.
template <class Body>
int with_kernel(const void* function, Body body) noexcept {
  static_cast<void>(driver_api());  // a launch may be the first call
  if (const int code = rehearsal::returned_error(rehearsal::current_ordinal()); code != 0) {
    return rehearsal::return_code(code);
  }
  try {
    const auto named = Registry::instance().kernel_at(function);
    return rehearsal::return_code(named != nullptr ? body(named) : invalid_device_function);
  } catch (const ImageError& error) {
    return rehearsal::return_code(error.code());
  } catch (const std::bad_alloc&) {
    return rehearsal::return_code(cuda::memory_allocation);
  }
}

int launch(const void* function, const LaunchRequest& request) noexcept {
  return with_kernel(function, [&](const auto& named) {
    return driver::is_captured(request.stream)
               ? driver::capture(request.stream, driver::NodeKind::kernel,
                                 driver::deferred_launch(named, request))
               : enqueue(named, request);
  });
}

}  // namespace

int launch_handle(void* kernel, Extent grid, Extent block, void** arguments,
                  std::size_t dynamic_shared_bytes, void* stream) {
  return launch(kernel, {grid, block, dynamic_shared_bytes, stream, arguments});
}

int launch_kernel(const void* function, Extent grid, Extent block, void** arguments,
                  std::size_t dynamic_shared_bytes, void* stream) {
  return launch(function, {grid, block, dynamic_shared_bytes, stream, arguments});
}

int launch_kernel_ex(const abi::LaunchConfiguration* configuration, const void* function,
                     void** arguments) {
  LaunchRequest request{configuration->grid, configuration->block,
                        configuration->dynamic_shared_bytes, configuration->stream, arguments};
  for (const abi::LaunchAttribute& attribute :
       std::span(configuration->attributes, configuration->attribute_count)) {
    if (!apply(attribute, request)) return rehearsal::return_code(cuda::not_supported);
  }
  return launch(function, request);
}

int get_function_attributes(abi::FunctionAttributes* attributes, const void* function) {
  return with_kernel(function, [&](const auto& named) {
    const KernelAttributes kernel_attributes = named->find().code->attributes();
    *attributes = {};
    attributes->shared_bytes = kernel_attributes.static_shared_bytes;
    attributes->local_bytes = kernel_attributes.local_bytes;
    attributes->max_threads_per_block = kernel_attributes.max_threads_per_block;
    attributes->registers = kernel_attributes.registers;
    attributes->ptx_version = kernel_attributes.ptx_version;
    attributes->binary_version = kernel_attributes.binary_version;
    attributes->max_dynamic_shared_bytes =
        static_cast<int>(named->max_dynamic_bytes(kernel_attributes));
    attributes->preferred_carveout = named->preferred_carveout.load();
    return cuda::success;
  });
}

int set_function_attribute(const void* function, int attribute, int value) {
  return with_kernel(
      function, [&](const auto& named) { return set_kernel_attribute(*named, attribute, value); });
}

int max_active_blocks_with_flags(int* blocks, const void* function, int block_threads,
                                 std::size_t dynamic_shared_bytes, unsigned) {
  return with_kernel(function, [&](const auto& named) {
    return active_blocks(blocks, *named, block_threads, dynamic_shared_bytes);
  });
}

int max_active_blocks(int* blocks, const void* function, int block_threads,
                      std::size_t dynamic_shared_bytes) {
  return max_active_blocks_with_flags(blocks, function, block_threads, dynamic_shared_bytes, 0);
}

}  // namespace skerry::emulation::entry_points
