// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "device/cuda/api.hpp"

/// The CUDA runtime simulated on the host, and the controls with which tests make it fail. Misuse
/// that would fail on a GPU returns CUDA's error code.
namespace skerry::rehearsal {

/// Returns the simulated runtime; the first call reads the SKERRY_REHEARSE_* variables.
[[nodiscard]] const cuda::Api* calls_table() noexcept;

/// Sets the number of devices; only before the first call.
void set_device_count(int count) noexcept;

/// An entry point, identified by its index in cuda::Api. Queries of error names and texts are not
/// counted and never fail.
struct Entry {
  std::size_t index;
  template <class Function>
  Entry(Function* cuda::Api::* entry_point) noexcept
      : index(std::bit_cast<std::size_t>(entry_point) / sizeof(Function*)) {}
  [[nodiscard]] bool operator==(const Entry&) const = default;
};

/// Makes the k-th call from now on (1: the next one) return `code` instead of doing its work. With
/// `sticky`, the device that is current then returns it from every later call, as CUDA does after
/// an illegal address. (SKERRY_REHEARSE_FAIL="k=5,code=700,sticky" does the same at start.)
void fail_call(std::uint64_t k, int code, bool sticky = false) noexcept;
/// The same, counting calls of one entry point only.
void fail_entry(Entry entry, std::uint64_t k, int code, bool sticky = false) noexcept;
/// Cancels a planned failure and clears sticky errors.
void clear() noexcept;
/// Returns the number of calls since start, or since the last fail_call(), fail_entry() or clear().
[[nodiscard]] std::uint64_t calls() noexcept;
/// Returns the number of calls of one entry point since start.
[[nodiscard]] std::uint64_t calls(Entry entry) noexcept;

/// Delays each work item before it runs (SKERRY_REHEARSE_DELAY_US), by a fixed time or a random one
/// between two bounds.
void set_delay(int microseconds) noexcept;
void set_delay(int min_us, int max_us) noexcept;
/// Makes a stream count as being captured into a graph; null for none. Nothing is recorded.
void set_captured(void* stream) noexcept;
/// Sets the memory of each device (SKERRY_REHEARSE_MEMORY); lowering it keeps what is allocated.
void set_memory(std::size_t nbytes) noexcept;

/// cudaSetDevice, for simulating other libraries in the process; skerry never calls it. Returns a
/// status.
int set_device(int ordinal) noexcept;
/// True if a context was created on a device.
[[nodiscard]] bool has_context(int ordinal) noexcept;

/// Returns the number of live blocks on one device or on the host (ordinal -1), for leak tests.
[[nodiscard]] std::size_t live_blocks(int ordinal) noexcept;
[[nodiscard]] std::size_t live_bytes(int ordinal) noexcept;
/// Return the number of copies between devices: direct ones, and those through the host for lack of
/// peer access.
[[nodiscard]] std::uint64_t direct_copies() noexcept;
[[nodiscard]] std::uint64_t staged_copies() noexcept;

/// Returns the number of calls that waited for a device.
[[nodiscard]] std::uint64_t waits() noexcept;
/// Return the bytes copied between the host and devices, and between different devices.
[[nodiscard]] std::uint64_t host_to_device_bytes() noexcept;
[[nodiscard]] std::uint64_t device_to_host_bytes() noexcept;
[[nodiscard]] std::uint64_t device_to_device_bytes() noexcept;

/// Registers a function that each thread calls after it has waited for a device's work.
void call_after_waiting(void (*function)() noexcept) noexcept;

/// Simulates the end of the process: lets running work end and drops the rest, now and from now on.
/// Later calls are counted; on the calling thread, which ends the process, they fail with
/// runtime_unloading, and on other threads they never return.
void finish() noexcept;
[[nodiscard]] std::uint64_t calls_after_finish() noexcept;

/// Controls of a simulation: this library's own, or that of the emulated GPU, which is a separate
/// library.
using Controls = ::skerry_simulation_controls;
/// The functions above.
inline constexpr Controls own_controls{
    .set_device_count = set_device_count,
    .fail_call = fail_call,
    .clear = clear,
    .calls = calls,
    .set_delay = set_delay,
    .set_captured = set_captured,
    .set_device = set_device,
    .has_context = has_context,
    .finish = finish,
};

}  // namespace skerry::rehearsal
