// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Compares the emulator's redeclared types and enumerators with CUDA's headers. Part of the
// emulated module, because only that is compiled with those headers.

#include <cuda_runtime_api.h>

#include "device/emulator/driver/abi.hpp"
#include "device/emulator/runtime/abi.hpp"
#include "device/emulator/runtime/attributes.hpp"

namespace skerry::emulation::abi {
namespace {

#define SKERRY_SAME_SIZE(mirror, cuda) \
  static_assert(sizeof(mirror) == sizeof(cuda) && alignof(mirror) == alignof(cuda))
#define SKERRY_SAME_OFFSET(mirror, mirror_member, cuda, cuda_member)              \
  static_assert(offsetof(mirror, mirror_member) == offsetof(cuda, cuda_member) && \
                sizeof(mirror::mirror_member) == sizeof(cuda::cuda_member))

SKERRY_SAME_SIZE(Extent, dim3);
SKERRY_SAME_SIZE(RuntimeCopy3d, cudaMemcpy3DParms);
SKERRY_SAME_SIZE(FillNode, cudaMemsetParams);
SKERRY_SAME_SIZE(HostNode, cudaHostNodeParams);
SKERRY_SAME_OFFSET(RuntimeCopy3d, width_bytes, cudaMemcpy3DParms, extent.width);
SKERRY_SAME_SIZE(FunctionAttributes, cudaFuncAttributes);
SKERRY_SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
SKERRY_SAME_SIZE(LaunchConfiguration, cudaLaunchConfig_t);
SKERRY_SAME_SIZE(DeviceProperties, cudaDeviceProp);
SKERRY_SAME_SIZE(PointerAttributes, cudaPointerAttributes);
SKERRY_SAME_SIZE(AccessDescription, cudaMemAccessDesc);

SKERRY_SAME_OFFSET(FunctionAttributes, shared_bytes, cudaFuncAttributes, sharedSizeBytes);
SKERRY_SAME_OFFSET(FunctionAttributes, local_bytes, cudaFuncAttributes, localSizeBytes);
SKERRY_SAME_OFFSET(FunctionAttributes, max_threads_per_block, cudaFuncAttributes,
                   maxThreadsPerBlock);
SKERRY_SAME_OFFSET(FunctionAttributes, registers, cudaFuncAttributes, numRegs);
SKERRY_SAME_OFFSET(FunctionAttributes, ptx_version, cudaFuncAttributes, ptxVersion);
SKERRY_SAME_OFFSET(FunctionAttributes, binary_version, cudaFuncAttributes, binaryVersion);
SKERRY_SAME_OFFSET(FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes,
                   maxDynamicSharedSizeBytes);
SKERRY_SAME_OFFSET(FunctionAttributes, preferred_carveout, cudaFuncAttributes,
                   preferredShmemCarveout);
SKERRY_SAME_OFFSET(LaunchAttribute, id, cudaLaunchAttribute, id);
SKERRY_SAME_OFFSET(LaunchAttribute, value, cudaLaunchAttribute, val);
SKERRY_SAME_OFFSET(LaunchConfiguration, grid, cudaLaunchConfig_t, gridDim);
SKERRY_SAME_OFFSET(LaunchConfiguration, block, cudaLaunchConfig_t, blockDim);
SKERRY_SAME_OFFSET(LaunchConfiguration, dynamic_shared_bytes, cudaLaunchConfig_t, dynamicSmemBytes);
SKERRY_SAME_OFFSET(LaunchConfiguration, stream, cudaLaunchConfig_t, stream);
SKERRY_SAME_OFFSET(LaunchConfiguration, attributes, cudaLaunchConfig_t, attrs);
SKERRY_SAME_OFFSET(LaunchConfiguration, attribute_count, cudaLaunchConfig_t, numAttrs);
SKERRY_SAME_OFFSET(DeviceProperties, maps_host_memory, cudaDeviceProp, canMapHostMemory);
SKERRY_SAME_OFFSET(DeviceProperties, concurrent_kernels, cudaDeviceProp, concurrentKernels);
SKERRY_SAME_OFFSET(DeviceProperties, unified_addressing, cudaDeviceProp, unifiedAddressing);
SKERRY_SAME_OFFSET(DeviceProperties, threads_per_multiprocessor, cudaDeviceProp,
                   maxThreadsPerMultiProcessor);
SKERRY_SAME_OFFSET(DeviceProperties, managed_memory, cudaDeviceProp, managedMemory);
SKERRY_SAME_OFFSET(DeviceProperties, cooperative_launch, cudaDeviceProp, cooperativeLaunch);
SKERRY_SAME_OFFSET(DeviceProperties, supports_pools, cudaDeviceProp, memoryPoolsSupported);
SKERRY_SAME_OFFSET(DeviceProperties, uuid, cudaDeviceProp, uuid);
SKERRY_SAME_OFFSET(DeviceProperties, total_bytes, cudaDeviceProp, totalGlobalMem);
SKERRY_SAME_OFFSET(DeviceProperties, shared_bytes_per_block, cudaDeviceProp, sharedMemPerBlock);
SKERRY_SAME_OFFSET(DeviceProperties, max_grid, cudaDeviceProp, maxGridSize);
SKERRY_SAME_OFFSET(DeviceProperties, major, cudaDeviceProp, major);
SKERRY_SAME_OFFSET(DeviceProperties, minor, cudaDeviceProp, minor);
SKERRY_SAME_OFFSET(DeviceProperties, multiprocessors, cudaDeviceProp, multiProcessorCount);
SKERRY_SAME_OFFSET(PointerAttributes, type, cudaPointerAttributes, type);
SKERRY_SAME_OFFSET(PointerAttributes, device, cudaPointerAttributes, device);
SKERRY_SAME_OFFSET(PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
SKERRY_SAME_OFFSET(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
SKERRY_SAME_OFFSET(AccessDescription, location, cudaMemAccessDesc, location.id);
SKERRY_SAME_OFFSET(AccessDescription, flags, cudaMemAccessDesc, flags);

/// True if both enumerators have the same value.
constexpr bool is_number(DeviceAttribute ours, cudaDeviceAttr theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(is_number(DeviceAttribute::max_threads_per_block, cudaDevAttrMaxThreadsPerBlock));
static_assert(is_number(DeviceAttribute::max_block_z, cudaDevAttrMaxBlockDimZ));
static_assert(is_number(DeviceAttribute::max_grid_x, cudaDevAttrMaxGridDimX));
static_assert(is_number(DeviceAttribute::max_grid_z, cudaDevAttrMaxGridDimZ));
static_assert(is_number(DeviceAttribute::shared_per_block, cudaDevAttrMaxSharedMemoryPerBlock));
static_assert(is_number(DeviceAttribute::constant_bytes, cudaDevAttrTotalConstantMemory));
static_assert(is_number(DeviceAttribute::warp_size, cudaDevAttrWarpSize));
static_assert(is_number(DeviceAttribute::registers_per_block, cudaDevAttrMaxRegistersPerBlock));
static_assert(is_number(DeviceAttribute::multiprocessors, cudaDevAttrMultiProcessorCount));
static_assert(is_number(DeviceAttribute::l2_bytes, cudaDevAttrL2CacheSize));
static_assert(is_number(DeviceAttribute::threads_per_multiprocessor,
                        cudaDevAttrMaxThreadsPerMultiProcessor));
static_assert(is_number(DeviceAttribute::unified_addressing, cudaDevAttrUnifiedAddressing));
static_assert(is_number(DeviceAttribute::major, cudaDevAttrComputeCapabilityMajor));
static_assert(is_number(DeviceAttribute::minor, cudaDevAttrComputeCapabilityMinor));
static_assert(is_number(DeviceAttribute::shared_per_multiprocessor,
                        cudaDevAttrMaxSharedMemoryPerMultiprocessor));
static_assert(is_number(DeviceAttribute::registers_per_multiprocessor,
                        cudaDevAttrMaxRegistersPerMultiprocessor));
static_assert(is_number(DeviceAttribute::shared_per_block_optin,
                        cudaDevAttrMaxSharedMemoryPerBlockOptin));
static_assert(is_number(DeviceAttribute::blocks_per_multiprocessor,
                        cudaDevAttrMaxBlocksPerMultiprocessor));
static_assert(is_number(DeviceAttribute::reserved_shared_per_block,
                        cudaDevAttrReservedSharedMemoryPerBlock));
static_assert(is_number(DeviceAttribute::pools_supported, cudaDevAttrMemoryPoolsSupported));
static_assert(is_number(DeviceAttribute::max_pitch, cudaDevAttrMaxPitch));
static_assert(is_number(DeviceAttribute::clock_khz, cudaDevAttrClockRate));
static_assert(is_number(DeviceAttribute::texture_alignment, cudaDevAttrTextureAlignment));
static_assert(is_number(DeviceAttribute::copies_overlap, cudaDevAttrGpuOverlap));
static_assert(is_number(DeviceAttribute::can_map_host_memory, cudaDevAttrCanMapHostMemory));
static_assert(is_number(DeviceAttribute::surface_alignment, cudaDevAttrSurfaceAlignment));
static_assert(is_number(DeviceAttribute::concurrent_kernels, cudaDevAttrConcurrentKernels));
static_assert(is_number(DeviceAttribute::pci_bus, cudaDevAttrPciBusId));
static_assert(is_number(DeviceAttribute::memory_clock_khz, cudaDevAttrMemoryClockRate));
static_assert(is_number(DeviceAttribute::memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth));
static_assert(is_number(DeviceAttribute::copy_engines, cudaDevAttrAsyncEngineCount));
static_assert(is_number(DeviceAttribute::texture_pitch_alignment,
                        cudaDevAttrTexturePitchAlignment));
static_assert(is_number(DeviceAttribute::stream_priorities, cudaDevAttrStreamPrioritiesSupported));
static_assert(is_number(DeviceAttribute::caches_global, cudaDevAttrGlobalL1CacheSupported));
static_assert(is_number(DeviceAttribute::caches_local, cudaDevAttrLocalL1CacheSupported));
static_assert(is_number(DeviceAttribute::managed_memory, cudaDevAttrManagedMemory));
static_assert(is_number(DeviceAttribute::board_group, cudaDevAttrMultiGpuBoardGroupID));
static_assert(is_number(DeviceAttribute::float_to_double_ratio,
                        cudaDevAttrSingleToDoublePrecisionPerfRatio));
static_assert(is_number(DeviceAttribute::concurrent_managed_access,
                        cudaDevAttrConcurrentManagedAccess));
static_assert(is_number(DeviceAttribute::preemption, cudaDevAttrComputePreemptionSupported));
static_assert(is_number(DeviceAttribute::host_pointer_of_registered_memory,
                        cudaDevAttrCanUseHostPointerForRegisteredMem));
static_assert(is_number(DeviceAttribute::cooperative_launch, cudaDevAttrCooperativeLaunch));
static_assert(is_number(DeviceAttribute::host_register, cudaDevAttrHostRegisterSupported));
static_assert(is_number(DeviceAttribute::memory_sync_domains, cudaDevAttrMemSyncDomainCount));
static_assert(is_number(DeviceAttribute::numa_node, cudaDevAttrNumaId));
static_assert(is_number(DeviceAttribute::host_numa_node, cudaDevAttrHostNumaId));
static_assert(past_device_attributes == cudaDevAttrMax);
static_assert(max_dynamic_shared_bytes == cudaFuncAttributeMaxDynamicSharedMemorySize);
static_assert(preferred_carveout == cudaFuncAttributePreferredSharedMemoryCarveout);
static_assert(programmatic_stream_serialization ==
              cudaLaunchAttributeProgrammaticStreamSerialization);
static_assert(cluster_dimension == cudaLaunchAttributeClusterDimension);
static_assert(priority == cudaLaunchAttributePriority);

#undef SKERRY_SAME_SIZE
#undef SKERRY_SAME_OFFSET

}  // namespace
}  // namespace skerry::emulation::abi
