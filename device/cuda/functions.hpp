// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/backend.hpp"
#include "device/memory_resource.hpp"
#include "device/registry.hpp"
#include "device/transfer.hpp"

/// The functions of the CUDA backend, grouped as in device/backend.hpp.
namespace skerry::cuda {

inline constexpr DeviceKind kind = cuda_kind;
inline constexpr Device first_device{kind, 0};

int count_devices();
void require_device(Device device);
DeviceInfo describe(Device device);
int ordinal_of(Device device);

StorageRef allocate(Device device, std::size_t nbytes);
StorageRef allocate_managed(Device device, std::size_t nbytes);
StorageRef allocate_empty(Device device);
MemoryStatistics statistics(Device device);
void reset_peak(Device device);
void set_memory_limit(Device device, std::size_t nbytes);
std::size_t trim(Device device);
StorageRef adopt(Device device, const ForeignMemory& foreign_memory);
void set_memory_resource(Device device, std::shared_ptr<MemoryResource> resource);
void* allocate_block(Device device, std::size_t nbytes, void* stream);
bool free_block(void* data, void* stream) noexcept;

std::shared_ptr<void> create_stream(Device device);
void synchronize_stream(Device device, void* handle);
bool is_idle(Device device, void* handle);
void wait_for_stream(Device later, void* handle, Device earlier, void* earlier_handle);
void synchronize_device(Device device);
Stream current_stream(Device device);
void* current_stream_handle(Device device) noexcept;
void set_current_stream(const Stream& stream);

std::shared_ptr<void> create_event(Device device);
void record_event(Device device, void* event, void* handle);
void wait_for_event(Device waiting, void* handle, Device event_device, void* event);
void synchronize_event(Device device, void* event);
bool is_event_done(Device device, void* event);
double elapsed(Device device, void* start, void* end);

void copy_from_host(const StorageRef& target, char* target_data, const StorageRef& source,
                    const char* source_data, std::size_t nbytes);
void copy_to_host(char* target_data, bool to_page_locked, const StorageRef& source,
                  const char* source_data, std::size_t nbytes);
void copy_between(const StorageRef& target, char* target_data, const StorageRef& source,
                  const char* source_data, std::size_t nbytes);
[[nodiscard]] bool does_from_host_wait(Device target, const Storage* source, std::size_t nbytes);
std::unique_ptr<UploadChunks> open_upload(const StorageRef& target);

std::int64_t* add_deferred(Device device, const DeferredError& error);
void close_deferred(Device device, const std::int64_t* word) noexcept;

void* make_ready_on_legacy(Storage& memory);
void make_ready_on(Storage& memory, void* stream);
void make_ready_on_current(Storage& memory);
void note_import_on_current(Storage& memory);
void make_ready_on_host(const StorageRef& memory);
PointerInfo inspect_pointer(const void* data);
int ordinal_of_stream(Device device, void* handle);
std::shared_ptr<void> make_device_current(Device device);

void launch(Device device, const AnyKernel& entry, const void* params, std::size_t params_size,
            std::span<const MemoryUse> uses);

/// SKERRY_SYNC=1: waits after each launch, so that the call that caused an error reports it.
[[nodiscard]] bool waits_after_launch() noexcept;
std::shared_ptr<Graph> begin_capture(std::span<const Device> devices);

/// The backend of GPUs; also in place until the first use of CUDA finds the devices.
extern const Backend native_backend;
/// The backend of rehearsed devices, which run the kernels' host forms on one thread per stream.
extern const Backend rehearsed_backend;
/// The same two for devices without float64 and complex128, which are always rehearsed ones.
extern const Backend native_backend_without_float64;
extern const Backend rehearsed_backend_without_float64;

/// Called by the probe: selects one of the backends.
void use_backend(const Backend& backend) noexcept;

}  // namespace skerry::cuda
