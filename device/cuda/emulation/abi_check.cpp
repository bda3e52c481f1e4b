// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Part of the emulated module, which is compiled where CUDA's headers are: the emulator's idea of
// them is right.

#include <cuda_runtime_api.h>

#include "device/cuda/emulation/driver/abi.hpp"
#include "device/cuda/emulation/runtime/abi.hpp"
#include "device/cuda/emulation/runtime/attributes.hpp"

namespace skerry::emulation::abi {
namespace {

#define SKERRY_SAME_SIZE(own, cuda) \
  static_assert(sizeof(own) == sizeof(cuda) && alignof(own) == alignof(cuda))
#define SKERRY_SAME_PLACE(own, own_member, cuda, cuda_member)               \
  static_assert(offsetof(own, own_member) == offsetof(cuda, cuda_member) && \
                sizeof(own::own_member) == sizeof(cuda::cuda_member))

SKERRY_SAME_SIZE(extent, dim3);
SKERRY_SAME_SIZE(runtime_copy_3d, cudaMemcpy3DParms);
SKERRY_SAME_SIZE(fill_node, cudaMemsetParams);
SKERRY_SAME_SIZE(host_node, cudaHostNodeParams);
SKERRY_SAME_PLACE(runtime_copy_3d, width_bytes, cudaMemcpy3DParms, extent.width);
SKERRY_SAME_SIZE(function_attributes, cudaFuncAttributes);
SKERRY_SAME_SIZE(launch_attribute, cudaLaunchAttribute);
SKERRY_SAME_SIZE(launch_configuration, cudaLaunchConfig_t);
SKERRY_SAME_SIZE(device_properties, cudaDeviceProp);
SKERRY_SAME_SIZE(pointer_attributes, cudaPointerAttributes);
SKERRY_SAME_SIZE(access_description, cudaMemAccessDesc);

SKERRY_SAME_PLACE(function_attributes, shared_bytes, cudaFuncAttributes, sharedSizeBytes);
SKERRY_SAME_PLACE(function_attributes, local_bytes, cudaFuncAttributes, localSizeBytes);
SKERRY_SAME_PLACE(function_attributes, max_threads_per_block, cudaFuncAttributes,
                  maxThreadsPerBlock);
SKERRY_SAME_PLACE(function_attributes, registers, cudaFuncAttributes, numRegs);
SKERRY_SAME_PLACE(function_attributes, ptx_version, cudaFuncAttributes, ptxVersion);
SKERRY_SAME_PLACE(function_attributes, binary_version, cudaFuncAttributes, binaryVersion);
SKERRY_SAME_PLACE(function_attributes, max_dynamic_shared_bytes, cudaFuncAttributes,
                  maxDynamicSharedSizeBytes);
SKERRY_SAME_PLACE(function_attributes, preferred_carveout, cudaFuncAttributes,
                  preferredShmemCarveout);
SKERRY_SAME_PLACE(launch_attribute, id, cudaLaunchAttribute, id);
SKERRY_SAME_PLACE(launch_attribute, value, cudaLaunchAttribute, val);
SKERRY_SAME_PLACE(launch_configuration, grid, cudaLaunchConfig_t, gridDim);
SKERRY_SAME_PLACE(launch_configuration, block, cudaLaunchConfig_t, blockDim);
SKERRY_SAME_PLACE(launch_configuration, dynamic_shared_bytes, cudaLaunchConfig_t, dynamicSmemBytes);
SKERRY_SAME_PLACE(launch_configuration, stream, cudaLaunchConfig_t, stream);
SKERRY_SAME_PLACE(launch_configuration, attributes, cudaLaunchConfig_t, attrs);
SKERRY_SAME_PLACE(launch_configuration, attribute_count, cudaLaunchConfig_t, numAttrs);
SKERRY_SAME_PLACE(device_properties, maps_host_memory, cudaDeviceProp, canMapHostMemory);
SKERRY_SAME_PLACE(device_properties, concurrent_kernels, cudaDeviceProp, concurrentKernels);
SKERRY_SAME_PLACE(device_properties, unified_addressing, cudaDeviceProp, unifiedAddressing);
SKERRY_SAME_PLACE(device_properties, threads_per_multiprocessor, cudaDeviceProp,
                  maxThreadsPerMultiProcessor);
SKERRY_SAME_PLACE(device_properties, managed_memory, cudaDeviceProp, managedMemory);
SKERRY_SAME_PLACE(device_properties, cooperative_launch, cudaDeviceProp, cooperativeLaunch);
SKERRY_SAME_PLACE(device_properties, supports_pools, cudaDeviceProp, memoryPoolsSupported);
SKERRY_SAME_PLACE(device_properties, uuid, cudaDeviceProp, uuid);
SKERRY_SAME_PLACE(device_properties, total_bytes, cudaDeviceProp, totalGlobalMem);
SKERRY_SAME_PLACE(device_properties, shared_bytes_per_block, cudaDeviceProp, sharedMemPerBlock);
SKERRY_SAME_PLACE(device_properties, max_grid, cudaDeviceProp, maxGridSize);
SKERRY_SAME_PLACE(device_properties, major, cudaDeviceProp, major);
SKERRY_SAME_PLACE(device_properties, minor, cudaDeviceProp, minor);
SKERRY_SAME_PLACE(device_properties, multiprocessors, cudaDeviceProp, multiProcessorCount);
SKERRY_SAME_PLACE(pointer_attributes, type, cudaPointerAttributes, type);
SKERRY_SAME_PLACE(pointer_attributes, device, cudaPointerAttributes, device);
SKERRY_SAME_PLACE(pointer_attributes, device_pointer, cudaPointerAttributes, devicePointer);
SKERRY_SAME_PLACE(pointer_attributes, host_pointer, cudaPointerAttributes, hostPointer);
SKERRY_SAME_PLACE(access_description, location, cudaMemAccessDesc, location.id);
SKERRY_SAME_PLACE(access_description, flags, cudaMemAccessDesc, flags);

/// Whether one of ours is that of CUDA.
constexpr bool is_number(device_attribute ours, cudaDeviceAttr theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(is_number(device_attribute::max_threads_per_block, cudaDevAttrMaxThreadsPerBlock));
static_assert(is_number(device_attribute::max_block_z, cudaDevAttrMaxBlockDimZ));
static_assert(is_number(device_attribute::max_grid_x, cudaDevAttrMaxGridDimX));
static_assert(is_number(device_attribute::max_grid_z, cudaDevAttrMaxGridDimZ));
static_assert(is_number(device_attribute::shared_per_block, cudaDevAttrMaxSharedMemoryPerBlock));
static_assert(is_number(device_attribute::constant_bytes, cudaDevAttrTotalConstantMemory));
static_assert(is_number(device_attribute::warp_size, cudaDevAttrWarpSize));
static_assert(is_number(device_attribute::registers_per_block, cudaDevAttrMaxRegistersPerBlock));
static_assert(is_number(device_attribute::multiprocessors, cudaDevAttrMultiProcessorCount));
static_assert(is_number(device_attribute::l2_bytes, cudaDevAttrL2CacheSize));
static_assert(is_number(device_attribute::threads_per_multiprocessor,
                        cudaDevAttrMaxThreadsPerMultiProcessor));
static_assert(is_number(device_attribute::unified_addressing, cudaDevAttrUnifiedAddressing));
static_assert(is_number(device_attribute::major, cudaDevAttrComputeCapabilityMajor));
static_assert(is_number(device_attribute::minor, cudaDevAttrComputeCapabilityMinor));
static_assert(is_number(device_attribute::shared_per_multiprocessor,
                        cudaDevAttrMaxSharedMemoryPerMultiprocessor));
static_assert(is_number(device_attribute::registers_per_multiprocessor,
                        cudaDevAttrMaxRegistersPerMultiprocessor));
static_assert(is_number(device_attribute::shared_per_block_optin,
                        cudaDevAttrMaxSharedMemoryPerBlockOptin));
static_assert(is_number(device_attribute::blocks_per_multiprocessor,
                        cudaDevAttrMaxBlocksPerMultiprocessor));
static_assert(is_number(device_attribute::reserved_shared_per_block,
                        cudaDevAttrReservedSharedMemoryPerBlock));
static_assert(is_number(device_attribute::pools_supported, cudaDevAttrMemoryPoolsSupported));
static_assert(is_number(device_attribute::max_pitch, cudaDevAttrMaxPitch));
static_assert(is_number(device_attribute::clock_khz, cudaDevAttrClockRate));
static_assert(is_number(device_attribute::texture_alignment, cudaDevAttrTextureAlignment));
static_assert(is_number(device_attribute::copies_overlap, cudaDevAttrGpuOverlap));
static_assert(is_number(device_attribute::can_map_host_memory, cudaDevAttrCanMapHostMemory));
static_assert(is_number(device_attribute::surface_alignment, cudaDevAttrSurfaceAlignment));
static_assert(is_number(device_attribute::concurrent_kernels, cudaDevAttrConcurrentKernels));
static_assert(is_number(device_attribute::pci_bus, cudaDevAttrPciBusId));
static_assert(is_number(device_attribute::memory_clock_khz, cudaDevAttrMemoryClockRate));
static_assert(is_number(device_attribute::memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth));
static_assert(is_number(device_attribute::copy_engines, cudaDevAttrAsyncEngineCount));
static_assert(is_number(device_attribute::texture_pitch_alignment,
                        cudaDevAttrTexturePitchAlignment));
static_assert(is_number(device_attribute::stream_priorities, cudaDevAttrStreamPrioritiesSupported));
static_assert(is_number(device_attribute::caches_global, cudaDevAttrGlobalL1CacheSupported));
static_assert(is_number(device_attribute::caches_local, cudaDevAttrLocalL1CacheSupported));
static_assert(is_number(device_attribute::managed_memory, cudaDevAttrManagedMemory));
static_assert(is_number(device_attribute::board_group, cudaDevAttrMultiGpuBoardGroupID));
static_assert(is_number(device_attribute::float_to_double_ratio,
                        cudaDevAttrSingleToDoublePrecisionPerfRatio));
static_assert(is_number(device_attribute::concurrent_managed_access,
                        cudaDevAttrConcurrentManagedAccess));
static_assert(is_number(device_attribute::preemption, cudaDevAttrComputePreemptionSupported));
static_assert(is_number(device_attribute::host_pointer_of_registered_memory,
                        cudaDevAttrCanUseHostPointerForRegisteredMem));
static_assert(is_number(device_attribute::cooperative_launch, cudaDevAttrCooperativeLaunch));
static_assert(is_number(device_attribute::host_register, cudaDevAttrHostRegisterSupported));
static_assert(is_number(device_attribute::memory_sync_domains, cudaDevAttrMemSyncDomainCount));
static_assert(is_number(device_attribute::numa_node, cudaDevAttrNumaId));
static_assert(is_number(device_attribute::host_numa_node, cudaDevAttrHostNumaId));
static_assert(past_device_attributes == cudaDevAttrMax);
static_assert(max_dynamic_shared_bytes == cudaFuncAttributeMaxDynamicSharedMemorySize);
static_assert(preferred_carveout == cudaFuncAttributePreferredSharedMemoryCarveout);
static_assert(programmatic_stream_serialization ==
              cudaLaunchAttributeProgrammaticStreamSerialization);
static_assert(cluster_dimension == cudaLaunchAttributeClusterDimension);
static_assert(priority == cudaLaunchAttributePriority);

#undef SKERRY_SAME_SIZE
#undef SKERRY_SAME_PLACE

}  // namespace
}  // namespace skerry::emulation::abi
