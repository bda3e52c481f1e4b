// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda/api.hpp"
#include "device/emulator/runtime/abi.hpp"

// The entry points of libcudart that the CUDA module imports: functions with skerry's names and
// CUDA's symbols. Statuses are cudaError_t as int, streams and events those of the simulated
// runtime.

#define SKERRY_CUDART(symbol) __asm__(#symbol) __attribute__((visibility("default")))

namespace skerry::emulation::entry_points {

// Calls that nvcc generates: registration.cpp
void** register_fat_binary(const void* wrapper) SKERRY_CUDART(__cudaRegisterFatBinary);
void register_fat_binary_end(void** handle) SKERRY_CUDART(__cudaRegisterFatBinaryEnd);
void unregister_fat_binary(void** handle) SKERRY_CUDART(__cudaUnregisterFatBinary);
char init_module(void** handle) SKERRY_CUDART(__cudaInitModule);
void register_function(void** handle, const char* host, char* device, const char* name,
                       int thread_limit, void* tid, void* bid, void* block, void* grid,
                       int* warp_size) SKERRY_CUDART(__cudaRegisterFunction);
void register_variable(void** handle, char* host, char* device, const char* name, int external,
                       std::size_t nbytes, int is_constant, int is_global)
    SKERRY_CUDART(__cudaRegisterVar);
unsigned push_call_configuration(Extent grid, Extent block, std::size_t dynamic_shared_bytes,
                                 void* stream) SKERRY_CUDART(__cudaPushCallConfiguration);
int pop_call_configuration(Extent* grid, Extent* block, std::size_t* dynamic_shared_bytes,
                           void* stream) SKERRY_CUDART(__cudaPopCallConfiguration);
int get_kernel(void** kernel, const void* function) SKERRY_CUDART(__cudaGetKernel);
int get_symbol_address(void** data, const void* symbol) SKERRY_CUDART(cudaGetSymbolAddress);
int get_symbol_size(std::size_t* nbytes, const void* symbol) SKERRY_CUDART(cudaGetSymbolSize);

// Kernels: execution.cpp
int launch_handle(void* kernel, Extent grid, Extent block, void** arguments,
                  std::size_t dynamic_shared_bytes, void* stream) SKERRY_CUDART(__cudaLaunchKernel);
int launch_kernel(const void* function, Extent grid, Extent block, void** arguments,
                  std::size_t dynamic_shared_bytes, void* stream) SKERRY_CUDART(cudaLaunchKernel);
int launch_kernel_ex(const abi::LaunchConfiguration* configuration, const void* function,
                     void** arguments) SKERRY_CUDART(cudaLaunchKernelExC);
int get_function_attributes(abi::FunctionAttributes* attributes, const void* function)
    SKERRY_CUDART(cudaFuncGetAttributes);
int set_function_attribute(const void* function, int attribute, int value)
    SKERRY_CUDART(cudaFuncSetAttribute);
int max_active_blocks(int* blocks, const void* function, int block_threads,
                      std::size_t dynamic_shared_bytes)
    SKERRY_CUDART(cudaOccupancyMaxActiveBlocksPerMultiprocessor);
int max_active_blocks_with_flags(int* blocks, const void* function, int block_threads,
                                 std::size_t dynamic_shared_bytes, unsigned flags)
    SKERRY_CUDART(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);

// Devices, versions, errors, entry points of the driver: devices.cpp
int driver_version(int* version) SKERRY_CUDART(cudaDriverGetVersion);
int runtime_version(int* version) SKERRY_CUDART(cudaRuntimeGetVersion);
int device_count(int* count) SKERRY_CUDART(cudaGetDeviceCount);
int get_device(int* ordinal) SKERRY_CUDART(cudaGetDevice);
int set_device(int ordinal) SKERRY_CUDART(cudaSetDevice);
int get_device_properties(abi::DeviceProperties* properties, int ordinal)
    SKERRY_CUDART(cudaGetDeviceProperties);
int get_device_attribute(int* value, int attribute, int ordinal)
    SKERRY_CUDART(cudaDeviceGetAttribute);
int device_synchronize() SKERRY_CUDART(cudaDeviceSynchronize);
int can_access_peer(int* can, int reader, int owner) SKERRY_CUDART(cudaDeviceCanAccessPeer);
int enable_peer_access(int owner, unsigned flags) SKERRY_CUDART(cudaDeviceEnablePeerAccess);
int get_last_error() SKERRY_CUDART(cudaGetLastError);
int peek_at_last_error() SKERRY_CUDART(cudaPeekAtLastError);
const char* get_error_name(int code) SKERRY_CUDART(cudaGetErrorName);
const char* get_error_string(int code) SKERRY_CUDART(cudaGetErrorString);
int get_driver_entry_point(const char* symbol, void** function, unsigned version,
                           unsigned long long flags, int* driver_status)
    SKERRY_CUDART(cudaGetDriverEntryPointByVersion);

// Memory: memory.cpp
int allocate(void** data, std::size_t nbytes) SKERRY_CUDART(cudaMalloc);
int allocate_managed(void** data, std::size_t nbytes, unsigned flags)
    SKERRY_CUDART(cudaMallocManaged);
int deallocate(void* data) SKERRY_CUDART(cudaFree);
int allocate_async(void** data, std::size_t nbytes, void* stream) SKERRY_CUDART(cudaMallocAsync);
int deallocate_async(void* data, void* stream) SKERRY_CUDART(cudaFreeAsync);
int host_allocate(void** data, std::size_t nbytes, unsigned flags) SKERRY_CUDART(cudaHostAlloc);
int host_deallocate(void* data) SKERRY_CUDART(cudaFreeHost);
int host_register(void* data, std::size_t nbytes, unsigned flags) SKERRY_CUDART(cudaHostRegister);
int host_unregister(void* data) SKERRY_CUDART(cudaHostUnregister);
int memory_info(std::size_t* free_bytes, std::size_t* total_bytes) SKERRY_CUDART(cudaMemGetInfo);
int get_pointer_attributes(abi::PointerAttributes* attributes, const void* data)
    SKERRY_CUDART(cudaPointerGetAttributes);
int copy_async(void* target, const void* source, std::size_t nbytes, int kind, void* stream)
    SKERRY_CUDART(cudaMemcpyAsync);
int copy(void* target, const void* source, std::size_t nbytes, int kind) SKERRY_CUDART(cudaMemcpy);
int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* stream) SKERRY_CUDART(cudaMemcpyPeerAsync);
int fill_async(void* target, int value, std::size_t nbytes, void* stream)
    SKERRY_CUDART(cudaMemsetAsync);
int get_default_pool(void** pool, int ordinal) SKERRY_CUDART(cudaDeviceGetDefaultMemPool);
int set_pool_access(void* pool, const abi::AccessDescription* list, std::size_t count)
    SKERRY_CUDART(cudaMemPoolSetAccess);
int set_pool_attribute(void* pool, int attribute, void* value)
    SKERRY_CUDART(cudaMemPoolSetAttribute);
int trim_pool(void* pool, std::size_t keep_bytes) SKERRY_CUDART(cudaMemPoolTrimTo);
int ipc_export_memory(cuda::IpcHandle* handle, void* data) SKERRY_CUDART(cudaIpcGetMemHandle);
int ipc_open_memory(void** data, cuda::IpcHandle handle, unsigned flags)
    SKERRY_CUDART(cudaIpcOpenMemHandle);
int ipc_close_memory(void* data) SKERRY_CUDART(cudaIpcCloseMemHandle);

// Streams, events: streams.cpp
int stream_create(void** stream, unsigned flags) SKERRY_CUDART(cudaStreamCreateWithFlags);
int stream_destroy(void* stream) SKERRY_CUDART(cudaStreamDestroy);
int stream_synchronize(void* stream) SKERRY_CUDART(cudaStreamSynchronize);
int stream_query(void* stream) SKERRY_CUDART(cudaStreamQuery);
int stream_wait_event(void* stream, void* event, unsigned flags) SKERRY_CUDART(cudaStreamWaitEvent);
int stream_is_capturing(void* stream, int* status) SKERRY_CUDART(cudaStreamIsCapturing);
int stream_device(void* stream, int* ordinal) SKERRY_CUDART(cudaStreamGetDevice);
int stream_begin_capture(void* stream, int mode) SKERRY_CUDART(cudaStreamBeginCapture);
int stream_end_capture(void* stream, void** graph) SKERRY_CUDART(cudaStreamEndCapture);
int stream_get_capture_info(void* stream, int* status, unsigned long long* id, void** graph,
                            const void** nodes, const void** edges, std::size_t* count)
    SKERRY_CUDART(cudaStreamGetCaptureInfo);
int user_object_create(void** object, void* data, void (*destroy)(void* data), unsigned count,
                       unsigned flags) SKERRY_CUDART(cudaUserObjectCreate);
int user_object_release(void* object, unsigned count) SKERRY_CUDART(cudaUserObjectRelease);
int graph_retain_object(void* graph, void* object, unsigned count, unsigned flags)
    SKERRY_CUDART(cudaGraphRetainUserObject);
int graph_instantiate(void** executable, void* graph, unsigned long long flags)
    SKERRY_CUDART(cudaGraphInstantiate);
int graph_destroy(void* graph) SKERRY_CUDART(cudaGraphDestroy);
int graph_launch(void* executable, void* stream) SKERRY_CUDART(cudaGraphLaunch);
int executable_destroy(void* executable) SKERRY_CUDART(cudaGraphExecDestroy);
int event_create(void** event) SKERRY_CUDART(cudaEventCreate);
int event_create_with_flags(void** event, unsigned flags) SKERRY_CUDART(cudaEventCreateWithFlags);
int event_destroy(void* event) SKERRY_CUDART(cudaEventDestroy);
int event_record(void* event, void* stream) SKERRY_CUDART(cudaEventRecord);
int event_query(void* event) SKERRY_CUDART(cudaEventQuery);
int event_synchronize(void* event) SKERRY_CUDART(cudaEventSynchronize);
int event_elapsed(float* milliseconds, void* start, void* end) SKERRY_CUDART(cudaEventElapsedTime);
int ipc_export_event(cuda::IpcHandle* handle, void* event) SKERRY_CUDART(cudaIpcGetEventHandle);
int ipc_open_event(void** event, cuda::IpcHandle handle) SKERRY_CUDART(cudaIpcOpenEventHandle);
int launch_host_function(void* stream, void (*function)(void*), void* data)
    SKERRY_CUDART(cudaLaunchHostFunc);

}  // namespace skerry::emulation::entry_points
