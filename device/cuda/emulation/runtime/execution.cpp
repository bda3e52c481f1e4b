// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Launches of kernels, and what CUB's host code asks before it launches one.

#include <new>
#include <span>

#include "device/cuda/emulation/runtime/attributes.hpp"
#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/entry_points.hpp"
#include "device/cuda/emulation/runtime/launches.hpp"
#include "device/cuda/emulation/runtime/settings.hpp"
#include "device/cuda/rehearsal/current_device.hpp"
#include "device/cuda/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

constexpr int invalid_device_function = 98;

/// `body` with the kernel at `function`. A status, remembered for cudaGetLastError.
template <class Body>
int with_kernel(const void* function, Body body) noexcept {
  static_cast<void>(machine_calls());  // a launch may be the first call of all
  if (const int code = rehearsal::sticky_error(rehearsal::current_ordinal()); code != 0) {
    return rehearsal::leave(code);
  }
  try {
    const auto named = Registry::instance().kernel_at(function);
    return rehearsal::leave(named != nullptr ? body(named) : invalid_device_function);
  } catch (const ImageError& problem) {
    return rehearsal::leave(problem.code());
  } catch (const std::bad_alloc&) {
    return rehearsal::leave(cuda::memory_allocation);
  }
}

int launch(const void* function, const LaunchRequest& request) noexcept {
  return with_kernel(function, [&](const auto& named) { return enqueue(named, request); });
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
  for (const abi::LaunchAttribute& each :
       std::span(configuration->attributes, configuration->attribute_count)) {
    if (!apply(each, request)) return rehearsal::leave(cuda::not_supported);
  }
  return launch(function, request);
}

int get_function_attributes(abi::FunctionAttributes* attributes, const void* function) {
  return with_kernel(function, [&](const auto& named) {
    const KernelAttributes of = named->find().code->attributes();
    *attributes = {};
    attributes->shared_bytes = of.static_shared_bytes;
    attributes->local_bytes = of.local_bytes;
    attributes->max_threads_per_block = of.max_threads_per_block;
    attributes->registers = of.registers;
    attributes->ptx_version = of.ptx_version;
    attributes->binary_version = of.binary_version;
    attributes->max_dynamic_shared_bytes = static_cast<int>(named->most_dynamic_bytes(of));
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
