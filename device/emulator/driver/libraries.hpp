// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/runtime/images.hpp"

namespace skerry::emulation::driver {

/// A loaded image. Its kernels can be launched on every device, by their addresses.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(std::shared_ptr<LoadedImage> image);
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;
  /// Makes the kernels' handles invalid. Enqueued work keeps the kernels that it runs alive.
  ~LoadedLibrary();

  /// Returns the kernels, sorted by name.
  [[nodiscard]] std::span<const std::shared_ptr<RegisteredKernel>> kernels() const noexcept {
    return kernels_;
  }
  /// Returns null if there is no such kernel.
  [[nodiscard]] RegisteredKernel* find(std::string_view name) const noexcept;

  struct PlacedVariable {
    address data = 0;
    std::size_t nbytes = 0;
  };
  /// Returns nothing if there is no such variable. Throws bad_alloc.
  [[nodiscard]] std::optional<PlacedVariable> find_variable(std::string_view name,
                                                            int ordinal) const;

 private:
  std::shared_ptr<LoadedImage> image_;
  std::vector<std::shared_ptr<RegisteredKernel>> kernels_;
};

/// A library on one device.
struct LoadedModule {
  std::shared_ptr<const LoadedLibrary> library;
  int ordinal = 0;
};

/// Options of the just-in-time compiler; only the buffer for errors is used.
struct ImageOptions {
  std::span<const int> names{};
  void** values = nullptr;
};

/// Writes to the options' buffer for errors, if there is one.
void write_error_log(const ImageOptions& options, const std::string& text) noexcept;

/// Loads the image at `image`. Throws ImageError, after it has written the text to the options'
/// error log.
[[nodiscard]] std::shared_ptr<LoadedLibrary> load_library(const void* image,
                                                          const ImageOptions& options = {});
/// Loads a file. Throws ImageError(301) if it can't be read.
[[nodiscard]] std::shared_ptr<LoadedLibrary> load_library_file(const char* path,
                                                               const ImageOptions& options = {});

// Libraries and modules live until their handles are removed.
[[nodiscard]] void* add_library(std::shared_ptr<LoadedLibrary> library);
[[nodiscard]] bool remove_library(const void* handle) noexcept;
/// Returns null if there is no such library.
[[nodiscard]] std::shared_ptr<const LoadedLibrary> find_library(const void* handle) noexcept;
/// Returns the handle of the library that contains a kernel; null if it was loaded as a module
/// only.
[[nodiscard]] void* library_of(const void* kernel) noexcept;

/// Returns the library's module on a device, always the same handle.
[[nodiscard]] void* module_of(const std::shared_ptr<const LoadedLibrary>& library, int ordinal);
[[nodiscard]] bool remove_module(const void* handle) noexcept;
/// Removes all modules of a device.
void remove_modules(int ordinal) noexcept;
[[nodiscard]] std::optional<LoadedModule> find_module(const void* handle) noexcept;
/// Returns the library that contains a kernel, loaded as a library or as a module; or null.
[[nodiscard]] std::shared_ptr<const LoadedLibrary> owner_of(const void* kernel) noexcept;

}  // namespace skerry::emulation::driver
