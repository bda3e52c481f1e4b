// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/emulator/execute/launch.hpp"

// Types that CUDA 13's runtime shares with programs compiled by nvcc. Redeclared, so that the
// emulator and its tests build without a toolkit; abi_check.cpp compares them with CUDA's headers
// where the emulated module is compiled. dim3 is Extent.

namespace skerry::emulation::abi {

/// cudaFuncAttributes
struct FunctionAttributes {
  std::size_t shared_bytes;
  std::size_t constant_bytes;
  std::size_t local_bytes;
  int max_threads_per_block;
  int registers;
  int ptx_version;
  int binary_version;
  int cache_mode;
  int max_dynamic_shared_bytes;
  int preferred_carveout;
  int other_fields[23];
};

/// cudaLaunchAttribute
struct LaunchAttribute {
  int id;
  alignas(8) unsigned char value[64];
};

/// cudaLaunchConfig_t
struct LaunchConfiguration {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// cudaDeviceProp; members not named here are zero.
struct DeviceProperties {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned luid_mask;
  std::size_t total_bytes;
  std::size_t shared_bytes_per_block;
  int registers_per_block;
  int warp_size;
  std::size_t pitch;
  int max_threads_per_block;
  int max_block[3];
  int max_grid[3];
  std::size_t constant_bytes;
  int major;
  int minor;
  std::size_t texture_alignment;
  std::size_t texture_pitch_alignment;
  int multiprocessors;
  int integrated;
  int maps_host_memory;
  int fields_before_kernels[41];
  int concurrent_kernels;
  int fields_before_addresses[6];
  int unified_addressing;
  int fields_before_threads[3];
  int threads_per_multiprocessor;
  int fields_before_managed[7];
  int managed_memory;
  int fields_before_cooperative[7];
  int cooperative_launch;
  int fields_before_pools[12];
  int supports_pools;
  int other_fields[71];
};

/// cudaPointerAttributes
struct PointerAttributes {
  int type;
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];
};

/// cudaMemAccessDesc
struct AccessDescription {
  int location_type;
  int location;
  int flags;
};

/// Argument of __cudaRegisterFatBinary.
struct FatBinaryWrapper {
  int magic;
  int version;
  const std::byte* data;
  const void* file_name_or_null;
};
inline constexpr int fat_binary_magic = 0x466243b1;

}  // namespace skerry::emulation::abi
