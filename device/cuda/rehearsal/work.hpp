// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/api.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::rehearsal {

/// Frees `data` when the work before it has run.
[[nodiscard]] int submit_free(machine& all, queue& on, void* data);
/// Makes later work wait for a point of another stream.
[[nodiscard]] int submit_wait(queue& on, const mark& point);
/// Enqueues a task on a stream whose device is current, as a kernel is launched.
int launch_task(void* handle, std::unique_ptr<task> job);
/// Notes the time when the work before it has run.
[[nodiscard]] int submit_time(queue& on, simulated_event& into);

// Entry points of cuda::api.
int copy_async(void* target, const void* source, std::size_t nbytes, cuda::copy_kind kind,
               void* handle);
int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* handle);
int fill_async(void* target, int value, std::size_t nbytes, void* handle);
int launch_host_function(void* handle, void (*function)(void* data), void* data);
int launch_host_kernel(void (*kernel)(const void* params), const void* params,
                       std::size_t params_size, void* handle);

}  // namespace skerry::rehearsal
