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
#include "device/outer_lock.hpp"
#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"

/// CUDA in this process: found at first use, one state per logical device, all of it never
/// destroyed because arrays may be freed after main() has ended.
namespace skerry::cuda {

class DeferredErrors;
class Pool;
class Staging;
class StreamSet;

/// How bytes get from one device to another.
enum class Route : std::uint8_t { unknown, direct, staged };

/// One logical device.
struct DeviceState {
  Device device;
  int ordinal = 0;  ///< of the CUDA runtime; shared by the logical devices of one GPU
  DeviceProperties properties{};
  bool has_kernels = true;   ///< the module was compiled for this GPU
  bool keeps_blocks = true;  ///< memory that was freed, for later arrays

  /// There may be work of ours, and there is a context. To wait for a device without would make
  /// one.
  std::atomic<bool> in_use{false};

  /// Set once, by the first fatal error: the text of the errors that every later use gives.
  std::atomic<const std::string*> first_cause{nullptr};
  std::atomic<int> lost_code{0};

  std::unique_ptr<Pool> memory;
  std::unique_ptr<Staging> chunks;
  std::unique_ptr<StreamSet> streams;
  std::unique_ptr<DeferredErrors> deferred;
  std::array<std::atomic<Route>, max_devices> routes{};  ///< from the device of that index
  /// For each device that work here has come after, the number of its next deferred error then: the
  /// errors before may be in what is read here.
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

/// The state of a CUDA device that is usable now; throws what require() throws.
[[nodiscard]] inline DeviceState& usable_state(Device device) {
  if (device.index >= 0 && device.index < detail::usable_count.load(std::memory_order_acquire))
      [[likely]] {
    DeviceState& device_state = *detail::states[device.index];
    if (!device_state.lost()) [[likely]]
      return device_state;
  }
  return detail::use_slowly(device);
}

/// The same, of a device that may be lost, for statistics.
[[nodiscard]] DeviceState& look_at(Device device);

/// Whether calls may be made at all: false before first use, in a forked child and after
/// shut_down().
[[nodiscard]] inline bool alive() noexcept {
  return detail::usable_count.load(std::memory_order_acquire) > 0;
}

/// The table of entry points; only after use() has returned once.
[[nodiscard]] inline const Api& calls() noexcept {
  // Counting and the end of a process put tables in its place that they have just filled.
  return *detail::table.load(std::memory_order_acquire);
}

/// The only way of calling: a status that nobody looks at is a warning, and what may wait does so
/// without the outer lock. No mutex is held then but a WaitingMutex.
template <auto Entry, class... Args>
[[nodiscard]] int call(Args... args) noexcept {
  if constexpr (may_wait<Entry>) {
    const WithoutOuterLock waiting;
    return (calls().*Entry)(args...);
  } else {
    return (calls().*Entry)(args...);
  }
}

/// A failure that is left in the runtime's error slot would be blamed on somebody else's launch.
inline void clear_last_error() noexcept { static_cast<void>(call<&Api::get_last_error>()); }

[[noreturn]] void fail(int code, DeviceState& device_state, const char* operation);

/// Turns a failed status into DeviceError (the device is lost after a fatal one),
/// OutOfMemoryError or DeviceUnavailableError. `operation` names what was being done.
inline void check(int code, DeviceState& device_state, const char* operation) {
  if (code != success) [[unlikely]]
    fail(code, device_state, operation);
}

/// Remembers a fatal error; the caller sees to what it means that the call failed.
[[nodiscard]] bool succeeded(int code, DeviceState& device_state, const char* operation) noexcept;
/// The same where nothing depends on the call but what the device or the driver holds too much.
inline void note_failure(int code, DeviceState& device_state, const char* operation) noexcept {
  static_cast<void>(succeeded(code, device_state, operation));
}

/// Takes lost devices into use again, for tests of what happens when a rehearsed one is lost. A GPU
/// stays lost.
void clear_losses() noexcept;

/// Makes a device current, and the one that was current before again at its end.
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

/// A graph would keep the addresses of memory that goes back to the pool when the call is over:
/// what replays it later overwrites whoever has that memory then. With the device current; throws
/// ValueError for a stream that is captured.
void reject_capture(DeviceState& device_state, void* stream, const char* operation);

/// Waits for all work on a device. False if it is lost, which it is, too, when it can't be waited
/// for: nobody knows then what its memory holds, and when it is free. False as well while a stream
/// is captured into a graph.
[[nodiscard]] bool finish_work(DeviceState& device_state) noexcept;

/// Work of `later` comes after what was enqueued for `earlier` by now.
void note_dependency(DeviceState& later, const DeviceState& earlier) noexcept;

/// For calls that concern all devices; null if none is both in use and not lost.
[[nodiscard]] DeviceState* first_in_use() noexcept;

// What the registry asks.

/// Finds the devices; makes the first CUDA call of the process.
void probe() noexcept;
/// Counted by the probe; stays after a fork.
[[nodiscard]] int count() noexcept;
[[nodiscard]] std::optional<CudaFailure> probe_failure();
[[nodiscard]] bool used() noexcept;
void plan_rehearsal(int count, RehearsedKernels kernels);
[[nodiscard]] bool rehearsing() noexcept;
[[nodiscard]] RehearsedKernels kernels_of_rehearsal() noexcept;
[[nodiscard]] int driver_version() noexcept;
[[nodiscard]] int runtime_version() noexcept;
void shut_down() noexcept;

/// Whether bytes go directly from the memory of `source_state` to that of `target_state`; asks and
/// enables peer access the first time.
[[nodiscard]] Route route_between(DeviceState& target_state, DeviceState& source_state);

}  // namespace skerry::cuda
