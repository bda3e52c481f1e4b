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

#include "device/cuda/emulation/failure.hpp"
#include "device/cuda/emulation/ptx/module.hpp"

namespace skerry::emulation {

/// A module whose variables have places on devices. Work that runs its kernels holds it.
class loaded_image {
 public:
  explicit loaded_image(std::shared_ptr<const module> code) : code_(std::move(code)) {}
  loaded_image(const loaded_image&) = delete;
  loaded_image& operator=(const loaded_image&) = delete;
  ~loaded_image();

  [[nodiscard]] const module& code() const noexcept { return *code_; }
  /// Where a device has the variables, in the module's order: memory with their initial values,
  /// made by the first call for the device. Throws bad_alloc.
  [[nodiscard]] std::span<const std::uint64_t> variables(int ordinal);

 private:
  /// What was placed before a device was reset is gone.
  struct placement {
    std::uint64_t life = 0;
    std::vector<std::uint64_t> addresses;
  };
  void place(int ordinal, std::vector<std::uint64_t>& into) const;

  std::shared_ptr<const module> code_;
  std::mutex mutex_;
  std::map<int, placement> placed_;
};

/// A device is reset: variables that images have on it are made anew by who uses them next.
void forget_variables(int ordinal) noexcept;

/// For the devices that there are; throws image_error.
[[nodiscard]] std::shared_ptr<loaded_image> load_image(std::span<const std::byte> image);

/// An image of kernels, loaded when the first of them is used, as CUDA does since 12.2.
class lazy_image {
 public:
  /// Null: not an image. The bytes stay the caller's.
  explicit lazy_image(const std::byte* data) noexcept : data_(data) {}
  /// One that was loaded at once.
  explicit lazy_image(std::shared_ptr<loaded_image> loaded) noexcept : loaded_(std::move(loaded)) {}
  /// Throws image_error, the same one each time.
  [[nodiscard]] std::shared_ptr<loaded_image> load();

 private:
  const std::byte* data_ = nullptr;
  std::mutex mutex_;
  std::shared_ptr<loaded_image> loaded_;
  std::optional<image_error> problem_;
};

/// A kernel that can be launched, and what it was allowed.
struct found_kernel {
  std::shared_ptr<loaded_image> image;
  const kernel* code = nullptr;
};

/// A kernel by its name in an image: what a handle stands for.
class registered_kernel {
 public:
  registered_kernel(std::shared_ptr<lazy_image> image, std::string name)
      : image_(std::move(image)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Throws image_error: that of the image, or 98 if the image has no such kernel.
  [[nodiscard]] found_kernel find() const;

  /// Dynamic shared memory that a launch may ask for: what cudaFuncSetAttribute said, or what a
  /// block has without being asked, less the kernel's own.
  [[nodiscard]] std::size_t most_dynamic_bytes(const kernel_attributes& of) const noexcept;

  std::atomic<std::int64_t> dynamic_bytes_asked{-1};  ///< by cudaFuncSetAttribute; -1 if not
  std::atomic<int> preferred_carveout{-1};
  /// Whether its name was written into the list of kernels that ran.
  std::atomic<bool> is_listed{false};

 private:
  std::shared_ptr<lazy_image> image_;
  std::string name_;
};

/// What programs compiled by nvcc register when they are loaded, by the addresses of their host
/// functions and variables.
class registry {
 public:
  [[nodiscard]] static registry& instance() noexcept;

  [[nodiscard]] void** add_image(const std::byte* data);
  /// Work that was submitted keeps what it runs.
  void remove_image(void** handle) noexcept;
  void add_kernel(void** handle, const void* host, const char* name);
  void add_variable(void** handle, const void* host, const char* name, std::size_t nbytes);

  /// Kernels that a program loaded, which their address then is the handle of.
  void add_kernel(const std::shared_ptr<registered_kernel>& kernel);
  void remove_kernel(const registered_kernel& kernel) noexcept;

  /// By the address of the host function, or by the handle that __cudaGetKernel gives.
  [[nodiscard]] std::shared_ptr<registered_kernel> kernel_at(const void* function) const noexcept;

  struct registered_variable {
    std::shared_ptr<lazy_image> image;
    std::string name;
    std::size_t nbytes = 0;
  };
  [[nodiscard]] std::optional<registered_variable> variable_at(const void* host) const;

 private:
  struct image_entry {
    std::shared_ptr<lazy_image> image;
    std::vector<const void*> kernels;
    std::vector<const void*> variables;
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<void**, image_entry> images_;
  std::unordered_map<const void*, std::shared_ptr<registered_kernel>> kernels_;
  std::unordered_map<const void*, std::shared_ptr<registered_kernel>> handles_;
  std::unordered_map<const void*, registered_variable> variables_;
  std::uintptr_t next_handle_ = 0x1000;
};

}  // namespace skerry::emulation
