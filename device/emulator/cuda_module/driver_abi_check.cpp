// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Compares the emulated driver's types, and the parameters of its functions in all versions, with
// cuda.h. Part of the emulated module, because only that is compiled with CUDA's headers.

#define __CUDA_API_VERSION_INTERNAL  // NOLINT(bugprone-reserved-identifier): declares older
                                     // versions
#include <cuda.h>
#include <cudaProfiler.h>

#include <cstddef>
#include <type_traits>

#include "device/emulator/driver/abi.hpp"
#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/runtime/attributes.hpp"

namespace skerry::emulation::abi {
namespace {

/// True if both types are passed as arguments in the same way.
template <class Ours, class Cudas>
inline constexpr bool is_handed_alike =
    sizeof(Ours) == sizeof(Cudas) && std::is_pointer_v<Ours> == std::is_pointer_v<Cudas> &&
    std::is_class_v<Ours> == std::is_class_v<Cudas> &&
    std::is_floating_point_v<Ours> == std::is_floating_point_v<Cudas>;

/// True unless both are pointers, to objects of different sizes. Pointers to void and to unsigned
/// char match any pointer.
template <class Ours, class Cudas>
consteval bool points_alike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Cudas>) {
    using mirror = std::remove_pointer_t<Ours>;
    using cuda = std::remove_pointer_t<Cudas>;
    constexpr bool has_sizes = std::is_object_v<mirror> && std::is_object_v<cuda> &&
                               !std::is_same_v<std::remove_cv_t<mirror>, unsigned char>;
    if constexpr (has_sizes) return requires { requires sizeof(mirror) == sizeof(cuda); };
  }
  return true;
}

template <class Ours, class Cudas>
struct is_called_alike : std::false_type {};
template <class... Ours, class Result, class... Cudas>
  requires(sizeof...(Ours) == sizeof...(Cudas))
struct is_called_alike<int(Ours...), Result(Cudas...)>
    : std::bool_constant<sizeof(Result) == sizeof(int) && (is_handed_alike<Ours, Cudas> && ...) &&
                         (points_alike<Ours, Cudas>() && ...)> {};

#define SKERRY_DRIVER(name, version, symbol, function, ...) \
  static_assert(is_called_alike<decltype(driver::function), decltype(::symbol)>::value);
#include "device/emulator/driver/functions.inc"
#undef SKERRY_DRIVER

#define SKERRY_SAME_SIZE(mirror, cuda) \
  static_assert(sizeof(mirror) == sizeof(cuda) && alignof(mirror) == alignof(cuda))
#define SKERRY_SAME_OFFSET(mirror, mirror_member, cuda, cuda_member)              \
  static_assert(offsetof(mirror, mirror_member) == offsetof(cuda, cuda_member) && \
                sizeof(mirror::mirror_member) == sizeof(cuda::cuda_member))

SKERRY_SAME_SIZE(MemoryLocation, CUmemLocation);
SKERRY_SAME_SIZE(PoolProperties, CUmemPoolProps);
SKERRY_SAME_SIZE(AccessDescription, CUmemAccessDesc);
SKERRY_SAME_SIZE(PhysicalProperties, CUmemAllocationProp);
SKERRY_SAME_SIZE(LaunchAttribute, CUlaunchAttribute);
SKERRY_SAME_SIZE(DriverLaunch, CUlaunchConfig);
SKERRY_SAME_SIZE(Copy2d, CUDA_MEMCPY2D);
SKERRY_SAME_SIZE(Copy3d, CUDA_MEMCPY3D);
SKERRY_SAME_SIZE(KernelNode, CUDA_KERNEL_NODE_PARAMS_v3);
SKERRY_SAME_SIZE(CopyNode, CUDA_MEMCPY_NODE_PARAMS);
SKERRY_SAME_SIZE(AllocationNode, CUDA_MEM_ALLOC_NODE_PARAMS_v2);
SKERRY_SAME_SIZE(NodeParameters, CUgraphNodeParams);
SKERRY_SAME_OFFSET(KernelNode, kernel, CUDA_KERNEL_NODE_PARAMS_v3, kern);
SKERRY_SAME_OFFSET(FillNode, height, CUDA_MEMSET_NODE_PARAMS_v2, height);
SKERRY_SAME_OFFSET(CopyNode, copy_params, CUDA_MEMCPY_NODE_PARAMS, copyParams);
SKERRY_SAME_OFFSET(AllocationNode, data, CUDA_MEM_ALLOC_NODE_PARAMS_v2, dptr);
SKERRY_SAME_OFFSET(NodeParameters, kernel, CUgraphNodeParams, kernel);
SKERRY_SAME_OFFSET(GraphInstantiation, result, CUDA_GRAPH_INSTANTIATE_PARAMS, result_out);
SKERRY_SAME_OFFSET(MemoryLocation, kind, CUmemLocation, type);
SKERRY_SAME_OFFSET(MemoryLocation, number, CUmemLocation, id);
SKERRY_SAME_OFFSET(PoolProperties, handle_types, CUmemPoolProps, handleTypes);
SKERRY_SAME_OFFSET(PoolProperties, location, CUmemPoolProps, location);
SKERRY_SAME_OFFSET(PoolProperties, max_bytes, CUmemPoolProps, maxSize);
SKERRY_SAME_OFFSET(PhysicalProperties, location, CUmemAllocationProp, location);
static_assert(offsetof(PhysicalProperties, compression) ==
              offsetof(CUmemAllocationProp, allocFlags.compressionType));
SKERRY_SAME_OFFSET(DriverLaunch, stream, CUlaunchConfig, hStream);
SKERRY_SAME_OFFSET(DriverLaunch, attributes, CUlaunchConfig, attrs);
SKERRY_SAME_OFFSET(DriverLaunch, attribute_count, CUlaunchConfig, numAttrs);
static_assert(offsetof(DriverLaunch, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(DriverLaunch, dynamic_shared_bytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(Copy2d, source.pitch) == offsetof(CUDA_MEMCPY2D, srcPitch));
static_assert(offsetof(Copy2d, source.device) == offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(Copy2d, target) == offsetof(CUDA_MEMCPY2D, dstXInBytes));
static_assert(offsetof(Copy3d, source.device) == offsetof(CUDA_MEMCPY3D, srcDevice));
static_assert(offsetof(Copy3d, source.height) == offsetof(CUDA_MEMCPY3D, srcHeight));
static_assert(offsetof(Copy3d, target) == offsetof(CUDA_MEMCPY3D, dstXInBytes));
SKERRY_SAME_OFFSET(Copy2d, width_bytes, CUDA_MEMCPY2D, WidthInBytes);
SKERRY_SAME_OFFSET(Copy3d, depth, CUDA_MEMCPY3D, Depth);

static_assert(past_device_attributes == CU_DEVICE_ATTRIBUTE_MAX);
static_assert(cooperative == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
static_assert(access_policy_window == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
static_assert(synchronization_policy == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY);
static_assert(cluster_scheduling_policy ==
              CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
static_assert(memory_sync_domain_map == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
static_assert(memory_sync_domain == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
static_assert(preferred_shared_carveout == CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
static_assert(location_of_device == CU_MEM_LOCATION_TYPE_DEVICE);

#undef SKERRY_SAME_SIZE
#undef SKERRY_SAME_OFFSET

}  // namespace
}  // namespace skerry::emulation::abi
