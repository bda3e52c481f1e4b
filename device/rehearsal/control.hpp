// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "device/cuda/api.hpp"

/// The CUDA runtime simulated on the host, and the handles by which tests make it fail. Misuse that
/// a GPU would punish gives the error code that CUDA gives.
namespace skerry::rehearsal {

/// The simulated runtime; the first call reads the SKERRY_REHEARSE_* variables.
[[nodiscard]] const cuda::Api* calls_table() noexcept;

/// How many devices there are; before the first call only.
void set_device_count(int count) noexcept;

/// An entry point, by its place in cuda::api. Questions for names and texts of errors are not
/// counted and never fail.
struct Entry {
  std::size_t index;
  template <class Function>
  Entry(Function* cuda::Api::* entry_point) noexcept
      : index(std::bit_cast<std::size_t>(entry_point) / sizeof(Function*)) {}
  [[nodiscard]] bool operator==(const Entry&) const = default;
};

/// Makes call number `k` from now on (1: the next one) return `code` instead of doing its work.
/// With `sticky`, the device that is current then answers every later call with it, as CUDA does
/// after an illegal address. (SKERRY_REHEARSE_FAIL="k=5,code=700,sticky" does the same at start.)
void fail_call(std::uint64_t k, int code, bool sticky = false) noexcept;
/// The same, counting calls of one entry point only.
void fail_entry(Entry entry, std::uint64_t k, int code, bool sticky = false) noexcept;
/// Disarms, repairs devices with sticky errors.
void clear() noexcept;
/// Calls since start or since the last fail_call.
[[nodiscard]] std::uint64_t calls() noexcept;
/// Calls of one entry point since start.
[[nodiscard]] std::uint64_t calls(Entry entry) noexcept;

/// Makes every piece of work wait before it runs (SKERRY_REHEARSE_DELAY_US), each for another time
/// between two.
void set_delay(int microseconds) noexcept;
void set_delay(int min_us, int max_us) noexcept;
/// Makes a stream count as being captured into a graph; null for none. Nothing is recorded.
void set_captured(void* stream) noexcept;
/// Memory of each device, SKERRY_REHEARSE_MEMORY; lowering it leaves what is allocated.
void set_memory(std::size_t nbytes) noexcept;

/// cudaSetDevice, which skerry never calls: what other libraries in the process do. A status.
int set_device(int ordinal) noexcept;
/// Whether anything has made a context on a device.
[[nodiscard]] bool has_context(int ordinal) noexcept;

/// What a leak test compares: blocks that were allocated and not freed, on one device or on the
/// host (ordinal -1).
[[nodiscard]] std::size_t live_blocks(int ordinal) noexcept;
[[nodiscard]] std::size_t live_bytes(int ordinal) noexcept;
/// Copies between devices that went directly, or through the host for want of peer access.
[[nodiscard]] std::uint64_t direct_copies() noexcept;
[[nodiscard]] std::uint64_t staged_copies() noexcept;

/// Called by every thread that has waited for work of a device.
void call_after_waiting(void (*function)() noexcept) noexcept;

/// Lets the work that runs end and drops the rest, now and from now on. Calls after it are counted;
/// they fail with runtime_unloading on the thread that called this, which ends the process, and on
/// others they never return: as if the process had ended.
void finish() noexcept;
[[nodiscard]] std::uint64_t calls_after_finish() noexcept;

/// What the library asks of a simulation beside calls: its own, or that of the emulated GPU, which
/// is in a library of its own.
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
