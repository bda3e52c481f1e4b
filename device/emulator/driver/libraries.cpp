// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/libraries.hpp"

#include <algorithm>

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

namespace {

template <class Body>
int with_library(const void* handle, Body body) noexcept {
  return run_entry_point([&]() -> int {
    const auto library = find_library(handle);
    return library != nullptr ? body(library) : code::invalid_handle;
  });
}

template <class Load>
int load(void** library, const void* source, unsigned count, const int* options, void** values,
         unsigned library_count, Load load_from) noexcept {
  return run_entry_point([&]() -> int {
    if (has_null(library, source)) return code::invalid_value;
    if ((count != 0 && has_null(options, values)) || library_count > 2) return code::invalid_value;
    *library = add_library(load_from(ImageOptions{{options, count}, values}));
    return code::success;
  });
}

}  // namespace

int library_load(void** library, const void* image, const int* options, void** values,
                 unsigned count, const int*, void**, unsigned library_count) {
  return load(
      library, image, count, options, values, library_count,
      [&](const ImageOptions& image_options) { return load_library(image, image_options); });
}

int library_load_file(void** library, const char* path, const int* options, void** values,
                      unsigned count, const int*, void**, unsigned library_count) {
  return load(
      library, path, count, options, values, library_count,
      [&](const ImageOptions& image_options) { return load_library_file(path, image_options); });
}

int library_unload(void* library) {
  return run_entry_point(
      [&] { return remove_library(library) ? code::success : code::invalid_handle; });
}

int library_get_kernel(void** kernel, void* library, const char* name) {
  return with_library(library, [&](const auto& in) -> int {
    if (has_null(kernel, name)) return code::invalid_value;
    RegisteredKernel* const registered_kernel = in->find(name);
    if (registered_kernel == nullptr) return code::not_found;
    *kernel = registered_kernel;
    return code::success;
  });
}

int library_get_kernel_count(unsigned* count, void* library) {
  return with_library(library, [&](const auto& in) -> int {
    if (has_null(count)) return code::invalid_value;
    *count = static_cast<unsigned>(in->kernels().size());
    return code::success;
  });
}

int library_list_kernels(void** kernels, unsigned count, void* library) {
  return with_library(library, [&](const auto& in) -> int {
    if (has_null(kernels)) return code::invalid_value;
    const std::size_t kernel_count = std::min<std::size_t>(count, in->kernels().size());
    for (std::size_t i = 0; i < kernel_count; ++i) kernels[i] = in->kernels()[i].get();
    return code::success;
  });
}

int library_get_module(void** module, void* library) {
  return in_context([&]() -> int {
    const auto loaded_library = find_library(library);
    if (loaded_library == nullptr) return code::invalid_handle;
    if (has_null(module)) return code::invalid_value;
    *module = module_of(loaded_library, rehearsal::current_ordinal());
    return code::success;
  });
}

int library_get_variable(address* data, std::size_t* nbytes, void* library, const char* name) {
  return in_context([&]() -> int {
    const auto in = find_library(library);
    if (in == nullptr) return code::invalid_handle;
    if (has_null(name)) return code::invalid_value;
    const auto variable = in->find_variable(name, rehearsal::current_ordinal());
    if (!variable) return code::not_found;
    if (data != nullptr) *data = variable->data;
    if (nbytes != nullptr) *nbytes = variable->nbytes;
    return code::success;
  });
}

// The parser ignores `.attribute(.managed)`, so no variable is known to be managed.
int library_get_managed(address*, std::size_t*, void* library, const char*) {
  return with_library(library, [](const auto&) { return code::not_found; });
}

}  // namespace skerry::emulation::driver
