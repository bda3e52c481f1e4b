// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "core/errors.hpp"
#include "core/launch.hpp"
#include "core/storage.hpp"
#include "device/backend.hpp"

/// A kind of devices of somebody else's: two devices whose memory is malloc's, which the library
/// takes for memory that the host can't read; work runs at once, by the kernels' host forms.
namespace toy {

inline constexpr int device_count = 2;
/// DLPack's code for devices that extend it.
inline constexpr std::int32_t extension_code = 12;

class Block final : public skerry::Storage {
 public:
  Block(void* data, std::size_t nbytes, skerry::Device where) noexcept
      : skerry::Storage(data, nbytes, where) {}

 private:
  void destroy() noexcept override {
    std::free(data());
    delete this;
  }
};

inline skerry::StorageRef allocate(skerry::Device where, std::size_t nbytes) {
  constexpr std::size_t alignment = 64;
  const std::size_t rounded = (nbytes + alignment - 1) / alignment * alignment;
  void* const data = rounded < nbytes ? nullptr : std::aligned_alloc(alignment, rounded);
  if (data == nullptr) {
    throw skerry::OutOfMemoryError("allocate: no memory for a toy", where, nbytes);
  }
  return skerry::StorageRef(new Block(data, nbytes, where));
}

inline void from_host(const skerry::StorageRef&, char* to, const skerry::StorageRef&,
                      const char* from, std::size_t nbytes) {
  std::memcpy(to, from, nbytes);
}
inline void to_host(char* to, bool, const skerry::StorageRef&, const char* from,
                    std::size_t nbytes) {
  std::memcpy(to, from, nbytes);
}
inline void between(const skerry::StorageRef&, char* to, const skerry::StorageRef&,
                    const char* from, std::size_t nbytes) {
  std::memmove(to, from, nbytes);
}

inline void launch(skerry::Device, const skerry::Kernel& what, const void* params, std::size_t,
                   std::span<const skerry::MemoryUse>) {
  if (what.host == nullptr) throw skerry::NotImplementedError("launch: not on a toy");
  what.host(params);
}

/// `dlpack_code`: 0 where its arrays have no name there.
constexpr skerry::Backend make_backend(const char* name, std::int32_t dlpack_code) {
  skerry::Backend made{};
  made.name = name;
  made.can.dlpack_code = dlpack_code;
  made.devices.count = [] { return device_count; };
  made.memory.allocate = allocate;
  made.transfers = {
      .from_host = from_host, .to_host = to_host, .between = between, .open_upload = nullptr};
  made.launch = launch;
  return made;
}

inline constexpr skerry::Backend nameless = make_backend("toy", 0);
inline constexpr skerry::Backend shown = make_backend("shown_toy", extension_code);

}  // namespace toy
