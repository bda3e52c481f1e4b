// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "core/device.hpp"
#include "core/errors.hpp"
#include "device/cuda/api.hpp"
#include "device/host_action.hpp"
#include "device/outer_lock.hpp"
#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"

/// The state of CUDA in this process, found at first use: one DeviceState per logical device. Never
/// destroyed, because arrays may be freed after main() has ended.
namespace skerry::cuda {

class DeferredErrors;
class Pool;
class Staging;
class StreamSet;

/// How copies between two devices are made.
enum class Route : std::uint8_t { unknown, direct, staged };

/// One logical device.
struct DeviceState {
  Device device;
  int ordinal = 0;  ///< in the CUDA runtime; shared by the logical devices of one GPU
  DeviceProperties properties{};
  bool has_kernels = true;   ///< the module was compiled for this GPU
  bool keeps_blocks = true;  ///< freed memory is cached for later arrays

  /// The device has a context and may have skerry's work. Waiting for a device without a context
  /// would create one.
  std::atomic<bool> in_use{false};

  /// Set once by the first fatal error: the text of the error that every later use throws.
  std::atomic<const std::string*> first_cause{nullptr};
  std::atomic<int> lost_code{0};

  std::unique_ptr<Pool> memory;
  std::unique_ptr<Staging> chunks;
  std::unique_ptr<StreamSet> streams;
  std::unique_ptr<DeferredErrors> deferred;
  std::array<std::atomic<Route>, max_devices> routes{};  ///< indexed by source device
  /// For each device that work here was ordered after, the number of its next deferred error at
  /// that time: data read here may depend on kernels whose errors have lower numbers.
  std::array<std::atomic<std::uint64_t>, max_devices> sources{};

  DeviceState();
  ~DeviceState();

  [[nodiscard]] bool lost() const noexcept {
    return lost_code.load(std::memory_order_relaxed) != 0;
  }
};

namespace detail {

/// Devices that can be used: -1 before the first use, 0 after a fork or shut_down().
extern std::atomic<int> usable_count;
extern DeviceState* states[max_devices];
extern std::atomic<const Api*> table;
[[nodiscard]] DeviceState& use_slowly(Device device);

}  // namespace detail

/// Returns the state of a usable CUDA device; throws what require() throws.
[[nodiscard]] inline DeviceState& usable_state(Device device) {
  if (device.index >= 0 && device.index < detail::usable_count.load(std::memory_order_acquire))
      [[likely]] {
    DeviceState& device_state = *detail::states[device.index];
    if (!device_state.lost()) [[likely]]
      return device_state;
  }
  return detail::use_slowly(device);
}

/// The same for a device that may be lost, for statistics.
[[nodiscard]] DeviceState& look_at(Device device);

/// True if calls are allowed: false before first use, in a forked child and after shut_down().
[[nodiscard]] inline bool alive() noexcept {
  return detail::usable_count.load(std::memory_order_acquire) > 0;
}

/// Returns the table of entry points; valid after usable_state() or look_at() has returned once.
[[nodiscard]] inline const Api& calls() noexcept {
  // Acquire: counting and process exit fill another table and then switch to it.
  return *detail::table.load(std::memory_order_acquire);
}

/// Calls an entry point of the table. An ignored status is a warning. Calls that may wait release
/// the outer lock, so the only mutex that their caller may hold is a WaitingMutex. A wait that is
/// not part of an announced action is announced here, as one for page-locked memory: other callers
/// announce theirs.
template <auto Entry, class... Args>
[[nodiscard]] int call(Args... args) noexcept {
  if constexpr (always_waits<Entry>) {
    const Announcement announcement([] { return internal_wait("page-locked memory", Device{}); });
    int code = success;
    {
      const WithoutOuterLock waiting;
      code = (calls().*Entry)(args...);
    }
    if (code == success) count_wait();
    return code;
  } else if constexpr (may_wait<Entry>) {
    const WithoutOuterLock waiting;
    return (calls().*Entry)(args...);
  } else {
    return (calls().*Entry)(args...);
  }
}

/// Clears the runtime's last error, which would otherwise be reported for an unrelated launch.
inline void clear_last_error() noexcept { static_cast<void>(call<&Api::get_last_error>()); }

[[noreturn]] void fail(int code, DeviceState& device_state, const char* operation);

/// Throws the error of a failed status: DeviceError (after a fatal one the device is lost),
/// OutOfMemoryError or DeviceUnavailableError. `operation` says what was attempted.
inline void check(int code, DeviceState& device_state, const char* operation) {
  if (code != success) [[unlikely]]
    fail(code, device_state, operation);
}

/// Returns true on success and records a fatal error; the caller handles the failure.
[[nodiscard]] bool succeeded(int code, DeviceState& device_state, const char* operation) noexcept;
/// The same for calls whose failure matters only if it is fatal: other failures at worst leak
/// memory or driver objects.
inline void note_failure(int code, DeviceState& device_state, const char* operation) noexcept {
  static_cast<void>(succeeded(code, device_state, operation));
}

/// Makes lost rehearsed devices usable again, for tests of losses. A GPU stays lost.
void clear_losses() noexcept;

/// Makes a device current during its lifetime, then restores the previous one.
class DeviceGuard {
 public:
  explicit DeviceGuard(DeviceState& target);
  DeviceGuard(DeviceState& target, const std::nothrow_t&) noexcept;
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

  [[nodiscard]] bool ok() const noexcept { return code_ == success; }
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int enter(DeviceState& target) noexcept;

  bool pushed_ = false;
  int code_ = success;
};

/// True if another library captures a stream into a graph. Requires the device to be current.
/// Throws DeviceError.
[[nodiscard]] bool is_in_foreign_capture(DeviceState& device_state, void* stream,
                                         const char* operation);
/// Throws ValueError if another library captures a stream, for calls that wait or that can't be
/// part of its graph. Requires the device to be current.
void reject_capture(DeviceState& device_state, void* stream, const char* operation);

/// Waits for all work on a device. Returns false if the device is lost; a device that can't be
/// waited for becomes lost, since the state of its memory is unknown. Also returns false while a
/// stream is being captured into a graph.
[[nodiscard]] bool finish_work(DeviceState& device_state) noexcept;

/// Records that work of `later` is ordered after the work enqueued for `earlier` so far.
void note_dependency(DeviceState& later, const DeviceState& earlier) noexcept;

/// Returns a device for calls that concern all devices; null if none is in use and not lost.
[[nodiscard]] DeviceState* first_in_use() noexcept;

// Used by the registry.

/// Finds the devices; makes the first CUDA call of the process.
void probe() noexcept;
/// Returns the number of devices that the probe found; unchanged by a fork.
[[nodiscard]] int count() noexcept;
[[nodiscard]] std::optional<CudaFailure> probe_failure();
[[nodiscard]] bool used() noexcept;
void plan_rehearsal(int count, RehearsedKernels kernels);
[[nodiscard]] bool rehearsing() noexcept;
[[nodiscard]] RehearsedKernels kernels_of_rehearsal() noexcept;
void rehearse_float64(bool is_there) noexcept;
[[nodiscard]] int driver_version() noexcept;
[[nodiscard]] int runtime_version() noexcept;
void shut_down() noexcept;

/// Returns how to copy from `source_state` to `target_state`; checks and enables peer access the
/// first time.
[[nodiscard]] Route route_between(DeviceState& target_state, DeviceState& source_state);

}  // namespace skerry::cuda
