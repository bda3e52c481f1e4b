// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Implements the table of device/cuda/api.hpp by the CUDA runtime. Compiled into the CUDA module
// only.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "device/cuda/api.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/native/compiled_for.hpp"
#include "device/cuda/native/driver_function.hpp"

#ifndef SKERRY_CUDA_ARCHITECTURES
#define SKERRY_CUDA_ARCHITECTURES ""
#endif

/// Defined by the CUDA kernels; null in a module without kernels.
extern "C" void skerry_cuda_fill_kernels(skerry::KernelTable& table) __attribute__((weak));

namespace skerry::cuda {

namespace {

static_assert(success == cudaSuccess);
static_assert(invalid_value == cudaErrorInvalidValue);
static_assert(memory_allocation == cudaErrorMemoryAllocation);
static_assert(initialization_error == cudaErrorInitializationError);
static_assert(runtime_unloading == cudaErrorCudartUnloading);
static_assert(stub_library == cudaErrorStubLibrary);
static_assert(insufficient_driver == cudaErrorInsufficientDriver);
static_assert(devices_unavailable == cudaErrorDevicesUnavailable);
static_assert(no_device == cudaErrorNoDevice);
static_assert(invalid_device == cudaErrorInvalidDevice);
static_assert(ecc_uncorrectable == cudaErrorECCUncorrectable);
static_assert(peer_access_unsupported == cudaErrorPeerAccessUnsupported);
static_assert(invalid_resource_handle == cudaErrorInvalidResourceHandle);
static_assert(illegal_state == cudaErrorIllegalState);
static_assert(not_ready == cudaErrorNotReady);
static_assert(stream_capture_unsupported == cudaErrorStreamCaptureUnsupported);
static_assert(stream_capture_invalidated == cudaErrorStreamCaptureInvalidated);
static_assert(stream_capture_merge == cudaErrorStreamCaptureMerge);
static_assert(stream_capture_unmatched == cudaErrorStreamCaptureUnmatched);
static_assert(stream_capture_unjoined == cudaErrorStreamCaptureUnjoined);
static_assert(stream_capture_isolation == cudaErrorStreamCaptureIsolation);
static_assert(illegal_address == cudaErrorIllegalAddress);
static_assert(peer_access_already_enabled == cudaErrorPeerAccessAlreadyEnabled);
static_assert(host_memory_already_registered == cudaErrorHostMemoryAlreadyRegistered);
static_assert(not_supported == cudaErrorNotSupported);
static_assert(no_kernel_image_for_device == cudaErrorNoKernelImageForDevice);
static_assert(unsupported_ptx_version == cudaErrorUnsupportedPtxVersion);
static_assert(system_driver_mismatch == cudaErrorSystemDriverMismatch);
static_assert(compatibility_not_supported == cudaErrorCompatNotSupportedOnDevice);
static_assert(static_cast<int>(CopyKind::device_to_device) == cudaMemcpyDeviceToDevice);
static_assert(static_cast<int>(CopyKind::automatic) == cudaMemcpyDefault);
static_assert(sizeof(IpcHandle) == sizeof(cudaIpcMemHandle_t));
static_assert(sizeof(IpcHandle) == sizeof(cudaIpcEventHandle_t));

cudaStream_t stream_of(void* handle) { return static_cast<cudaStream_t>(handle); }
cudaEvent_t event_of(void* handle) { return static_cast<cudaEvent_t>(handle); }

int get_attribute(cudaDeviceAttr attribute, int ordinal) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, attribute, ordinal) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return value;
}

int get_properties(DeviceProperties* properties, int ordinal) {
  cudaDeviceProp native{};
  const cudaError_t code = cudaGetDeviceProperties(&native, ordinal);
  if (code != cudaSuccess) return code;
  std::memcpy(properties->name, native.name, sizeof properties->name);
  properties->name[sizeof properties->name - 1] = '\0';
  static_assert(sizeof native.uuid.bytes == sizeof properties->uuid);
  std::memcpy(properties->uuid, native.uuid.bytes, sizeof properties->uuid);
  properties->total_bytes = native.totalGlobalMem;
  properties->compute_capability = native.major * 10 + native.minor;
  properties->multiprocessors = native.multiProcessorCount;
  properties->supports_pools = get_attribute(cudaDevAttrMemoryPoolsSupported, ordinal);
  properties->supports_managed_memory = get_attribute(cudaDevAttrConcurrentManagedAccess, ordinal);
  return cudaSuccess;
}

int default_pool(cudaMemPool_t* pool, int ordinal) {
  return cudaDeviceGetDefaultMemPool(pool, ordinal);
}

int pool_allow_reader(int owner, int reader) {
  cudaMemPool_t pool = nullptr;
  if (const int code = default_pool(&pool, owner); code != cudaSuccess) return code;
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = reader;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  return cudaMemPoolSetAccess(pool, &access, 1);
}

int pool_set_release_threshold(int ordinal, std::uint64_t nbytes) {
  cudaMemPool_t pool = nullptr;
  if (const int code = default_pool(&pool, ordinal); code != cudaSuccess) return code;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &nbytes);
}

int pool_trim(int ordinal, std::size_t keep_bytes) {
  cudaMemPool_t pool = nullptr;
  if (const int code = default_pool(&pool, ordinal); code != cudaSuccess) return code;
  return cudaMemPoolTrimTo(pool, keep_bytes);
}

// CUresult and cudaError_t use the same numbers for the errors that both have.

/// Uses the driver API: cudaSetDevice would replace a context that is not the device's primary one,
/// and restoring the previous device would create a context on device 0 if none was current.
int push_device(int ordinal) {
  static auto* const retain =
      driver_function<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain");
  static auto* const push = driver_function<CUresult(CUcontext)>("cuCtxPushCurrent");
  static std::atomic<CUcontext> contexts[max_devices];
  if (retain == nullptr || push == nullptr) return cudaErrorNotSupported;
  std::atomic<CUcontext>& cached_context = contexts[ordinal];
  if (const CUcontext context = cached_context.load(std::memory_order_acquire);
      context != nullptr && push(context) == CUDA_SUCCESS) {
    return cudaSuccess;
  }
  // First use, or another library has called cudaDeviceReset. The context is never released.
  CUcontext context = nullptr;
  if (const CUresult code = retain(&context, ordinal); code != CUDA_SUCCESS) return code;
  cached_context.store(context, std::memory_order_release);
  return push(context);
}

int pop_device() {
  static auto* const pop = driver_function<CUresult(CUcontext*)>("cuCtxPopCurrent");
  CUcontext last = nullptr;
  return pop != nullptr ? static_cast<int>(pop(&last)) : cudaErrorNotSupported;
}

/// True for memory mapped by cuMemMap. The next mapping in the address space may belong to the same
/// buffer (PyTorch's expandable segments), so the range of one mapping does not bound the buffer.
bool is_mapped_in_chunks(CUdeviceptr address) {
  static auto* const retain = driver_function<CUresult(CUmemGenericAllocationHandle*, void*)>(
      "cuMemRetainAllocationHandle");
  static auto* const release =
      driver_function<CUresult(CUmemGenericAllocationHandle)>("cuMemRelease");
  if (retain == nullptr || release == nullptr) return true;
  CUmemGenericAllocationHandle handle = 0;
  if (retain(&handle, reinterpret_cast<void*>(address)) != CUDA_SUCCESS) return false;
  release(handle);
  return true;
}

/// Finds the allocation that contains `data`. Leaves the range empty if the driver does not know
/// it, or if it may not bound the buffer.
void find_allocation(PointerAttributes* attributes, const void* data) {
  static auto* const ask =
      driver_function<CUresult(void*, CUpointer_attribute, CUdeviceptr)>("cuPointerGetAttribute");
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  CUdeviceptr start = 0;
  std::size_t nbytes = 0;
  if (ask == nullptr ||
      ask(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) != CUDA_SUCCESS ||
      ask(&nbytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address) != CUDA_SUCCESS ||
      is_mapped_in_chunks(address)) {
    return;
  }
  attributes->allocation = reinterpret_cast<void*>(start);
  attributes->allocation_bytes = nbytes;
}

/// Makes the context of the memory's device current if the thread has none, since
/// cudaPointerGetAttributes would create one on the current device (PyTorch found the same).
/// Converts to false for memory unknown to the driver.
class ContextOfPointer {
 public:
  explicit ContextOfPointer(const void* data) {
    static auto* const current = driver_function<CUresult(CUcontext*)>("cuCtxGetCurrent");
    static auto* const ask =
        driver_function<CUresult(void*, CUpointer_attribute, CUdeviceptr)>("cuPointerGetAttribute");
    CUcontext context = nullptr;
    if (current == nullptr || ask == nullptr || current(&context) != CUDA_SUCCESS) return;
    if (context != nullptr) return;
    int ordinal = -1;
    is_known_ = ask(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                    reinterpret_cast<CUdeviceptr>(data)) == CUDA_SUCCESS;
    pushed_ = is_known_ && ordinal >= 0 && push_device(ordinal) == cudaSuccess;
  }
  ContextOfPointer(const ContextOfPointer&) = delete;
  ContextOfPointer& operator=(const ContextOfPointer&) = delete;
  ~ContextOfPointer() {
    if (pushed_) pop_device();
  }
  explicit operator bool() const { return is_known_; }

 private:
  bool is_known_ = true;
  bool pushed_ = false;
};

int get_pointer_attributes(PointerAttributes* attributes, const void* data) {
  *attributes = {MemoryType::unregistered, -2, nullptr, const_cast<void*>(data), nullptr, 0};
  const ContextOfPointer inside(data);
  if (!inside) return cudaSuccess;
  cudaPointerAttributes native{};
  const cudaError_t code = cudaPointerGetAttributes(&native, data);
  if (code != cudaSuccess) return code;
  attributes->type = static_cast<MemoryType>(native.type);
  attributes->device = native.device;
  attributes->device_pointer = native.devicePointer;
  attributes->host_pointer = native.hostPointer;
  if (native.type != cudaMemoryTypeUnregistered) find_allocation(attributes, data);
  return cudaSuccess;
}

int stream_is_capturing(void* stream, int* capturing) {
  auto status = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(stream_of(stream), &status);
  *capturing = status != cudaStreamCaptureStatusNone ? 1 : 0;
  // While another stream is captured, the legacy stream can be neither queried nor used.
  if (code != cudaErrorStreamCaptureImplicit) return code;
  cudaGetLastError();
  *capturing = 1;
  return cudaSuccess;
}

/// Finds a stream's device by its context, for toolkits and drivers before 12.8, which can't query
/// the device of a stream.
int device_of_context(void* stream, int* ordinal) {
  static auto* const ask = driver_function<CUresult(CUstream, CUcontext*)>("cuStreamGetCtx");
  static auto* const push = driver_function<CUresult(CUcontext)>("cuCtxPushCurrent");
  static auto* const pop = driver_function<CUresult(CUcontext*)>("cuCtxPopCurrent");
  static auto* const current = driver_function<CUresult(CUdevice*)>("cuCtxGetDevice");
  if (ask == nullptr || push == nullptr || pop == nullptr || current == nullptr) {
    return cudaErrorNotSupported;
  }
  CUcontext context = nullptr;
  if (ask(stream_of(stream), &context) != CUDA_SUCCESS || push(context) != CUDA_SUCCESS) {
    return cudaErrorInvalidResourceHandle;
  }
  CUdevice device = -1;
  const CUresult status = current(&device);
  pop(&context);
  *ordinal = device;
  return status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

int stream_device(void* stream, int* ordinal) {
#if CUDART_VERSION >= 12080
  const cudaError_t code = cudaStreamGetDevice(stream_of(stream), ordinal);
  if (code != cudaErrorCallRequiresNewerDriver) return code;
  cudaGetLastError();
#endif
  return device_of_context(stream, ordinal);
}

cudaError_t find_captured_graph(cudaStream_t stream, cudaGraph_t* graph) {
  auto status = cudaStreamCaptureStatusNone;
#if CUDART_VERSION >= 13000
  const cudaError_t code =
      cudaStreamGetCaptureInfo(stream, &status, nullptr, graph, nullptr, nullptr, nullptr);
#else
  const cudaError_t code = cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, graph);
#endif
  if (code != cudaSuccess || status == cudaStreamCaptureStatusActive) return code;
  return cudaErrorIllegalState;
}

int stream_capture_retain(void* stream, void* data, void (*release)(void* data)) {
  cudaGraph_t graph = nullptr;
  cudaUserObject_t object = nullptr;
  cudaError_t code = find_captured_graph(stream_of(stream), &graph);
  if (code == cudaSuccess)
    code = cudaUserObjectCreate(&object, data, release, 1, cudaUserObjectNoDestructorSync);
  if (code != cudaSuccess) {
    release(data);
    return code;
  }
  code = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
  if (code != cudaSuccess) cudaUserObjectRelease(object, 1);
  return code;
}

int stream_end_capture(void* stream, void** graph) {
  cudaGraph_t captured = nullptr;
  int code = cudaStreamEndCapture(stream_of(stream), &captured);
  if (code != cudaSuccess || captured == nullptr) return code;
  if (graph != nullptr)
    code = cudaGraphInstantiate(reinterpret_cast<cudaGraphExec_t*>(graph), captured, 0);
  const cudaError_t destroyed = cudaGraphDestroy(captured);
  return code != cudaSuccess ? code : static_cast<int>(destroyed);
}

constexpr Api native_calls{
    .driver_version = [](int* version) -> int { return cudaDriverGetVersion(version); },
    .runtime_version = [](int* version) -> int { return cudaRuntimeGetVersion(version); },
    .device_count = [](int* count) -> int { return cudaGetDeviceCount(count); },
    .get_device = [](int* ordinal) -> int { return cudaGetDevice(ordinal); },
    .push_device = push_device,
    .pop_device = pop_device,
    .get_properties = get_properties,
    .memory_info = [](std::size_t* free_bytes, std::size_t* total_bytes) -> int {
      return cudaMemGetInfo(free_bytes, total_bytes);
    },
    .can_access_peer = [](int* can, int reader, int owner) -> int {
      return cudaDeviceCanAccessPeer(can, reader, owner);
    },
    .enable_peer_access = [](int owner) -> int { return cudaDeviceEnablePeerAccess(owner, 0); },
    .pool_allow_reader = pool_allow_reader,
    .device_synchronize = []() -> int { return cudaDeviceSynchronize(); },

    .allocate = [](void** data, std::size_t nbytes) -> int { return cudaMalloc(data, nbytes); },
    .allocate_managed = [](void** data, std::size_t nbytes) -> int {
      return cudaMallocManaged(data, nbytes);
    },
    .deallocate = [](void* data) -> int { return cudaFree(data); },
    .allocate_async = [](void** data, std::size_t nbytes, void* stream) -> int {
      return cudaMallocAsync(data, nbytes, stream_of(stream));
    },
    .deallocate_async = [](void* data, void* stream) -> int {
      return cudaFreeAsync(data, stream_of(stream));
    },
    .pool_set_release_threshold = pool_set_release_threshold,
    .pool_trim = pool_trim,
    .host_allocate = [](void** data, std::size_t nbytes) -> int {
      return cudaHostAlloc(data, nbytes, cudaHostAllocPortable | cudaHostAllocMapped);
    },
    .host_deallocate = [](void* data) -> int { return cudaFreeHost(data); },
    .host_register = [](void* data, std::size_t nbytes) -> int {
      return cudaHostRegister(data, nbytes, cudaHostRegisterPortable);
    },
    .host_unregister = [](void* data) -> int { return cudaHostUnregister(data); },
    .get_pointer_attributes = get_pointer_attributes,

    .copy_async = [](void* target, const void* source, std::size_t nbytes, CopyKind kind,
                     void* stream) -> int {
      return cudaMemcpyAsync(target, source, nbytes, static_cast<cudaMemcpyKind>(kind),
                             stream_of(stream));
    },
    .copy_peer_async = [](void* target, int target_ordinal, const void* source, int source_ordinal,
                          std::size_t nbytes, void* stream) -> int {
      return cudaMemcpyPeerAsync(target, target_ordinal, source, source_ordinal, nbytes,
                                 stream_of(stream));
    },
    .fill_async = [](void* target, int value, std::size_t nbytes, void* stream) -> int {
      return cudaMemsetAsync(target, value, nbytes, stream_of(stream));
    },
    .launch_host_function = [](void* stream, void (*function)(void*), void* data) -> int {
      return cudaLaunchHostFunc(stream_of(stream), function, data);
    },
    .launch_host_kernel = nullptr,

    .stream_create = [](void** stream) -> int {
      return cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t*>(stream),
                                       cudaStreamNonBlocking);
    },
    .stream_destroy = [](void* stream) -> int { return cudaStreamDestroy(stream_of(stream)); },
    .stream_synchronize = [](void* stream) -> int {
      return cudaStreamSynchronize(stream_of(stream));
    },
    .stream_query = [](void* stream) -> int { return cudaStreamQuery(stream_of(stream)); },
    .stream_wait_event = [](void* stream, void* event) -> int {
      return cudaStreamWaitEvent(stream_of(stream), event_of(event), 0);
    },
    .stream_is_capturing = stream_is_capturing,
    .stream_device = stream_device,
    .stream_begin_capture = [](void* stream) -> int {
      return cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeRelaxed);
    },
    .stream_end_capture = stream_end_capture,
    .stream_capture_retain = stream_capture_retain,
    .graph_launch = [](void* graph, void* stream) -> int {
      return cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(stream));
    },
    .graph_destroy = [](void* graph) -> int {
      return cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
    },
    .event_create = [](void** event) -> int {
      return cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(event),
                                      cudaEventDisableTiming);
    },
    .event_create_timed = [](void** event) -> int {
      return cudaEventCreate(reinterpret_cast<cudaEvent_t*>(event));
    },
    .event_destroy = [](void* event) -> int { return cudaEventDestroy(event_of(event)); },
    .event_record = [](void* event, void* stream) -> int {
      return cudaEventRecord(event_of(event), stream_of(stream));
    },
    .event_query = [](void* event) -> int { return cudaEventQuery(event_of(event)); },
    .event_synchronize = [](void* event) -> int { return cudaEventSynchronize(event_of(event)); },
    .event_elapsed = [](float* milliseconds, void* start, void* end) -> int {
      return cudaEventElapsedTime(milliseconds, event_of(start), event_of(end));
    },

    .ipc_export_memory = [](IpcHandle* handle, void* data) -> int {
      return cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(handle), data);
    },
    .ipc_open_memory = [](void** data, const IpcHandle* handle) -> int {
      cudaIpcMemHandle_t native;
      std::memcpy(&native, handle, sizeof native);
      return cudaIpcOpenMemHandle(data, native, cudaIpcMemLazyEnablePeerAccess);
    },
    .ipc_close_memory = [](void* data) -> int { return cudaIpcCloseMemHandle(data); },
    .event_create_shared = [](void** event) -> int {
      return cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(event),
                                      cudaEventDisableTiming | cudaEventInterprocess);
    },
    .ipc_export_event = [](IpcHandle* handle, void* event) -> int {
      return cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t*>(handle),
                                   event_of(event));
    },
    .ipc_open_event = [](void** event, const IpcHandle* handle) -> int {
      cudaIpcEventHandle_t native;
      std::memcpy(&native, handle, sizeof native);
      return cudaIpcOpenEventHandle(reinterpret_cast<cudaEvent_t*>(event), native);
    },

    .get_last_error = []() -> int { return cudaGetLastError(); },
    .error_name = [](int code) { return cudaGetErrorName(static_cast<cudaError_t>(code)); },
    .error_string = [](int code) { return cudaGetErrorString(static_cast<cudaError_t>(code)); },
};

}  // namespace

}  // namespace skerry::cuda

extern "C" __attribute__((visibility("default"))) const skerry::cuda::ModuleInterface*
skerry_cuda_module(int abi_version) {
  if (abi_version != skerry::cuda::module_abi_version) return nullptr;
  static const skerry::cuda::ModuleInterface interface{
      .abi_version = skerry::cuda::module_abi_version,
      .calls = &skerry::cuda::native_calls,
      .fill_kernels = skerry_cuda_fill_kernels,
      .architectures = SKERRY_CUDA_ARCHITECTURES,
      .compiled_by_nvcc = skerry::cuda::compiled_by_nvcc,
      .runtime_version = CUDART_VERSION,
  };
  return &interface;
}
