// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/kernels.hpp"

#include "device/emulator/driver/libraries.hpp"
#include "device/emulator/runtime/attributes.hpp"

namespace skerry::emulation::driver {

namespace {

/// CUfunction_attribute
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_bytes = 1,
  constant_bytes = 2,
  local_bytes = 3,
  registers = 4,
  ptx_version = 5,
  binary_version = 6,
  caches_all = 7,
  max_dynamic_shared_bytes = abi::max_dynamic_shared_bytes,
  shared_carveout = abi::preferred_carveout,
  last = 15,  ///< 10 to 15 concern clusters
};

int get_attribute(int* value, int attribute, const RegisteredKernel& named) {
  if (has_null(value) || attribute < 0 || attribute > static_cast<int>(FunctionAttribute::last)) {
    return code::invalid_value;
  }
  const KernelAttributes attributes = named.find().code->attributes();
  const auto give = [&](std::size_t attribute_value) {
    *value = static_cast<int>(attribute_value);
    return code::success;
  };
  switch (static_cast<FunctionAttribute>(attribute)) {
    case FunctionAttribute::max_threads_per_block:
      return give(static_cast<std::size_t>(attributes.max_threads_per_block));
    case FunctionAttribute::shared_bytes:
      return give(attributes.static_shared_bytes);
    case FunctionAttribute::constant_bytes:
      return give(attributes.constant_bytes);
    case FunctionAttribute::local_bytes:
      return give(attributes.local_bytes);
    case FunctionAttribute::registers:
      return give(static_cast<std::size_t>(attributes.registers));
    case FunctionAttribute::ptx_version:
      return give(static_cast<std::size_t>(attributes.ptx_version));
    case FunctionAttribute::binary_version:
      return give(static_cast<std::size_t>(attributes.binary_version));
    case FunctionAttribute::max_dynamic_shared_bytes:
      return give(named.max_dynamic_bytes(attributes));
    case FunctionAttribute::shared_carveout:
      *value = named.preferred_carveout.load();
      return code::success;
    default:
      return give(0);
  }
}

int get_parameter(const RegisteredKernel& named, std::size_t index, std::size_t* offset,
                  std::size_t* nbytes) {
  if (has_null(offset)) return code::invalid_value;
  const FoundKernel found_kernel = named.find();
  const auto parameters = found_kernel.code->parameters();
  if (index >= parameters.size()) return code::invalid_value;
  *offset = parameters[index].offset;
  if (nbytes != nullptr) *nbytes = parameters[index].nbytes;
  return code::success;
}

int check_config(int config) noexcept {
  constexpr int last_config = 3;
  return config >= 0 && config <= last_config ? code::success : code::invalid_value;
}

}  // namespace

int kernel_get_function(void** function, void* kernel) {
  return with_kernel(kernel, [&](const auto&) -> int {
    if (has_null(function)) return code::invalid_value;
    if (!rehearsal::has_current_device()) return code::invalid_context;
    *function = kernel;
    return code::success;
  });
}

int kernel_get_library(void** library, void* kernel) {
  return with_kernel(kernel, [&](const auto&) -> int {
    if (has_null(library)) return code::invalid_value;
    *library = library_of(kernel);
    return *library != nullptr ? code::success : code::invalid_handle;
  });
}

int kernel_get_attribute(int* value, int attribute, void* kernel, int device) {
  return with_kernel(kernel, [&](const auto& named) {
    return exists(device) ? get_attribute(value, attribute, *named) : code::invalid_device;
  });
}

int kernel_set_attribute(int attribute, int value, void* kernel, int device) {
  return with_kernel(kernel, [&](const auto& named) {
    return exists(device) ? set_kernel_attribute(*named, attribute, value) : code::invalid_device;
  });
}

int kernel_set_cache_config(void* kernel, int config, int device) {
  return with_kernel(kernel, [&](const auto&) {
    return exists(device) ? check_config(config) : code::invalid_device;
  });
}

int kernel_get_name(const char** name, void* kernel) {
  return with_kernel(kernel, [&](const auto& named) -> int {
    if (has_null(name)) return code::invalid_value;
    *name = named->name().c_str();
    return code::success;
  });
}

int kernel_get_parameter(void* kernel, std::size_t index, std::size_t* offset,
                         std::size_t* nbytes) {
  return with_kernel(
      kernel, [&](const auto& named) { return get_parameter(*named, index, offset, nbytes); });
}

int function_get_attribute(int* value, int attribute, void* function) {
  return with_kernel(function,
                     [&](const auto& named) { return get_attribute(value, attribute, *named); });
}

int function_set_attribute(void* function, int attribute, int value) {
  return with_kernel(
      function, [&](const auto& named) { return set_kernel_attribute(*named, attribute, value); });
}

int function_set_cache_config(void* function, int config) {
  return with_kernel(function, [&](const auto&) { return check_config(config); });
}

int function_set_shared_config(void* function, int config) {
  return with_kernel(function, [&](const auto&) { return check_config(config); });
}

int function_get_module(void** module, void* function) {
  return in_context([&]() -> int {
    if (has_null(module)) return code::invalid_value;
    const auto library = owner_of(function);
    if (library == nullptr) return code::invalid_handle;
    *module = module_of(library, rehearsal::current_ordinal());
    return code::success;
  });
}

int function_get_name(const char** name, void* function) { return kernel_get_name(name, function); }

int function_get_parameter(void* function, std::size_t index, std::size_t* offset,
                           std::size_t* nbytes) {
  return kernel_get_parameter(function, index, offset, nbytes);
}

int function_is_loaded(int* state, void* function) {
  return with_kernel(function, [&](const auto&) -> int {
    if (has_null(state)) return code::invalid_value;
    *state = 1;
    return code::success;
  });
}

int function_load(void* function) {
  return with_kernel(function, [&](const auto& named) {
    static_cast<void>(named->find().code->attributes());
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
