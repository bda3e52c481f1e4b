/* SPDX-FileCopyrightText: The skerry developers
   SPDX-License-Identifier: Apache-2.0 */
#ifndef SKERRY_DEVICE_CUDA_API_H
#define SKERRY_DEVICE_CUDA_API_H

/* The part of the CUDA runtime that skerry uses, as a table of functions. The CUDA module,
   rehearsal and the emulated GPU implement it. The emulated GPU (device/emulator, the package
   skerry-emulator) is built and released separately: this header is its whole interface with skerry
   at run time. It is C and includes no CUDA header; every status is a cudaError_t as an int. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Increment with each change of this header. */
#define SKERRY_CUDA_API_VERSION 12

#ifdef __cplusplus
extern "C" {
/* api.hpp defines the enumerators. */
enum class skerry_copy_kind : int;
enum class skerry_memory_type : int;
#else
typedef int skerry_copy_kind;   /* values of cudaMemcpyKind */
typedef int skerry_memory_type; /* values of cudaMemoryType */
#endif

struct skerry_device_properties {
  char name[256];
  unsigned char uuid[16];
  size_t total_bytes;
  int compute_capability; /* 90 for 9.0 */
  int multiprocessors;
  int supports_pools;          /* stream-ordered allocation */
  int supports_managed_memory; /* which the host may access while kernels run */
};

struct skerry_pointer_attributes {
  skerry_memory_type type;
  int device; /* ordinal; negative if unregistered */
  void* device_pointer;
  void* host_pointer;
  /* The allocation that contains the pointer; 0 bytes if unknown. */
  void* allocation;
  size_t allocation_bytes;
};

/* Memory or an event that another process opens. */
struct skerry_ipc_handle {
  unsigned char bytes[64];
};

/* Memory that a kernel may read, or read and write. */
struct skerry_kernel_operand {
  void* data;
  size_t nbytes;
  bool is_written;
  bool is_whole; /* every byte is accessed */
};

struct skerry_cuda_api {
  int (*driver_version)(int* version);
  int (*runtime_version)(int* version);
  int (*device_count)(int* count);
  int (*get_device)(int* ordinal);
  /* Makes a device current on this thread; pop_device() restores what was current before, which
     may be another library's context or none. Restoring by ordinal would be wrong: get_device()
     returns 0 for a thread without a context, and setting device 0 would create one there. */
  int (*push_device)(int ordinal);
  int (*pop_device)(void);
  int (*get_properties)(struct skerry_device_properties* properties, int ordinal);
  int (*memory_info)(size_t* free_bytes, size_t* total_bytes);
  int (*can_access_peer)(int* can, int reader, int owner);
  int (*enable_peer_access)(int owner); /* the current device may read `owner` */
  int (*pool_allow_reader)(int owner, int reader);
  int (*device_synchronize)(void);

  int (*allocate)(void** data, size_t nbytes);
  int (*allocate_managed)(void** data, size_t nbytes);
  int (*deallocate)(void* data);
  int (*allocate_async)(void** data, size_t nbytes, void* stream);
  int (*deallocate_async)(void* data, void* stream);
  int (*pool_set_release_threshold)(int ordinal, uint64_t nbytes);
  int (*pool_trim)(int ordinal, size_t keep_bytes);
  int (*host_allocate)(void** data, size_t nbytes);
  int (*host_deallocate)(void* data);
  /* Page-locks existing memory, for all devices. */
  int (*host_register)(void* data, size_t nbytes);
  int (*host_unregister)(void* data);
  /* Creates no context. */
  int (*get_pointer_attributes)(struct skerry_pointer_attributes* attributes, const void* data);

  int (*copy_async)(void* target, const void* source, size_t nbytes, skerry_copy_kind kind,
                    void* stream);
  int (*copy_peer_async)(void* target, int target_ordinal, const void* source, int source_ordinal,
                         size_t nbytes, void* stream);
  int (*fill_async)(void* target, int value, size_t nbytes, void* stream);
  int (*launch_host_function)(void* stream, void (*function)(void* data), void* data);
  /* Enqueues a kernel's host form with a copy of its parameters; null in the native table.
     Implementations that check memory read `operands`. */
  int (*launch_host_kernel)(void (*kernel)(const void* params), const void* params,
                            size_t params_size, const struct skerry_kernel_operand* operands,
                            size_t operand_count, void* stream);

  int (*stream_create)(void** stream); /* non-blocking */
  int (*stream_destroy)(void* stream);
  int (*stream_synchronize)(void* stream);
  int (*stream_query)(void* stream);
  int (*stream_wait_event)(void* stream, void* event);
  int (*stream_is_capturing)(void* stream, int* capturing); /* into a graph */
  int (*stream_device)(void* stream, int* ordinal); /* for a default stream, the current device */
  /* Other calls of this thread are not restricted meanwhile (cudaStreamCaptureModeRelaxed). */
  int (*stream_begin_capture)(void* stream);
  /* Ends the capture, also if it fails. A null `graph` discards the captured work. */
  int (*stream_end_capture)(void* stream, void** graph);
  /* Makes the graph that a captured stream fills own `data`. `release` is called once that graph
     can not run any more, or if this fails; it must make no call of the runtime. */
  int (*stream_capture_retain)(void* stream, void* data, void (*release)(void* data));
  int (*graph_launch)(void* graph, void* stream);
  int (*graph_destroy)(void* graph); /* it may be running */
  int (*event_create)(void** event); /* without timing */
  int (*event_create_timed)(void** event);
  int (*event_destroy)(void* event);
  int (*event_record)(void* event, void* stream);
  int (*event_query)(void* event);
  int (*event_synchronize)(void* event);
  int (*event_elapsed)(float* milliseconds, void* start, void* end);

  /* Memory of allocate() and events that other processes of the machine open. */
  int (*ipc_export_memory)(struct skerry_ipc_handle* handle, void* data);
  int (*ipc_open_memory)(void** data, const struct skerry_ipc_handle* handle);
  int (*ipc_close_memory)(void* data);
  int (*event_create_shared)(void** event); /* without timing */
  int (*ipc_export_event)(struct skerry_ipc_handle* handle, void* event);
  int (*ipc_open_event)(void** event, const struct skerry_ipc_handle* handle);

  int (*get_last_error)(void); /* clears it */
  const char* (*error_name)(int code);
  const char* (*error_string)(int code);
};

/* Controls of a simulated runtime: device/rehearsal/control.hpp. */
struct skerry_simulation_controls {
  void (*set_device_count)(int count);
  void (*fail_call)(uint64_t k, int code, bool sticky);
  void (*clear)(void);
  uint64_t (*calls)(void);
  void (*set_delay)(int min_us, int max_us);
  void (*set_captured)(void* stream);
  int (*set_device)(int ordinal);
  bool (*has_context)(int ordinal);
  void (*finish)(void);
};

/* The emulated GPU's interface. New members go at the end, so that the first two are readable in
   any version. */
struct skerry_emulator {
  int version;         /* SKERRY_CUDA_API_VERSION of its build */
  const char* release; /* of the package: "0.1.0" */
  const struct skerry_cuda_api* calls;
  const struct skerry_simulation_controls* controls;
  /* Names an array of `nbytes` at `data`, in memory of a device, in reports of kernels: its dtype
     and shape as text. */
  void (*name_array)(const void* data, size_t nbytes, const char* text);
  /* The same for an array that has just been allocated, which reports name unless others in its
     memory have been named. */
  void (*name_new_array)(const void* data, size_t nbytes, const char* text);
};

/* The only function that skerry looks up in libskerry_emulator.so. */
const struct skerry_emulator* skerry_emulator_interface(void);
#define SKERRY_EMULATOR_SYMBOL "skerry_emulator_interface"

#ifdef __cplusplus
}
#endif

#endif
