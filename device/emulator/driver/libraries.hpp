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

/// An image that a program loaded: its kernels can be launched on every device by their addresses.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(std::shared_ptr<LoadedImage> image);
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;
  /// Work that was submitted keeps what it runs.
  ~LoadedLibrary();

  /// In the order of their names.
  [[nodiscard]] std::span<const std::shared_ptr<RegisteredKernel>> kernels() const noexcept {
    return kernels_;
  }
  /// Null if there is none.
  [[nodiscard]] RegisteredKernel* find(std::string_view name) const noexcept;

  struct PlacedVariable {
    address data = 0;
    std::size_t nbytes = 0;
  };
  /// Throws bad_alloc.
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

/// For a program's options for the compiler, where it wants to read what was wrong.
struct ImageOptions {
  std::span<const int> names{};
  void** values = nullptr;
};

/// Writes into the buffer that the options have for errors, if there is one.
void write_error_log(const ImageOptions& options, const std::string& text) noexcept;

/// Loads what `image` points to. Throws ImageError, whose text the options' log gets, too.
[[nodiscard]] std::shared_ptr<LoadedLibrary> load_library(const void* image,
                                                          const ImageOptions& options = {});
/// The same of a file; throws ImageError(301) if it can't be read.
[[nodiscard]] std::shared_ptr<LoadedLibrary> load_library_file(const char* path,
                                                               const ImageOptions& options = {});

// Handles, which hold what they stand for.
[[nodiscard]] void* add_library(std::shared_ptr<LoadedLibrary> library);
[[nodiscard]] bool remove_library(const void* handle) noexcept;
/// Null if there is no such library.
[[nodiscard]] std::shared_ptr<const LoadedLibrary> find_library(const void* handle) noexcept;
/// The handle of the library, or of none but a module, that has a kernel; null for others.
[[nodiscard]] void* library_of(const void* kernel) noexcept;

/// The same each time for a device.
[[nodiscard]] void* module_of(const std::shared_ptr<const LoadedLibrary>& library, int ordinal);
[[nodiscard]] bool remove_module(const void* handle) noexcept;
/// All of a device.
void remove_modules(int ordinal) noexcept;
[[nodiscard]] std::optional<LoadedModule> find_module(const void* handle) noexcept;
/// The library that has a kernel, whatever it was loaded as; null if none has.
[[nodiscard]] std::shared_ptr<const LoadedLibrary> owner_of(const void* kernel) noexcept;

}  // namespace skerry::emulation::driver
