// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda/emulation/runtime/abi.hpp"

// What CUDA 13's driver and its callers hand each other beside what the runtime has, declared anew
// for the same reason; driver_abi_check.cpp compares it with cuda.h.

namespace skerry::emulation::abi {

/// CUmemLocation
struct memory_location {
  int kind;
  int number;
};
inline constexpr int location_of_device = 1;

/// CUmemorytype
enum class memory_kind : int { host = 1, device = 2, array = 3, unified = 4 };

/// CUDA_MEMCPY2D
struct copy_2d {
  struct side {
    std::size_t x_bytes;
    std::size_t y;
    memory_kind kind;
    void* host;
    std::uint64_t device;
    void* array;
    std::size_t pitch;
  };
  side source;
  side target;
  std::size_t width_bytes;
  std::size_t height;
};

/// CUDA_MEMCPY3D
struct copy_3d {
  struct side {
    std::size_t x_bytes;
    std::size_t y;
    std::size_t z;
    std::size_t level;
    memory_kind kind;
    void* host;
    std::uint64_t device;
    void* array;
    void* reserved;
    std::size_t pitch;
    std::size_t height;
  };
  side source;
  side target;
  std::size_t width_bytes;
  std::size_t height;
  std::size_t depth;
};

/// CUmemPoolProps
struct pool_properties {
  int allocation_type;
  int handle_types;
  memory_location location;
  void* security;
  std::size_t most_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};

/// CUlaunchConfig
struct driver_launch {
  extent grid;
  extent block;
  unsigned dynamic_shared_bytes;
  void* stream;
  const launch_attribute* attributes;
  unsigned attribute_count;
};

// What `extra` of a launch says: its parameters as one piece of memory.
inline constexpr std::uintptr_t extra_end = 0;
inline constexpr std::uintptr_t extra_buffer = 1;
inline constexpr std::uintptr_t extra_size = 2;

}  // namespace skerry::emulation::abi
