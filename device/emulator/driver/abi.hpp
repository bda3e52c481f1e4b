// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/emulator/runtime/abi.hpp"

// Types of CUDA 13's driver API that runtime/abi.hpp lacks. Redeclared, so that the emulator builds
// without a toolkit; driver_abi_check.cpp compares them with cuda.h.

namespace skerry::emulation::abi {

/// CUmemLocation
struct MemoryLocation {
  int kind;
  int number;
};
inline constexpr int location_of_device = 1;

/// CUmemAllocationProp
struct PhysicalProperties {
  int type = 0;
  int handle_types = 0;
  MemoryLocation location{};
  void* security = nullptr;
  unsigned char compression = 0;
  unsigned char is_rdma_capable = 0;
  unsigned short usage = 0;
  unsigned char reserved[4] = {};
};

/// CUmemorytype
enum class MemoryKind : int { host = 1, device = 2, array = 3, unified = 4 };

/// CUDA_MEMCPY2D
struct Copy2d {
  struct Side {
    std::size_t x_bytes;
    std::size_t y;
    MemoryKind kind;
    void* host;
    std::uint64_t device;
    void* array;
    std::size_t pitch;
  };
  Side source;
  Side target;
  std::size_t width_bytes;
  std::size_t height;
};

/// CUDA_MEMCPY3D
struct Copy3d {
  struct Side {
    std::size_t x_bytes;
    std::size_t y;
    std::size_t z;
    std::size_t level;
    MemoryKind kind;
    void* host;
    std::uint64_t device;
    void* array;
    void* reserved;
    std::size_t pitch;
    std::size_t height;
  };
  Side source;
  Side target;
  std::size_t width_bytes;
  std::size_t height;
  std::size_t depth;
};

/// CUmemPoolProps
struct PoolProperties {
  int allocation_type;
  int handle_types;
  MemoryLocation location;
  void* security;
  std::size_t max_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};

/// CUmemcpyAttributes
struct CopyAttributes {
  int source_order;
  MemoryLocation source;
  MemoryLocation target;
  unsigned flags;
};

/// CUgraphEdgeData
struct EdgeData {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};

/// CUDA_KERNEL_NODE_PARAMS_v1
struct KernelNodeV1 {
  void* function;
  Extent grid;
  Extent block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};

/// CUDA_KERNEL_NODE_PARAMS_v3
struct KernelNode {
  void* function;
  Extent grid;
  Extent block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
  void* kernel;
  void* context;
};

/// CUDA_MEMSET_NODE_PARAMS_v1, with which CUDA_MEMSET_NODE_PARAMS_v2 begins
struct FillNode {
  std::uint64_t target;
  std::size_t pitch;
  unsigned value;
  unsigned element_bytes;
  std::size_t width;
  std::size_t height;
};

/// cudaMemcpy3DParms
struct RuntimeCopy3d {
  struct Side {
    void* array;
    std::size_t position[3];
    void* data;
    std::size_t pitch;
    std::size_t width;
    std::size_t height;
  };
  Side source;
  Side target;
  std::size_t width_bytes;
  std::size_t height;
  std::size_t depth;
  int kind;
};

/// CUDA_HOST_NODE_PARAMS_v2
struct HostNode {
  void (*function)(void* data);
  void* data;
};

/// CUDA_MEMCPY_NODE_PARAMS
struct CopyNode {
  int flags;
  int reserved;
  void* context;
  Copy3d copy_params;
};

/// CUDA_MEM_ALLOC_NODE_PARAMS_v2
struct AllocationNode {
  PoolProperties pool;
  const void* access;
  std::size_t access_count;
  std::size_t nbytes;
  std::uint64_t data;
};

/// CUgraphNodeParams
struct NodeParameters {
  int kind;
  int reserved[3];
  union {
    long long reserved1[29];
    KernelNode kernel;
    CopyNode copy;
    FillNode fill;
    HostNode host;
    void* child;
    void* event;
    AllocationNode allocation;
    std::uint64_t released;
  };
  long long reserved_end;
};

/// CUDA_GRAPH_INSTANTIATE_PARAMS
struct GraphInstantiation {
  std::uint64_t flags;
  void* upload_stream;
  void* error_node;
  int result;
};

/// CUgraphExecUpdateResultInfo
struct GraphUpdate {
  int result;
  void* error_node;
  void* error_from;
};

/// CUlaunchConfig
struct DriverLaunch {
  Extent grid;
  Extent block;
  unsigned dynamic_shared_bytes;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

// Keys of the launch argument `extra`, which passes all kernel parameters in one buffer.
inline constexpr std::uintptr_t extra_end = 0;
inline constexpr std::uintptr_t extra_buffer = 1;
inline constexpr std::uintptr_t extra_size = 2;

}  // namespace skerry::emulation::abi
