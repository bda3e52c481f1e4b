// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/backend.hpp"
#include "device/registry.hpp"
#include "device/transfer.hpp"

/// What CUDA's backend is made of, by the groups of device/backend.hpp.
namespace skerry::cuda {

inline constexpr DeviceKind kind = cuda_kind;
inline constexpr Device first_device{kind, 0};

int count_devices();
void require_device(Device where);
DeviceInfo describe(Device where);
int ordinal_of(Device where);

StorageRef allocate(Device where, std::size_t nbytes);
StorageRef allocate_empty(Device where);
MemoryStatistics statistics(Device where);
void reset_peak(Device where);
void set_memory_limit(Device where, std::size_t nbytes);
std::size_t trim(Device where);
StorageRef adopt(Device where, const ForeignMemory& from);

std::shared_ptr<void> create_stream(Device where);
void synchronize_stream(Device where, void* handle);
bool is_idle(Device where, void* handle);
void wait_for_stream(Device later, void* handle, Device earlier, void* earlier_handle);
void synchronize_device(Device where);
Stream current_stream(Device where);
void* current_stream_handle(Device where) noexcept;
void set_current_stream(const Stream& to);

std::shared_ptr<void> create_event(Device where);
void record_event(Device where, void* event, void* handle);
void wait_for_event(Device waiting, void* handle, Device where, void* event);
void synchronize_event(Device where, void* event);
bool is_event_done(Device where, void* event);
double elapsed(Device where, void* start, void* end);

void copy_from_host(const StorageRef& target, char* to, const StorageRef& source, const char* from,
                    std::size_t nbytes);
void copy_to_host(char* to, bool to_page_locked, const StorageRef& source, const char* from,
                  std::size_t nbytes);
void copy_between(const StorageRef& target, char* to, const StorageRef& source, const char* from,
                  std::size_t nbytes);
std::unique_ptr<UploadPieces> open_upload(const StorageRef& target);

std::int64_t* add_deferred(Device where, const DeferredError& error);
void close_deferred(Device where, const std::int64_t* word) noexcept;

void* make_ready(Storage& memory);
void make_ready_on(Storage& memory, void* stream);
void make_ready_on_current(Storage& memory);
void come_after_current(Storage& memory);
PointerFacts inspect_pointer(const void* data);
int ordinal_of_stream(Device where, void* handle);
std::shared_ptr<void> make_current(Device where);

void launch(Device where, const Kernel& entry, const void* params, std::size_t params_size,
            std::span<const MemoryUse> uses);

/// CUDA devices, and what stands for them until the first use of one tells which there are.
extern const Backend native_backend;
/// The same devices where their kernels' host forms run, on a thread for each stream.
extern const Backend rehearsed_backend;

/// By the probe: which of the two is in use from now on.
void use_backend(const Backend& chosen) noexcept;

}  // namespace skerry::cuda
