// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/api.h"

/// Values of cudaMemcpyKind.
enum class skerry_copy_kind : int {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  automatic = 4,
};

/// Values of cudaMemoryType.
enum class skerry_memory_type : int { unregistered = 0, host = 1, device = 2, managed = 3 };

namespace skerry::cuda {

// C++ names for the table of api.h, and the meaning of its statuses.

/// Increment with each change of the interface between the CUDA module and the rest: its functions,
/// tables and kernel parameters.
inline constexpr int module_abi_version = 12;

inline constexpr int max_devices = 64;

/// The statuses that skerry handles specifically.
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
inline constexpr int illegal_state = 401;
inline constexpr int not_ready = 600;
inline constexpr int illegal_address = 700;
inline constexpr int peer_access_already_enabled = 704;
inline constexpr int host_memory_already_registered = 712;
inline constexpr int not_supported = 801;
inline constexpr int system_driver_mismatch = 803;
inline constexpr int compatibility_not_supported = 804;
inline constexpr int stream_capture_unsupported = 900;
inline constexpr int stream_capture_invalidated = 901;
inline constexpr int stream_capture_merge = 902;
inline constexpr int stream_capture_unmatched = 903;
inline constexpr int stream_capture_unjoined = 904;
inline constexpr int stream_capture_isolation = 905;

/// True for the codes after which CUDA requires the process to end (driver_types.h of CUDA 13.0:
/// "the only way … is to terminate and relaunch the process"), and for lost hardware.
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

/// True for the codes of calls that fail because a stream is being captured into a graph.
[[nodiscard]] constexpr bool is_of_capture(int code) noexcept { return code >= 900 && code <= 908; }

/// cudaStreamLegacy. A null handle means the same, or the per-thread stream in code compiled for
/// that.
inline void* const legacy_stream = reinterpret_cast<void*>(1);
/// cudaStreamPerThread: a different stream in each thread, so a handle that is passed on cannot be
/// used to order work later. These streams and the legacy stream wait for each other, so memory
/// used on them is ordered with the legacy stream instead.
inline void* const per_thread_stream = reinterpret_cast<void*>(2);

using Api = ::skerry_cuda_api;
using DeviceProperties = ::skerry_device_properties;
using PointerAttributes = ::skerry_pointer_attributes;
using KernelOperand = ::skerry_kernel_operand;
using IpcHandle = ::skerry_ipc_handle;
using CopyKind = ::skerry_copy_kind;
using MemoryType = ::skerry_memory_type;

/// True if an entry point may wait for a device's work, whoever enqueued it: waiting is its
/// purpose, it frees memory that the work uses, or it waits to make room for an allocation.
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
inline constexpr bool may_wait<&Api::allocate_managed> = true;
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

/// True if an entry point waits for work in every case, other than to free memory whose uses skerry
/// has waited for.
template <auto Entry>
inline constexpr bool always_waits = false;
template <>
inline constexpr bool always_waits<&Api::device_synchronize> = true;
template <>
inline constexpr bool always_waits<&Api::stream_synchronize> = true;
template <>
inline constexpr bool always_waits<&Api::event_synchronize> = true;
template <>
inline constexpr bool always_waits<&Api::host_deallocate> = true;
template <>
inline constexpr bool always_waits<&Api::host_unregister> = true;

}  // namespace skerry::cuda
