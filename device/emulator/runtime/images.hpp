// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/emulator/failure.hpp"
#include "device/emulator/ptx/module.hpp"

namespace skerry::emulation {

/// A module whose variables have places on devices. Work that runs its kernels holds it.
class LoadedImage {
 public:
  explicit LoadedImage(std::shared_ptr<const Module> code) : code_(std::move(code)) {}
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;
  ~LoadedImage();

  [[nodiscard]] const Module& code() const noexcept { return *code_; }
  /// Where a device has the variables, in the module's order: memory with their initial values,
  /// made by the first call for the device. Throws bad_alloc.
  [[nodiscard]] std::span<const std::uint64_t> variables(int ordinal);

 private:
  /// What was placed before a device was reset is gone.
  struct Placement {
    std::uint64_t life = 0;
    std::vector<std::uint64_t> addresses;
  };
  void allocate_variables(int ordinal, std::vector<std::uint64_t>& addresses) const;

  std::shared_ptr<const Module> code_;
  std::mutex mutex_;
  std::map<int, Placement> placed_;
};

/// A device is reset: variables that images have on it are made anew by who uses them next.
void invalidate_variables(int ordinal) noexcept;

/// For the devices that there are; throws ImageError.
[[nodiscard]] std::shared_ptr<LoadedImage> load_image(std::span<const std::byte> image);

/// An image of kernels, loaded when the first of them is used, as CUDA does since 12.2.
class LazyImage {
 public:
  /// Null: not an image. The bytes stay the caller's.
  explicit LazyImage(const std::byte* data) noexcept : data_(data) {}
  /// One that was loaded at once.
  explicit LazyImage(std::shared_ptr<LoadedImage> loaded) noexcept : loaded_(std::move(loaded)) {}
  /// Throws ImageError, the same one each time.
  [[nodiscard]] std::shared_ptr<LoadedImage> load();

 private:
  const std::byte* data_ = nullptr;
  std::mutex mutex_;
  std::shared_ptr<LoadedImage> loaded_;
  std::optional<ImageError> error_;
};

/// A kernel that can be launched, and what it was allowed.
struct FoundKernel {
  std::shared_ptr<LoadedImage> image;
  const Kernel* code = nullptr;
};

/// A kernel by its name in an image: what a handle stands for.
class RegisteredKernel {
 public:
  RegisteredKernel(std::shared_ptr<LazyImage> image, std::string name)
      : image_(std::move(image)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Throws ImageError: that of the image, or 98 if the image has no such kernel.
  [[nodiscard]] FoundKernel find() const;

  /// Dynamic shared memory that a launch may ask for: what cudaFuncSetAttribute said, or what a
  /// block has without being asked, less the kernel's own.
  [[nodiscard]] std::size_t max_dynamic_bytes(const KernelAttributes& attributes) const noexcept;

  std::atomic<std::int64_t> requested_dynamic_bytes{-1};  ///< by cudaFuncSetAttribute; -1 if not
  std::atomic<int> preferred_carveout{-1};
  /// Whether its name was written into the list of kernels that ran.
  std::atomic<bool> is_listed{false};

 private:
  std::shared_ptr<LazyImage> image_;
  std::string name_;
};

/// What programs compiled by nvcc register when they are loaded, by the addresses of their host
/// functions and variables.
class Registry {
 public:
  [[nodiscard]] static Registry& instance() noexcept;

  [[nodiscard]] void** add_image(const std::byte* data);
  /// Work that was submitted keeps what it runs.
  void remove_image(void** handle) noexcept;
  void add_kernel(void** handle, const void* host, const char* name);
  void add_variable(void** handle, const void* host, const char* name, std::size_t nbytes);

  /// Kernels that a program loaded, which their address then is the handle of.
  void add_kernel(const std::shared_ptr<RegisteredKernel>& kernel);
  void remove_kernel(const RegisteredKernel& kernel) noexcept;

  /// By the address of the host function, or by the handle that __cudaGetKernel gives.
  [[nodiscard]] std::shared_ptr<RegisteredKernel> kernel_at(const void* function) const noexcept;

  struct RegisteredVariable {
    std::shared_ptr<LazyImage> image;
    std::string name;
    std::size_t nbytes = 0;
  };
  [[nodiscard]] std::optional<RegisteredVariable> variable_at(const void* host) const;

 private:
  struct ImageEntry {
    std::shared_ptr<LazyImage> image;
    std::vector<const void*> kernels;
    std::vector<const void*> variables;
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<void**, ImageEntry> images_;
  std::unordered_map<const void*, std::shared_ptr<RegisteredKernel>> kernels_;
  std::unordered_map<const void*, std::shared_ptr<RegisteredKernel>> handles_;
  std::unordered_map<const void*, RegisteredVariable> variables_;
  std::uintptr_t next_handle_ = 0x1000;
};

}  // namespace skerry::emulation
