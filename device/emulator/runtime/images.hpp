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

/// A module with its variables on devices. Work that runs its kernels keeps it alive.
class LoadedImage {
 public:
  explicit LoadedImage(std::shared_ptr<const Module> code) : code_(std::move(code)) {}
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;
  ~LoadedImage();

  [[nodiscard]] const Module& code() const noexcept { return *code_; }
  /// Returns the variables' addresses on a device, in the module's order. The first call for a
  /// device allocates and initializes them. Throws bad_alloc.
  [[nodiscard]] std::span<const std::uint64_t> variables(int ordinal);

 private:
  /// Addresses on a device, valid until it is reset: `life` is the number of resets before.
  struct Placement {
    std::uint64_t life = 0;
    std::vector<std::uint64_t> addresses;
  };
  void allocate_variables(int ordinal, std::vector<std::uint64_t>& addresses) const;

  std::shared_ptr<const Module> code_;
  std::mutex mutex_;
  std::map<int, Placement> placed_;
};

/// Discards all images' variables on a device that is reset; their next use allocates them again.
void invalidate_variables(int ordinal) noexcept;

/// Loads the image's code for the emulated compute capability. Throws ImageError.
[[nodiscard]] std::shared_ptr<LoadedImage> load_image(std::span<const std::byte> image);

/// An image that is loaded when its first kernel is used, as in CUDA since 12.2.
class LazyImage {
 public:
  /// References the caller's bytes. Null stands for bytes that are not an image: load() then fails.
  explicit LazyImage(const std::byte* data) noexcept : data_(data) {}
  /// An image that is loaded already.
  explicit LazyImage(std::shared_ptr<LoadedImage> loaded) noexcept : loaded_(std::move(loaded)) {}
  /// Throws ImageError, the same at every call.
  [[nodiscard]] std::shared_ptr<LoadedImage> load();

 private:
  const std::byte* data_ = nullptr;
  std::mutex mutex_;
  std::shared_ptr<LoadedImage> loaded_;
  std::optional<ImageError> error_;
};

/// A kernel that can be launched, with the image that contains it.
struct FoundKernel {
  std::shared_ptr<LoadedImage> image;
  const Kernel* code = nullptr;
};

/// A kernel's name and image: the referent of a handle.
class RegisteredKernel {
 public:
  RegisteredKernel(std::shared_ptr<LazyImage> image, std::string name)
      : image_(std::move(image)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Throws the image's ImageError, or ImageError(98) if it has no such kernel.
  [[nodiscard]] FoundKernel find() const;

  /// Returns the maximum of dynamic shared memory: as set by cudaFuncSetAttribute, or the block's
  /// default minus the kernel's static shared memory.
  [[nodiscard]] std::size_t max_dynamic_bytes(const KernelAttributes& attributes) const noexcept;

  std::atomic<std::int64_t> requested_dynamic_bytes{-1};  ///< cudaFuncSetAttribute; -1 if unset
  std::atomic<int> preferred_carveout{-1};
  /// True once its name is in the list of kernels that ran (SKERRY_EMULATE_KERNELS).
  std::atomic<bool> is_listed{false};

 private:
  std::shared_ptr<LazyImage> image_;
  std::string name_;
};

/// Kernels and variables that programs compiled by nvcc register at load time, by the addresses of
/// their host counterparts.
class Registry {
 public:
  [[nodiscard]] static Registry& instance() noexcept;

  [[nodiscard]] void** add_image(const std::byte* data);
  /// Removes an image with its kernels and variables. Enqueued work keeps the kernels that it runs
  /// alive.
  void remove_image(void** handle) noexcept;
  void add_kernel(void** handle, const void* host, const char* name);
  void add_variable(void** handle, const void* host, const char* name, std::size_t nbytes);

  /// Adds a kernel of a loaded library, whose handle is its address.
  void add_kernel(const std::shared_ptr<RegisteredKernel>& kernel);
  void remove_kernel(const RegisteredKernel& kernel) noexcept;

  /// Finds a kernel by the address of its host function, or by its handle from __cudaGetKernel.
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
