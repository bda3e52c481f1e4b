// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The driver's functions that programs ask the runtime for by name: contexts, of which each device
// has one, and what memory a pointer lies in. CUresult's numbers are cudaError_t's.

#include <iterator>
#include <string_view>

#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/entry_points.hpp"
#include "device/cuda/rehearsal/current_device.hpp"
#include "device/cuda/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

constexpr int invalid_context = 201;

// The handle of a device's primary context is the address of its byte.
char contexts[cuda::most_devices];

int ordinal_of(const void* context) noexcept {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(context) - reinterpret_cast<std::uintptr_t>(contexts);
  const auto count = static_cast<std::uintptr_t>(current_emulator_settings().devices);
  return offset < count ? static_cast<int>(offset) : -1;
}

void* current_context() noexcept {
  return rehearsal::has_current_device() ? contexts + rehearsal::current_ordinal() : nullptr;
}

int retain_primary_context(void** context, int ordinal) {
  int count = 0;
  if (const int code = machine_calls().device_count(&count); code != cuda::success) return code;
  if (ordinal < 0 || ordinal >= count) return cuda::invalid_device;
  *context = contexts + ordinal;
  return cuda::success;
}

int push_context(void* context) {
  const int ordinal = ordinal_of(context);
  return ordinal < 0 ? invalid_context : machine_calls().push_device(ordinal);
}

int pop_context(void** context) {
  *context = current_context();
  return *context == nullptr ? invalid_context : machine_calls().pop_device();
}

int get_current_context(void** context) {
  *context = current_context();
  return cuda::success;
}

int get_context_device(int* ordinal) {
  if (!rehearsal::has_current_device()) return invalid_context;
  *ordinal = rehearsal::current_ordinal();
  return cuda::success;
}

int get_stream_context(void* stream, void** context) {
  int ordinal = 0;
  const int code = machine_calls().stream_device(stream, &ordinal);
  if (code == cuda::success) *context = contexts + ordinal;
  return code;
}

int get_pointer_attribute(void* value, int attribute, std::uint64_t address) {
  constexpr int device_ordinal = 9;
  constexpr int range_start = 11;
  constexpr int range_size = 12;
  cuda::pointer_attributes found{};
  const int code =
      machine_calls().get_pointer_attributes(&found, reinterpret_cast<const void*>(address));
  if (code != cuda::success) return code;
  if (found.type == cuda::memory_type::unregistered) return cuda::invalid_value;
  switch (attribute) {
    case device_ordinal:
      *static_cast<int*>(value) = found.device;
      return cuda::success;
    case range_start:
      *static_cast<std::uint64_t*>(value) = reinterpret_cast<std::uint64_t>(found.allocation);
      return cuda::success;
    case range_size:
      *static_cast<std::size_t*>(value) = found.allocation_bytes;
      return cuda::success;
    default:
      return cuda::not_supported;
  }
}

/// No memory here is mapped in pieces.
int retain_allocation_handle(std::uint64_t*, void*) { return cuda::invalid_value; }
int release_allocation_handle(std::uint64_t) { return cuda::invalid_value; }

struct driver_function {
  const char* name;
  void* function;
};

template <class Function>
void* address_of(Function* function) noexcept {
  return reinterpret_cast<void*>(function);
}

}  // namespace

int get_driver_entry_point(const char* symbol, void** function, unsigned, unsigned long long,
                           int* found) {
  const driver_function functions[] = {
      {"cuDevicePrimaryCtxRetain", address_of(retain_primary_context)},
      {"cuCtxPushCurrent", address_of(push_context)},
      {"cuCtxPopCurrent", address_of(pop_context)},
      {"cuCtxGetCurrent", address_of(get_current_context)},
      {"cuCtxGetDevice", address_of(get_context_device)},
      {"cuStreamGetCtx", address_of(get_stream_context)},
      {"cuPointerGetAttribute", address_of(get_pointer_attribute)},
      {"cuMemRetainAllocationHandle", address_of(retain_allocation_handle)},
      {"cuMemRelease", address_of(release_allocation_handle)},
  };
  constexpr int success = 0;
  constexpr int symbol_not_found = 1;
  static_cast<void>(machine_calls());
  *function = nullptr;
  for (const driver_function& each : functions) {
    if (std::string_view(each.name) == symbol) *function = each.function;
  }
  if (found != nullptr) *found = *function != nullptr ? success : symbol_not_found;
  return cuda::success;
}

}  // namespace skerry::emulation::entry_points
