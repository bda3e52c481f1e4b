// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Calls that nvcc generates: programs register their images at load time, and push a launch's
// configuration on a stack of the thread.

#include <new>
#include <vector>

#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/entry_points.hpp"
#include "device/emulator/runtime/images.hpp"
#include "device/rehearsal/current_device.hpp"
#include "device/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

constexpr int invalid_symbol = 13;
constexpr int missing_configuration = 52;
constexpr int invalid_device_function = 98;

struct CallConfiguration {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes;
  void* stream;
};
thread_local std::vector<CallConfiguration> configurations;

/// Finds a variable's address on the current device, and its size. Returns a status.
int find_symbol(const void* symbol, void** data, std::size_t* nbytes) {
  static_cast<void>(driver_api());
  const auto named = Registry::instance().variable_at(symbol);
  if (!named) return invalid_symbol;
  try {
    const std::shared_ptr<LoadedImage> image = named->image->load();
    const auto variables = image->code().variables();
    const auto addresses = image->variables(rehearsal::current_ordinal());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].name != named->name) continue;
      *data = reinterpret_cast<void*>(addresses[i]);
      *nbytes = variables[i].nbytes;
      return cuda::success;
    }
    return invalid_symbol;
  } catch (const ImageError& error) {
    return error.code();
  } catch (const std::bad_alloc&) {
    return cuda::memory_allocation;
  }
}

}  // namespace

void** register_fat_binary(const void* wrapper) {
  const auto* const fat_binary = static_cast<const abi::FatBinaryWrapper*>(wrapper);
  // Errors of the image are reported by the first call that needs one of its kernels.
  const bool is_wrapper = fat_binary != nullptr && fat_binary->magic == abi::fat_binary_magic;
  return Registry::instance().add_image(is_wrapper ? fat_binary->data : nullptr);
}

void register_fat_binary_end(void**) {}

void unregister_fat_binary(void** handle) { Registry::instance().remove_image(handle); }

char init_module(void**) { return 1; }

void register_function(void** handle, const char* host, char*, const char* name, int, void*, void*,
                       void*, void*, int*) {
  Registry::instance().add_kernel(handle, host, name);
}

void register_variable(void** handle, char* host, char*, const char* name, int, std::size_t nbytes,
                       int, int) {
  Registry::instance().add_variable(handle, host, name, nbytes);
}

unsigned push_call_configuration(Extent grid, Extent block, std::size_t dynamic_shared_bytes,
                                 void* stream) {
  configurations.push_back({grid, block, dynamic_shared_bytes, stream});
  return 0;
}

int pop_call_configuration(Extent* grid, Extent* block, std::size_t* dynamic_shared_bytes,
                           void* stream) {
  if (configurations.empty()) return rehearsal::return_code(missing_configuration);
  const CallConfiguration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *dynamic_shared_bytes = last.dynamic_shared_bytes;
  *static_cast<void**>(stream) = last.stream;
  return cuda::success;
}

int get_kernel(void** kernel, const void* function) {
  const auto registered_kernel = Registry::instance().kernel_at(function);
  *kernel = registered_kernel.get();
  return registered_kernel != nullptr ? cuda::success
                                      : rehearsal::return_code(invalid_device_function);
}

int get_symbol_address(void** data, const void* symbol) {
  std::size_t nbytes = 0;
  return rehearsal::return_code(find_symbol(symbol, data, &nbytes));
}

int get_symbol_size(std::size_t* nbytes, const void* symbol) {
  void* data = nullptr;
  return rehearsal::return_code(find_symbol(symbol, &data, nbytes));
}

}  // namespace skerry::emulation::entry_points
