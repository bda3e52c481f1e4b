// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/api.h"

/// The numbers of cudaMemcpyKind.
enum class skerry_copy_kind : int {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  automatic = 4,
};

/// The numbers of cudaMemoryType.
enum class skerry_memory_type : int { unregistered = 0, host = 1, device = 2, managed = 3 };

namespace skerry::cuda {

// The table of api.h in C++'s names, and what its statuses mean.

/// To be raised by each change of what the CUDA module and the rest pass to each other: its
/// interface, tables and parameters of kernels.
inline constexpr int module_abi_version = 9;

inline constexpr int max_devices = 64;

/// The statuses that skerry tells apart.
inline constexpr int success = 0;
inline constexpr int invalid_value = 1;
inline constexpr int memory_allocation = 2;
inline constexpr int initialization_error = 3;
inline constexpr int runtime_unloading = 4;
inline constexpr int stub_library = 34;
inline constexpr int insufficient_driver = 35;
inline constexpr int devices_unavailable = 46;
inline constexpr int no_device = 100;
inline constexpr int invalid_device = 101;
inline constexpr int no_kernel_image_for_device = 209;
inline constexpr int ecc_uncorrectable = 214;
inline constexpr int peer_access_unsupported = 217;
inline constexpr int unsupported_ptx_version = 222;
inline constexpr int invalid_resource_handle = 400;
inline constexpr int not_ready = 600;
inline constexpr int illegal_address = 700;
inline constexpr int peer_access_already_enabled = 704;
inline constexpr int host_memory_already_registered = 712;
inline constexpr int not_supported = 801;
inline constexpr int system_driver_mismatch = 803;
inline constexpr int compatibility_not_supported = 804;
inline constexpr int stream_capture_unsupported = 900;

/// True for the codes after which CUDA wants the process to be terminated (driver_types.h of CUDA
/// 13.0: "the only way … is to terminate and relaunch the process"), and for lost hardware.
[[nodiscard]] constexpr bool is_fatal(int code) noexcept {
  switch (code) {
    case 214:  // uncorrectable ECC error
    case 220:  // uncorrectable NVLink error
    case 226:  // contained error
    case 700:  // illegal address
    case 702:  // launch timeout
    case 710:  // assert in a kernel
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failure
    case 721:  // tensor memory leak
    case 810:  // MPS client terminated
    case 911:  // external device error
      return true;
    default:
      return false;
  }
}

/// True for the codes that a call gives because a stream is captured into a graph.
[[nodiscard]] constexpr bool is_of_capture(int code) noexcept { return code >= 900 && code <= 908; }

/// cudaStreamLegacy. A null handle would mean the same, or the per-thread stream in code compiled
/// so.
inline void* const legacy_stream = reinterpret_cast<void*>(1);
/// cudaStreamPerThread: another stream in every thread, so that who was given it can't order
/// anything by it later. Each of them waits for the legacy stream's work, and that one for theirs:
/// memory is kept in order with the legacy stream instead.
inline void* const per_thread_stream = reinterpret_cast<void*>(2);

using Api = ::skerry_cuda_api;
using DeviceProperties = ::skerry_device_properties;
using PointerAttributes = ::skerry_pointer_attributes;
using KernelOperand = ::skerry_kernel_operand;
using CopyKind = ::skerry_copy_kind;
using MemoryType = ::skerry_memory_type;

/// Whether an entry point may wait for work of a device, whoever enqueued it, and not only enqueue
/// or ask: to wait is its purpose, or it frees what the work uses, or makes room for what is asked.
template <auto Entry>
inline constexpr bool may_wait = false;
template <>
inline constexpr bool may_wait<&Api::device_synchronize> = true;
template <>
inline constexpr bool may_wait<&Api::stream_synchronize> = true;
template <>
inline constexpr bool may_wait<&Api::event_synchronize> = true;
template <>
inline constexpr bool may_wait<&Api::allocate> = true;
template <>
inline constexpr bool may_wait<&Api::deallocate> = true;
template <>
inline constexpr bool may_wait<&Api::allocate_async> = true;
template <>
inline constexpr bool may_wait<&Api::pool_trim> = true;
template <>
inline constexpr bool may_wait<&Api::enable_peer_access> = true;
template <>
inline constexpr bool may_wait<&Api::host_allocate> = true;
template <>
inline constexpr bool may_wait<&Api::host_deallocate> = true;
template <>
inline constexpr bool may_wait<&Api::host_register> = true;
template <>
inline constexpr bool may_wait<&Api::host_unregister> = true;

}  // namespace skerry::cuda
