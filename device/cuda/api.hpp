// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skerry::cuda {

// The CUDA runtime as skerry sees it: one table of function pointers with two implementations,
// native/ (the real runtime) and rehearsal/ (simulated on the host). No CUDA header is needed
// here; every status is a cudaError_t as an int. The module that fills it is loaded at run time,
// so changing anything in this file means raising module_abi_version.

inline constexpr int module_abi_version = 7;

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

/// The numbers of cudaMemcpyKind.
enum class CopyKind : int {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  automatic = 4,
};

struct DeviceProperties {
  char name[256];
  unsigned char uuid[16];
  std::size_t total_bytes;
  int compute_capability;  ///< 90 for 9.0
  int multiprocessors;
  int supports_pools;  ///< stream-ordered allocation
};

/// The numbers of cudaMemoryType.
enum class MemoryType : int { unregistered = 0, host = 1, device = 2, managed = 3 };

struct PointerAttributes {
  MemoryType type;
  int device;  ///< ordinal; negative if unregistered
  void* device_pointer;
  void* host_pointer;
  /// The allocation that the pointer lies in; no bytes where it can't be known.
  void* allocation;
  std::size_t allocation_bytes;
};

/// Memory that a kernel may read, or read and write.
struct KernelOperand {
  void* data;
  std::size_t nbytes;
  bool is_written;
  bool is_whole;  ///< every byte is touched
};

struct Api {
  int (*driver_version)(int* version);
  int (*runtime_version)(int* version);
  int (*device_count)(int* count);
  int (*get_device)(int* ordinal);
  /// Makes a device current on top of what is current on this thread, which pop_device() makes
  /// current again: a context of somebody else, or none. To set the device 0 that get_device() says
  /// of a thread without a context would make one, on a GPU that nobody may use.
  int (*push_device)(int ordinal);
  int (*pop_device)();
  int (*get_properties)(DeviceProperties* properties, int ordinal);
  int (*memory_info)(std::size_t* free_bytes, std::size_t* total_bytes);
  int (*can_access_peer)(int* can, int reader, int owner);
  int (*enable_peer_access)(int owner);  ///< the current device may read `owner`
  int (*pool_allow_reader)(int owner, int reader);
  int (*device_synchronize)();

  int (*allocate)(void** data, std::size_t nbytes);
  int (*deallocate)(void* data);
  int (*allocate_async)(void** data, std::size_t nbytes, void* stream);
  int (*deallocate_async)(void* data, void* stream);
  int (*pool_set_release_threshold)(int ordinal, std::uint64_t nbytes);
  int (*pool_trim)(int ordinal, std::size_t keep_bytes);
  int (*host_allocate)(void** data, std::size_t nbytes);
  int (*host_deallocate)(void* data);
  /// Locks the pages of memory that is there already, for all devices.
  int (*host_register)(void* data, std::size_t nbytes);
  int (*host_unregister)(void* data);
  /// Makes no context.
  int (*get_pointer_attributes)(PointerAttributes* attributes, const void* data);

  int (*copy_async)(void* target, const void* source, std::size_t nbytes, CopyKind kind,
                    void* stream);
  int (*copy_peer_async)(void* target, int target_ordinal, const void* source, int source_ordinal,
                         std::size_t nbytes, void* stream);
  int (*fill_async)(void* target, int value, std::size_t nbytes, void* stream);
  int (*launch_host_function)(void* stream, void (*function)(void* data), void* data);
  /// Enqueues a kernel's host form with a copy of its parameters; null in the native table. Who
  /// checks memory looks at `operands`.
  int (*launch_host_kernel)(void (*kernel)(const void* params), const void* params,
                            std::size_t params_size, std::span<const KernelOperand> operands,
                            void* stream);

  int (*stream_create)(void** stream);  ///< non-blocking
  int (*stream_destroy)(void* stream);
  int (*stream_synchronize)(void* stream);
  int (*stream_query)(void* stream);
  int (*stream_wait_event)(void* stream, void* event);
  int (*stream_is_capturing)(void* stream, int* capturing);  ///< into a graph
  int (*stream_device)(void* stream, int* ordinal);  ///< of a default stream: the current device
  int (*event_create)(void** event);                 ///< without timing
  int (*event_create_timed)(void** event);
  int (*event_destroy)(void* event);
  int (*event_record)(void* event, void* stream);
  int (*event_query)(void* event);
  int (*event_synchronize)(void* event);
  int (*event_elapsed)(float* milliseconds, void* start, void* end);

  int (*get_last_error)();  ///< and clears it
  const char* (*error_name)(int code);
  const char* (*error_string)(int code);
};

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
