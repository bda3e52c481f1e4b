// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/runtime.hpp"

#include <utility>

#include "device/cuda/deferred.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

namespace {

/// "an illegal memory access was encountered (cudaErrorIllegalAddress, 700)"
std::string describe_code(int code) {
  return std::string(calls().error_string(code)) + " (" + calls().error_name(code) + ", " +
         std::to_string(code) + ")";
}

/// All logical devices of the same GPU go with it.
void lose(int code, DeviceState& on, const char* what) noexcept {
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    DeviceState& each = *detail::states[i];
    if (each.ordinal != on.ordinal || each.lost()) continue;
    try {
      auto* text = new std::string(
          to_string(each.where) + " is lost: " + describe_code(code) + ", first detected in " +
          what + "; its arrays are gone, CPU arrays and other devices still work; restart the " +
          "process to use " + to_string(each.where));
      const std::string* none = nullptr;
      if (!each.first_cause.compare_exchange_strong(none, text)) delete text;
    } catch (const std::bad_alloc&) {
      // The code alone has to do.
    }
    int none = 0;
    each.lost_code.compare_exchange_strong(none, code);
  }
}

[[noreturn]] void throw_lost(const DeviceState& on) {
  const std::string* cause = on.first_cause.load();
  throw DeviceError(cause != nullptr ? *cause : to_string(on.where) + " is lost", on.where,
                    on.lost_code.load(), true);
}

/// What makes a device useless although it was found, which may come out at its first use only.
struct Unavailability {
  int code;
  UnavailableReason reason;
  const char* remedy;
};

constexpr Unavailability unavailabilities[] = {
    {devices_unavailable, UnavailableReason::busy,
     "another process may use the GPU in exclusive mode: end it, or choose another device"},
    {no_kernel_image_for_device, UnavailableReason::no_kernel_image,
     "install a build of skerry for this GPU, or move the arrays to another device"},
    {unsupported_ptx_version, UnavailableReason::driver_too_old, "update NVIDIA's driver"},
    {insufficient_driver, UnavailableReason::driver_too_old, "update NVIDIA's driver"},
    {system_driver_mismatch, UnavailableReason::driver_too_old,
     "NVIDIA's driver was updated under the running system: restart the machine"},
    {compatibility_not_supported, UnavailableReason::driver_too_old, "update NVIDIA's driver"},
};

const Unavailability* unavailability_of(int code) noexcept {
  for (const Unavailability& each : unavailabilities) {
    if (each.code == code) return &each;
  }
  return nullptr;
}

}  // namespace

DeviceState::DeviceState() = default;
DeviceState::~DeviceState() = default;

void fail(int code, DeviceState& on, const char* what) {
  forget_last_error();
  if (is_fatal(code)) {
    lose(code, on, what);
    throw_lost(on);
  }
  const std::string text =
      std::string(what) + ": " + to_string(on.where) + ": " + describe_code(code);
  if (code == memory_allocation) throw OutOfMemoryError(text, on.where, 0);
  if (const Unavailability* why = unavailability_of(code)) {
    throw DeviceUnavailableError(text + "; " + why->remedy, why->reason);
  }
  throw DeviceError(text, on.where, code, false);
}

bool succeeded(int code, DeviceState& on, const char* what) noexcept {
  if (code == success) [[likely]]
    return true;
  forget_last_error();
  if (is_fatal(code)) lose(code, on, what);
  return false;
}

void forget_losses() noexcept {
  if (!rehearsing()) return;
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    detail::states[i]->lost_code.store(0);
    delete detail::states[i]->first_cause.exchange(nullptr);
  }
}

namespace detail {

DeviceState& use_slowly(Device where) {
  DeviceState& found = look_at(where);
  if (found.lost()) throw_lost(found);
  return found;
}

}  // namespace detail

DeviceGuard::DeviceGuard(DeviceState& target) : code_(enter(target)) {
  check(code_, target, "choosing the device");
}

DeviceGuard::DeviceGuard(DeviceState& target, const std::nothrow_t&) noexcept
    : code_(enter(target)) {
  note_failure(code_, target, "choosing the device");
}

int DeviceGuard::enter(DeviceState& target) noexcept {
  const int ordinal = target.ordinal;
  if (!target.in_use.load(std::memory_order_relaxed)) target.in_use.store(true);
  int previous = 0;
  if (const int code = call<&Api::get_device>(&previous); code != success) return code;
  if (previous == ordinal) return success;
  if (const int code = call<&Api::push_device>(ordinal); code != success) return code;
  pushed_ = true;
  return success;
}

DeviceGuard::~DeviceGuard() {
  if (!pushed_) return;
  // Once more if it fails: the thread must not go on with another device than before.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (call<&Api::pop_device>() == success) return;
    forget_last_error();
  }
}

void refuse_capture(DeviceState& on, void* stream, const char* what) {
  if (stream == legacy_stream) return;  // can't be captured
  int capturing = 0;
  check(call<&Api::stream_is_capturing>(stream, &capturing), on, what);
  if (capturing == 0) return;
  throw ValueError(std::string(what) + ": the current stream of " + to_string(on.where) +
                   " is captured into a graph, which would use this call's memory again after it "
                   "was given to others; end the capture, or leave this call out of it");
}

bool finish_work(DeviceState& on) noexcept {
  constexpr const char* waiting = "waiting for the device";
  // To wait for a device without a context would make one.
  if (!on.in_use.load()) return true;
  int code = success;
  // Once more: the first failure may be that of an earlier call.
  for (int attempt = 0; attempt < 2 && !on.lost(); ++attempt) {
    const DeviceGuard guard(on, std::nothrow);
    code = guard.ok() ? call<&Api::device_synchronize>() : guard.code();
    if (succeeded(code, on, waiting)) return true;
    if (is_of_capture(code)) return false;
  }
  if (!on.lost()) lose(code, on, waiting);
  return false;
}

DeviceState* first_in_use() noexcept {
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    DeviceState* const each = detail::states[i];
    if (each->in_use.load() && !each->lost()) return each;
  }
  return nullptr;
}

Route route_between(DeviceState& to, DeviceState& from) {
  if (to.ordinal == from.ordinal) return Route::direct;
  std::atomic<Route>& known = to.routes[static_cast<std::size_t>(from.where.index)];
  if (const Route found = known.load(); found != Route::unknown) return found;

  int can = 0;
  check(call<&Api::can_access_peer>(&can, to.ordinal, from.ordinal), to, "asking for peer access");
  Route found = can != 0 ? Route::direct : Route::staged;
  if (found == Route::direct) {
    const DeviceGuard guard(to);
    const int code = call<&Api::enable_peer_access>(from.ordinal);
    if (code != success && code != peer_access_already_enabled) found = Route::staged;
    note_failure(code, to, "enabling peer access");
    // Memory of a stream-ordered pool is not covered by the call above.
    if (found == Route::direct && from.properties.supports_pools != 0) {
      const int pool_code = call<&Api::pool_allow_reader>(from.ordinal, to.ordinal);
      if (!succeeded(pool_code, to, "enabling peer access")) found = Route::staged;
    }
    if (to.lost()) throw_lost(to);
  }
  known.store(found);
  return found;
}

}  // namespace skerry::cuda
