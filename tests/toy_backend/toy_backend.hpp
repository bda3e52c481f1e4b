// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "core/errors.hpp"
#include "core/storage.hpp"
#include "device/backend.hpp"
#include "device/kernel.hpp"

/// A third-party kind of device: two devices with malloc's memory, which the library treats as not
/// accessible to the host; work runs before the call returns, by the kernels' host forms.
namespace toy {

inline constexpr int device_count = 2;
/// DLPack's device type for extensions.
inline constexpr std::int32_t extension_code = 12;

class Block final : public skerry::Storage {
 public:
  Block(void* data, std::size_t nbytes, skerry::Device device) noexcept
      : skerry::Storage(data, nbytes, device) {}

 private:
  void destroy() noexcept override {
    std::free(data());
    delete this;
  }
};

inline skerry::StorageRef allocate(skerry::Device device, std::size_t nbytes) {
  constexpr std::size_t alignment = 64;
  const std::size_t rounded = (nbytes + alignment - 1) / alignment * alignment;
  void* const data = rounded < nbytes ? nullptr : std::aligned_alloc(alignment, rounded);
  if (data == nullptr) {
    throw skerry::OutOfMemoryError("no memory for a toy", device, nbytes);
  }
  return skerry::StorageRef(new Block(data, nbytes, device));
}

inline void from_host(const skerry::StorageRef&, char* destination, const skerry::StorageRef&,
                      const char* source, std::size_t nbytes) {
  std::memcpy(destination, source, nbytes);
}
inline void to_host(char* destination, bool, const skerry::StorageRef&, const char* source,
                    std::size_t nbytes) {
  std::memcpy(destination, source, nbytes);
}
inline void between(const skerry::StorageRef&, char* destination, const skerry::StorageRef&,
                    const char* source, std::size_t nbytes) {
  std::memmove(destination, source, nbytes);
}

inline void launch(skerry::Device, const skerry::AnyKernel& kernel, const void* params, std::size_t,
                   std::span<const skerry::MemoryUse>) {
  if (kernel.host == nullptr) throw skerry::NotImplementedError("not on a toy");
  kernel.host(params);
}

/// `dlpack_code`: 0 if its arrays are not exported by DLPack.
constexpr skerry::Backend make_backend(const char* name, std::int32_t dlpack_code) {
  skerry::Backend backend{};
  backend.name = name;
  backend.can.dlpack_code = dlpack_code;
  backend.devices.count = [] { return device_count; };
  backend.memory.allocate = allocate;
  backend.transfers = {
      .from_host = from_host, .to_host = to_host, .between = between, .open_upload = nullptr};
  backend.launch = launch;
  return backend;
}

inline constexpr skerry::Backend nameless = make_backend("toy", 0);
inline constexpr skerry::Backend shown = make_backend("shown_toy", extension_code);

}  // namespace toy
