// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Launches of kernels, and what CUB's host code asks before it launches one.

#include <new>

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
    const auto named = registry::instance().kernel_at(function);
    return rehearsal::leave(named != nullptr ? body(named) : invalid_device_function);
  } catch (const image_error& problem) {
    return rehearsal::leave(problem.code());
  } catch (const std::bad_alloc&) {
    return rehearsal::leave(cuda::memory_allocation);
  }
}

int launch(const void* function, const launch_request& request) noexcept {
  return with_kernel(function, [&](const auto& named) { return enqueue(named, request); });
}

/// Whether a launch attribute changes nothing here: one kernel runs at a time, so that a dependent
/// one may as well begin early.
bool is_harmless(const abi::launch_attribute& attribute) noexcept {
  switch (attribute.id) {
    case abi::ignored_attribute:
    case abi::programmatic_stream_serialization:
    case abi::priority:
      return true;
    case abi::cluster_dimension: {
      const auto* const size = reinterpret_cast<const extent*>(attribute.value);
      return size->count() <= 1;
    }
    default:
      return false;
  }
}

}  // namespace

int launch_handle(void* kernel, extent grid, extent block, void** arguments,
                  std::size_t dynamic_shared_bytes, void* stream) {
  return launch(kernel, {grid, block, dynamic_shared_bytes, stream, arguments});
}

int launch_kernel(const void* function, extent grid, extent block, void** arguments,
                  std::size_t dynamic_shared_bytes, void* stream) {
  return launch(function, {grid, block, dynamic_shared_bytes, stream, arguments});
}

int launch_kernel_ex(const abi::launch_configuration* configuration, const void* function,
                     void** arguments) {
  for (unsigned i = 0; i < configuration->attribute_count; ++i) {
    if (!is_harmless(configuration->attributes[i])) return rehearsal::leave(cuda::not_supported);
  }
  return launch(function, {configuration->grid, configuration->block,
                           configuration->dynamic_shared_bytes, configuration->stream, arguments});
}

int get_function_attributes(abi::function_attributes* attributes, const void* function) {
  return with_kernel(function, [&](const auto& named) {
    const kernel_attributes of = named->find().code->attributes();
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
  return with_kernel(function, [&](const auto& named) {
    const kernel_attributes of = named->find().code->attributes();
    if (attribute == abi::preferred_carveout) {
      if (value < -1 || value > 100) return cuda::invalid_value;
      named->preferred_carveout.store(value);
      return cuda::success;
    }
    if (attribute != abi::max_dynamic_shared_bytes) return cuda::invalid_value;
    const std::size_t most =
        current_emulator_settings().model.shared_bytes_per_block_optin - of.static_shared_bytes;
    if (value < 0 || static_cast<std::size_t>(value) > most) return cuda::invalid_value;
    named->dynamic_bytes_asked.store(value);
    return cuda::success;
  });
}

int max_active_blocks_with_flags(int* blocks, const void* function, int block_threads,
                                 std::size_t dynamic_shared_bytes, unsigned) {
  return with_kernel(function, [&](const auto& named) {
    if (block_threads <= 0) return cuda::invalid_value;
    const kernel_attributes of = named->find().code->attributes();
    // None where the launch would be refused, by which CUB finds the largest tile that fits.
    *blocks = dynamic_shared_bytes > named->most_dynamic_bytes(of)
                  ? 0
                  : resident_blocks(of, block_threads, dynamic_shared_bytes,
                                    current_emulator_settings().model);
    return cuda::success;
  });
}

int max_active_blocks(int* blocks, const void* function, int block_threads,
                      std::size_t dynamic_shared_bytes) {
  return max_active_blocks_with_flags(blocks, function, block_threads, dynamic_shared_bytes, 0);
}

}  // namespace skerry::emulation::entry_points
