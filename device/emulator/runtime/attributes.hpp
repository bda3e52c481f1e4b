// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Enumerators of CUDA's runtime and driver. abi_check.cpp and driver_abi_check.cpp compare most of
// them with CUDA's headers.

namespace skerry::emulation::abi {

/// cudaDeviceAttr: the attributes that are not 0 on all emulated devices.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_x = 2,
  max_block_y = 3,
  max_block_z = 4,
  max_grid_x = 5,
  max_grid_y = 6,
  max_grid_z = 7,
  shared_per_block = 8,
  constant_bytes = 9,
  warp_size = 10,
  max_pitch = 11,
  registers_per_block = 12,
  clock_khz = 13,
  texture_alignment = 14,
  copies_overlap = 15,
  multiprocessors = 16,
  can_map_host_memory = 19,
  surface_alignment = 30,
  concurrent_kernels = 31,
  pci_bus = 33,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  threads_per_multiprocessor = 39,
  copy_engines = 40,
  unified_addressing = 41,
  texture_pitch_alignment = 51,
  major = 75,
  minor = 76,
  stream_priorities = 78,
  caches_global = 79,
  caches_local = 80,
  shared_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
  managed_memory = 83,
  board_group = 85,
  float_to_double_ratio = 87,
  concurrent_managed_access = 89,
  preemption = 90,
  host_pointer_of_registered_memory = 91,
  cooperative_launch = 95,
  shared_per_block_optin = 97,
  host_register = 99,
  virtual_memory_supported = 102,
  blocks_per_multiprocessor = 106,
  reserved_shared_per_block = 111,
  pools_supported = 115,
  cluster_launch = 120,
  memory_sync_domains = 126,
  numa_node = 131,
  host_numa_node = 134,
  host_numa_pools_supported = 142,
  host_pools_supported = 144,
};
/// One past the last attribute of CUDA 13.0.
inline constexpr int past_device_attributes = 148;

// cudaFuncAttribute
inline constexpr int max_dynamic_shared_bytes = 8;
inline constexpr int preferred_carveout = 9;

// cudaLaunchAttributeID
inline constexpr int ignored_attribute = 0;
inline constexpr int access_policy_window = 1;
inline constexpr int cooperative = 2;
inline constexpr int synchronization_policy = 3;
inline constexpr int cluster_dimension = 4;
inline constexpr int cluster_scheduling_policy = 5;
inline constexpr int programmatic_stream_serialization = 6;
inline constexpr int priority = 8;
inline constexpr int memory_sync_domain_map = 9;
inline constexpr int memory_sync_domain = 10;
inline constexpr int preferred_shared_carveout = 14;

}  // namespace skerry::emulation::abi
