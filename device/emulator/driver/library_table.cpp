// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/libraries.hpp"

namespace skerry::emulation::driver {

namespace {

// CUjit_option
constexpr int error_log = 5;
constexpr int error_log_bytes = 6;

struct AllLibraries {
  std::mutex mutex;
  std::unordered_map<const void*, std::shared_ptr<const LoadedLibrary>> libraries;
  std::unordered_map<const void*, LoadedModule> modules;
  std::uintptr_t next_module = 0x1000;
};

AllLibraries& tables() noexcept {
  static auto* const all = new AllLibraries;  // leaked: may be used during process exit
  return *all;
}

[[nodiscard]] bool has_kernel(const LoadedLibrary& in, const void* kernel) noexcept {
  return std::ranges::any_of(in.kernels(), [&](const auto& one) { return one.get() == kernel; });
}

std::shared_ptr<LoadedLibrary> load(std::span<const std::byte> image, const ImageOptions& options) {
  try {
    return std::make_shared<LoadedLibrary>(load_image(image));
  } catch (const ImageError& error) {
    write_error_log(options, error.what());
    throw;
  }
}

}  // namespace

void write_error_log(const ImageOptions& options, const std::string& text) noexcept {
  char* log = nullptr;
  std::uintptr_t nbytes = 0;
  for (std::size_t i = 0; i < options.names.size(); ++i) {
    if (options.names[i] == error_log) log = static_cast<char*>(options.values[i]);
    if (options.names[i] == error_log_bytes) {
      nbytes = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(options.values[i]));
    }
  }
  if (log == nullptr || nbytes == 0) return;
  const std::size_t length = std::min<std::size_t>(text.size(), nbytes - 1);
  std::memcpy(log, text.data(), length);
  log[length] = '\0';
}

LoadedLibrary::LoadedLibrary(std::shared_ptr<LoadedImage> image) : image_(std::move(image)) {
  const auto lazy = std::make_shared<LazyImage>(image_);
  for (const auto& kernel : image_->code().kernels()) {
    kernels_.push_back(std::make_shared<RegisteredKernel>(lazy, kernel->name()));
  }
  for (const auto& kernel : kernels_) Registry::instance().add_kernel(kernel);
}

LoadedLibrary::~LoadedLibrary() {
  for (const auto& kernel : kernels_) Registry::instance().remove_kernel(*kernel);
}

RegisteredKernel* LoadedLibrary::find(std::string_view name) const noexcept {
  const auto entry =
      std::ranges::find_if(kernels_, [&](const auto& one) { return one->name() == name; });
  return entry != kernels_.end() ? entry->get() : nullptr;
}

std::optional<LoadedLibrary::PlacedVariable> LoadedLibrary::find_variable(std::string_view name,
                                                                          int ordinal) const {
  const auto variables = image_->code().variables();
  const auto variable = std::ranges::find(variables, name, &Variable::name);
  if (variable == variables.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(variable - variables.begin());
  return PlacedVariable{image_->variables(ordinal)[index], variable->nbytes};
}

std::shared_ptr<LoadedLibrary> load_library(const void* image, const ImageOptions& options) {
  return load(Module::image_at(image), options);
}

std::shared_ptr<LoadedLibrary> load_library_file(const char* path, const ImageOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ImageError(code::file_not_found, std::string("can't read ") + path);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return load(std::as_bytes(std::span(bytes)), options);
}

void* add_library(std::shared_ptr<LoadedLibrary> library) {
  LoadedLibrary* const handle = library.get();
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  all.libraries.emplace(handle, std::move(library));
  return handle;
}

bool remove_library(const void* handle) noexcept {
  const std::shared_ptr<const LoadedLibrary> library = find_library(handle);
  if (library == nullptr) return false;
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.modules, [&](const auto& one) { return one.second.library == library; });
  return all.libraries.erase(handle) == 1;
}

std::shared_ptr<const LoadedLibrary> find_library(const void* handle) noexcept {
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.libraries.find(handle);
  return entry != all.libraries.end() ? entry->second : nullptr;
}

void* library_of(const void* kernel) noexcept {
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, library] : all.libraries) {
    if (has_kernel(*library, kernel)) return const_cast<void*>(handle);
  }
  return nullptr;
}

std::shared_ptr<const LoadedLibrary> owner_of(const void* kernel) noexcept {
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, library] : all.libraries) {
    if (has_kernel(*library, kernel)) return library;
  }
  for (const auto& [handle, module] : all.modules) {
    if (has_kernel(*module.library, kernel)) return module.library;
  }
  return nullptr;
}

void* module_of(const std::shared_ptr<const LoadedLibrary>& library, int ordinal) {
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, module] : all.modules) {
    if (module.library == library && module.ordinal == ordinal) return const_cast<void*>(handle);
  }
  // Handles are never reused, so a stale one is detected.
  auto* const handle = reinterpret_cast<void*>(all.next_module);
  all.next_module += 16;
  all.modules.emplace(handle, LoadedModule{library, ordinal});
  return handle;
}

bool remove_module(const void* handle) noexcept {
  // May be the last reference to the library: released after the lock.
  std::optional<LoadedModule> removed = find_module(handle);
  if (!removed) return false;
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  return all.modules.erase(handle) == 1;
}

void remove_modules(int ordinal) noexcept {
  std::vector<std::shared_ptr<const LoadedLibrary>> libraries;  // released after the lock
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, module] : all.modules) {
    if (module.ordinal == ordinal) libraries.push_back(module.library);
  }
  std::erase_if(all.modules, [&](const auto& one) { return one.second.ordinal == ordinal; });
}

std::optional<LoadedModule> find_module(const void* handle) noexcept {
  AllLibraries& all = tables();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.modules.find(handle);
  if (entry == all.modules.end()) return std::nullopt;
  return entry->second;
}

}  // namespace skerry::emulation::driver
