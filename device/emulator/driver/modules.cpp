// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Modules: libraries on one device, as programs loaded them before CUDA 12.

#include <algorithm>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/libraries.hpp"

namespace skerry::emulation::driver {

namespace {

template <class Load>
int load(void** module, const void* source, Load load_from) noexcept {
  return in_context([&]() -> int {
    if (has_null(module, source)) return code::invalid_value;
    *module = module_of(load_from(), rehearsal::current_ordinal());
    return code::success;
  });
}

template <class Body>
int with_module(const void* handle, Body body) noexcept {
  return in_context([&]() -> int {
    const auto loaded_module = find_module(handle);
    return loaded_module ? body(*loaded_module) : code::invalid_handle;
  });
}

}  // namespace

int module_load_file(void** module, const char* path) {
  return load(module, path, [&] { return load_library_file(path); });
}

int module_load(void** module, const void* image) {
  return load(module, image, [&] { return load_library(image); });
}

int module_load_with_options(void** module, const void* image, unsigned count, const int* options,
                             void** values) {
  if (count != 0 && has_null(options, values)) return code::invalid_value;
  return load(module, image,
              [&] { return load_library(image, ImageOptions{{options, count}, values}); });
}

int module_load_fat_binary(void** module, const void* image) { return module_load(module, image); }

int module_unload(void* module) {
  return release_in_context(
      [&] { return remove_module(module) ? code::success : code::invalid_handle; });
}

int module_get_loading_mode(int* mode) {
  return run_entry_point([&]() -> int {
    constexpr int lazy = 2;
    if (has_null(mode)) return code::invalid_value;
    *mode = lazy;
    return code::success;
  });
}

int module_get_function(void** function, void* module, const char* name) {
  return with_module(module, [&](const LoadedModule& in) -> int {
    if (has_null(function, name)) return code::invalid_value;
    RegisteredKernel* const kernel = in.library->find(name);
    if (kernel == nullptr) return code::not_found;
    *function = kernel;
    return code::success;
  });
}

int module_get_function_count(unsigned* count, void* module) {
  return with_module(module, [&](const LoadedModule& in) -> int {
    if (has_null(count)) return code::invalid_value;
    *count = static_cast<unsigned>(in.library->kernels().size());
    return code::success;
  });
}

int module_list_functions(void** functions, unsigned count, void* module) {
  return with_module(module, [&](const LoadedModule& in) -> int {
    if (has_null(functions)) return code::invalid_value;
    const auto kernels = in.library->kernels();
    const std::size_t kernel_count = std::min<std::size_t>(count, kernels.size());
    for (std::size_t i = 0; i < kernel_count; ++i) functions[i] = kernels[i].get();
    return code::success;
  });
}

int module_get_variable(address* data, std::size_t* nbytes, void* module, const char* name) {
  return with_module(module, [&](const LoadedModule& in) -> int {
    if (has_null(name)) return code::invalid_value;
    const auto variable = in.library->find_variable(name, in.ordinal);
    if (!variable) return code::not_found;
    if (data != nullptr) *data = variable->data;
    if (nbytes != nullptr) *nbytes = variable->nbytes;
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
