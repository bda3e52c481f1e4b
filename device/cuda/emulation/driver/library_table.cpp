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

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/libraries.hpp"

namespace skerry::emulation::driver {

namespace {

// CUjit_option
constexpr int error_log = 5;
constexpr int error_log_bytes = 6;

struct all_libraries {
  std::mutex mutex;
  std::unordered_map<const void*, std::shared_ptr<const loaded_library>> libraries;
  std::unordered_map<const void*, loaded_module> modules;
  std::uintptr_t next_module = 0x1000;
};

all_libraries& tables() noexcept {
  static auto* const all = new all_libraries;  // programs may call while the process ends
  return *all;
}

[[nodiscard]] bool has_kernel(const loaded_library& in, const void* kernel) noexcept {
  return std::ranges::any_of(in.kernels(), [&](const auto& one) { return one.get() == kernel; });
}

std::shared_ptr<loaded_library> load(std::span<const std::byte> image,
                                     const image_options& options) {
  try {
    return std::make_shared<loaded_library>(load_image(image));
  } catch (const image_error& problem) {
    write_error_log(options, problem.what());
    throw;
  }
}

}  // namespace

void write_error_log(const image_options& options, const std::string& text) noexcept {
  char* log = nullptr;
  std::uintptr_t nbytes = 0;
  for (std::size_t i = 0; i < options.names.size(); ++i) {
    if (options.names[i] == error_log) log = static_cast<char*>(options.values[i]);
    if (options.names[i] == error_log_bytes) {
      nbytes = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(options.values[i]));
    }
  }
  if (log == nullptr || nbytes == 0) return;
  const std::size_t kept = std::min<std::size_t>(text.size(), nbytes - 1);
  std::memcpy(log, text.data(), kept);
  log[kept] = '\0';
}

loaded_library::loaded_library(std::shared_ptr<loaded_image> image) : image_(std::move(image)) {
  const auto lazy = std::make_shared<lazy_image>(image_);
  for (const auto& each : image_->code().kernels()) {
    kernels_.push_back(std::make_shared<registered_kernel>(lazy, each->name()));
  }
  for (const auto& each : kernels_) registry::instance().add_kernel(each);
}

loaded_library::~loaded_library() {
  for (const auto& each : kernels_) registry::instance().remove_kernel(*each);
}

registered_kernel* loaded_library::find(std::string_view name) const noexcept {
  const auto found =
      std::ranges::find_if(kernels_, [&](const auto& one) { return one->name() == name; });
  return found != kernels_.end() ? found->get() : nullptr;
}

std::optional<loaded_library::placed_variable> loaded_library::find_variable(std::string_view name,
                                                                             int ordinal) const {
  const auto variables = image_->code().variables();
  const auto found = std::ranges::find(variables, name, &variable::name);
  if (found == variables.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(found - variables.begin());
  return placed_variable{image_->variables(ordinal)[index], found->nbytes};
}

std::shared_ptr<loaded_library> load_library(const void* image, const image_options& options) {
  return load(module::image_at(image), options);
}

std::shared_ptr<loaded_library> load_library_file(const char* path, const image_options& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw image_error(code::file_not_found, std::string("no file ") + path);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return load(std::as_bytes(std::span(bytes)), options);
}

void* add_library(std::shared_ptr<loaded_library> library) {
  loaded_library* const handle = library.get();
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  all.libraries.emplace(handle, std::move(library));
  return handle;
}

bool remove_library(const void* handle) noexcept {
  const std::shared_ptr<const loaded_library> held = find_library(handle);
  if (held == nullptr) return false;
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.modules, [&](const auto& one) { return one.second.library == held; });
  return all.libraries.erase(handle) == 1;
}

std::shared_ptr<const loaded_library> find_library(const void* handle) noexcept {
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  const auto found = all.libraries.find(handle);
  return found != all.libraries.end() ? found->second : nullptr;
}

void* library_of(const void* kernel) noexcept {
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, library] : all.libraries) {
    if (has_kernel(*library, kernel)) return const_cast<void*>(handle);
  }
  return nullptr;
}

std::shared_ptr<const loaded_library> owner_of(const void* kernel) noexcept {
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, library] : all.libraries) {
    if (has_kernel(*library, kernel)) return library;
  }
  for (const auto& [handle, module] : all.modules) {
    if (has_kernel(*module.library, kernel)) return module.library;
  }
  return nullptr;
}

void* module_of(const std::shared_ptr<const loaded_library>& library, int ordinal) {
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, module] : all.modules) {
    if (module.library == library && module.ordinal == ordinal) return const_cast<void*>(handle);
  }
  // Numbers that are never used again: a stale handle is noticed.
  auto* const handle = reinterpret_cast<void*>(all.next_module);
  all.next_module += 16;
  all.modules.emplace(handle, loaded_module{library, ordinal});
  return handle;
}

bool remove_module(const void* handle) noexcept {
  // Whose last holder it may be, which is destroyed after the lock.
  std::optional<loaded_module> removed = find_module(handle);
  if (!removed) return false;
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  return all.modules.erase(handle) == 1;
}

void remove_modules(int ordinal) noexcept {
  std::vector<std::shared_ptr<const loaded_library>> held;  // until after the lock
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, module] : all.modules) {
    if (module.ordinal == ordinal) held.push_back(module.library);
  }
  std::erase_if(all.modules, [&](const auto& one) { return one.second.ordinal == ordinal; });
}

std::optional<loaded_module> find_module(const void* handle) noexcept {
  all_libraries& all = tables();
  const std::lock_guard lock(all.mutex);
  const auto found = all.modules.find(handle);
  if (found == all.modules.end()) return std::nullopt;
  return found->second;
}

}  // namespace skerry::emulation::driver
