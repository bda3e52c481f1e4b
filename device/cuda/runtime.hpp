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

/// CUDA in this process: found at first use, one state per logical device, all of it never
/// destroyed because arrays may be freed after main() has ended.
namespace skerry::cuda {

class deferred_errors;
class pool;
class staging;
class stream_set;

/// How bytes get from one device to another.
enum class route : std::uint8_t { unknown, direct, staged };

/// One logical device.
struct device_state {
  device where;
  int ordinal = 0;  ///< of the CUDA runtime; shared by the logical devices of one GPU
  device_properties properties{};
  bool has_kernels = true;   ///< the module was compiled for this GPU
  bool keeps_blocks = true;  ///< memory that was freed, for later arrays

  /// There may be work of ours, and there is a context. To wait for a device without would make
  /// one.
  std::atomic<bool> in_use{false};

  /// Set once, by the first fatal error: the text of the errors that every later use gives.
  std::atomic<const std::string*> first_cause{nullptr};
  std::atomic<int> lost_code{0};

  std::unique_ptr<pool> memory;
  std::unique_ptr<staging> chunks;
  std::unique_ptr<stream_set> streams;
  std::unique_ptr<deferred_errors> deferred;
  std::array<std::atomic<route>, most_devices> routes{};  ///< from the device of that index
  /// For each device that work here has come after, the number of its next deferred error then: the
  /// errors before may be in what is read here.
  std::array<std::atomic<std::uint64_t>, most_devices> sources{};

  device_state();
  ~device_state();

  [[nodiscard]] bool lost() const noexcept {
    return lost_code.load(std::memory_order_relaxed) != 0;
  }
};

namespace detail {

/// Devices that can be used: -1 before the first use, 0 after a fork or shut_down().
extern std::atomic<int> usable_count;
extern device_state* states[most_devices];
extern std::atomic<const api*> table;
[[nodiscard]] device_state& use_slowly(device where);

}  // namespace detail

/// The state of a CUDA device that is usable now; throws what require() throws.
[[nodiscard]] inline device_state& use(device where) {
  if (where.index >= 0 && where.index < detail::usable_count.load(std::memory_order_acquire))
      [[likely]] {
    device_state& found = *detail::states[where.index];
    if (!found.lost()) [[likely]]
      return found;
  }
  return detail::use_slowly(where);
}

/// The same, of a device that may be lost, for statistics.
[[nodiscard]] device_state& look_at(device where);

/// Whether calls may be made at all: false before first use, in a forked child and after
/// shut_down().
[[nodiscard]] inline bool alive() noexcept {
  return detail::usable_count.load(std::memory_order_acquire) > 0;
}

/// The table of entry points; only after use() has returned once.
[[nodiscard]] inline const api& calls() noexcept {
  // Counting and the end of a process put tables in its place that they have just filled.
  return *detail::table.load(std::memory_order_acquire);
}

/// The only way of calling: a status that nobody looks at is a warning, and what may wait does so
/// without the outer lock. No mutex is held then but a waiting_mutex.
template <auto Entry, class... Args>
[[nodiscard]] int call(Args... args) noexcept {
  if constexpr (may_wait<Entry>) {
    const without_outer_lock waiting;
    return (calls().*Entry)(args...);
  } else {
    return (calls().*Entry)(args...);
  }
}

/// A failure that is left in the runtime's error slot would be blamed on somebody else's launch.
inline void forget_last_error() noexcept { static_cast<void>(call<&api::get_last_error>()); }

[[noreturn]] void fail(int code, device_state& on, const char* what);

/// Turns a failed status into device_error (the device is lost after a fatal one),
/// out_of_memory_error or device_unavailable_error. `what` names what was being done.
inline void check(int code, device_state& on, const char* what) {
  if (code != success) [[unlikely]]
    fail(code, on, what);
}

/// Remembers a fatal error; the caller sees to what it means that the call failed.
[[nodiscard]] bool succeeded(int code, device_state& on, const char* what) noexcept;
/// The same where nothing depends on the call but what the device or the driver holds too much.
inline void note_failure(int code, device_state& on, const char* what) noexcept {
  static_cast<void>(succeeded(code, on, what));
}

/// Takes lost devices into use again, for tests of what happens when a rehearsed one is lost. A GPU
/// stays lost.
void forget_losses() noexcept;

/// Makes a device current, and the one that was current before again at its end.
class device_guard {
 public:
  explicit device_guard(device_state& target);
  device_guard(device_state& target, const std::nothrow_t&) noexcept;
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard();

  [[nodiscard]] bool ok() const noexcept { return code_ == success; }
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int enter(device_state& target) noexcept;

  bool pushed_ = false;
  int code_ = success;
};

/// A graph would keep the addresses of memory that goes back to the pool when the call is over:
/// what replays it later overwrites whoever has that memory then. With the device current; throws
/// value_error for a stream that is captured.
void refuse_capture(device_state& on, void* stream, const char* what);

/// Waits for all work on a device. False if it is lost, which it is, too, when it can't be waited
/// for: nobody knows then what its memory holds, and when it is free. False as well while a stream
/// is captured into a graph.
[[nodiscard]] bool finish_work(device_state& on) noexcept;

/// Work of `later` comes after what was enqueued for `earlier` by now.
void note_source(device_state& later, const device_state& earlier) noexcept;

/// For calls that concern all devices; null if none is both in use and not lost.
[[nodiscard]] device_state* first_in_use() noexcept;

// What the registry asks.

/// Finds the devices; makes the first CUDA call of the process.
void probe() noexcept;
/// Counted by the probe; stays after a fork.
[[nodiscard]] int count() noexcept;
[[nodiscard]] std::optional<cuda_problem> problem();
[[nodiscard]] bool used() noexcept;
void plan_rehearsal(int count, rehearsed_kernels which);
[[nodiscard]] bool rehearsing() noexcept;
[[nodiscard]] rehearsed_kernels kernels_of_rehearsal() noexcept;
[[nodiscard]] int driver_version() noexcept;
[[nodiscard]] int runtime_version() noexcept;
void shut_down() noexcept;

/// Whether bytes go directly from the memory of `from` to that of `to`; asks and enables peer
/// access the first time.
[[nodiscard]] route route_between(device_state& to, device_state& from);

}  // namespace skerry::cuda
