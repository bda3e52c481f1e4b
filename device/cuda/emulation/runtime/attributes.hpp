// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers by which programs ask CUDA's runtime; abi_check.cpp compares them with CUDA's headers.

namespace skerry::emulation::abi {

/// cudaDeviceAttr, as far as the emulated device answers.
enum class device_attribute : int {
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
  registers_per_block = 12,
  multiprocessors = 16,
  l2_bytes = 38,
  threads_per_multiprocessor = 39,
  unified_addressing = 41,
  major = 75,
  minor = 76,
  shared_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
  shared_per_block_optin = 97,
  blocks_per_multiprocessor = 106,
  reserved_shared_per_block = 111,
  pools_supported = 115,
};
/// One more than the last number of CUDA 13.0.
inline constexpr int past_device_attributes = 148;

// cudaFuncAttribute
inline constexpr int max_dynamic_shared_bytes = 8;
inline constexpr int preferred_carveout = 9;

// cudaLaunchAttributeID
inline constexpr int ignored_attribute = 0;
inline constexpr int cluster_dimension = 4;
inline constexpr int programmatic_stream_serialization = 6;
inline constexpr int priority = 8;

}  // namespace skerry::emulation::abi
