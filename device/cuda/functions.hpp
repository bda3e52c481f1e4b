// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/backend.hpp"
#include "device/registry.hpp"
#include "device/transfer.hpp"

/// What CUDA's backend is made of, by the groups of device/backend.hpp.
namespace skerry::cuda {

inline constexpr device_kind kind = cuda_kind;
inline constexpr device first_device{kind, 0};

int count_devices();
void require_device(device where);
device_info describe(device where);
int ordinal_of(device where);

storage_ref allocate(device where, std::size_t nbytes);
storage_ref allocate_empty(device where);
memory_statistics statistics(device where);
void reset_peak(device where);
void set_memory_limit(device where, std::size_t nbytes);
std::size_t trim(device where);
storage_ref adopt(device where, const foreign_memory& from);

std::shared_ptr<void> create_stream(device where);
void synchronize_stream(device where, void* handle);
bool is_idle(device where, void* handle);
void wait_for_stream(device later, void* handle, device earlier, void* earlier_handle);
void synchronize_device(device where);
stream current_stream(device where);
void* current_stream_handle(device where) noexcept;
void set_current_stream(const stream& to);

std::shared_ptr<void> create_event(device where);
void record_event(device where, void* event, void* handle);
void wait_for_event(device waiting, void* handle, device where, void* event);
void synchronize_event(device where, void* event);
bool is_event_done(device where, void* event);
double elapsed(device where, void* start, void* end);

void copy_from_host(const storage_ref& target, char* to, const storage_ref& source,
                    const char* from, std::size_t nbytes);
void copy_to_host(char* to, bool to_page_locked, const storage_ref& source, const char* from,
                  std::size_t nbytes);
void copy_between(const storage_ref& target, char* to, const storage_ref& source, const char* from,
                  std::size_t nbytes);
std::unique_ptr<upload_pieces> open_upload(const storage_ref& target);

std::int64_t* add_deferred(device where, const deferred_error& error);
void close_deferred(device where, const std::int64_t* word) noexcept;

void* make_ready(storage& memory);
void make_ready_on(storage& memory, void* stream);
void make_ready_on_current(storage& memory);
void come_after_current(storage& memory);
pointer_facts inspect_pointer(const void* data);
int ordinal_of_stream(device where, void* handle);
std::shared_ptr<void> make_current(device where);

void launch(device where, const kernel& entry, const void* params, std::size_t params_size,
            std::span<const memory_use> uses);

/// CUDA devices, and what stands for them until the first use of one tells which there are.
extern const backend native_backend;
/// The same devices where their kernels' host forms run, on a thread for each stream.
extern const backend rehearsed_backend;

/// By the probe: which of the two is in use from now on.
void use_backend(const backend& chosen) noexcept;

}  // namespace skerry::cuda
