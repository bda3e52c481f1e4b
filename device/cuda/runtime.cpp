// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/runtime.hpp"

#include <utility>

#include "device/cuda/deferred.hpp"
#include "device/cuda/device_graph.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

namespace {

/// Formats a status: "an illegal memory access was encountered (cudaErrorIllegalAddress, 700)".
std::string describe_code(int code) {
  return std::string(calls().error_string(code)) + " (" + calls().error_name(code) + ", " +
         std::to_string(code) + ")";
}

/// Marks all logical devices of a GPU as lost.
void lose(int code, DeviceState& device_state, const char* operation) noexcept {
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    DeviceState& sibling_state = *detail::states[i];
    if (sibling_state.ordinal != device_state.ordinal || sibling_state.lost()) continue;
    try {
      auto* text = new std::string(
          to_string(sibling_state.device) + " is lost: " + describe_code(code) +
          ", first detected in " + operation +
          "; its arrays are gone, CPU arrays and other devices still work; restart the " +
          "process to use " + to_string(sibling_state.device));
      const std::string* none = nullptr;
      if (!sibling_state.first_cause.compare_exchange_strong(none, text)) delete text;
    } catch (const std::bad_alloc&) {
      // Report the code without a text.
    }
    int none = 0;
    sibling_state.lost_code.compare_exchange_strong(none, code);
  }
}

[[noreturn]] void throw_lost(const DeviceState& device_state) {
  const std::string* cause = device_state.first_cause.load();
  throw DeviceError(cause != nullptr ? *cause : to_string(device_state.device) + " is lost",
                    device_state.device, device_state.lost_code.load(), true);
}

/// An error that makes a device unusable and may appear only at its first use.
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
  for (const Unavailability& entry : unavailabilities) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

}  // namespace

DeviceState::DeviceState() = default;
DeviceState::~DeviceState() = default;

void fail(int code, DeviceState& device_state, const char* operation) {
  clear_last_error();
  if (is_fatal(code)) {
    lose(code, device_state, operation);
    throw_lost(device_state);
  }
  const std::string text =
      std::string(operation) + ": " + to_string(device_state.device) + ": " + describe_code(code);
  if (code == memory_allocation) throw OutOfMemoryError(text, device_state.device, 0);
  if (const Unavailability* why = unavailability_of(code)) {
    throw DeviceUnavailableError(text + "; " + why->remedy, why->reason);
  }
  throw DeviceError(text, device_state.device, code, false);
}

bool succeeded(int code, DeviceState& device_state, const char* operation) noexcept {
  if (code == success) [[likely]]
    return true;
  clear_last_error();
  if (is_fatal(code)) lose(code, device_state, operation);
  return false;
}

void clear_losses() noexcept {
  if (!rehearsing()) return;
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    detail::states[i]->lost_code.store(0);
    delete detail::states[i]->first_cause.exchange(nullptr);
  }
}

namespace detail {

DeviceState& use_slowly(Device device) {
  DeviceState& device_state = look_at(device);
  if (device_state.lost()) throw_lost(device_state);
  return device_state;
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
  // Retries once: otherwise the thread would continue with another device than before.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (call<&Api::pop_device>() == success) return;
    clear_last_error();
  }
}

bool is_in_foreign_capture(DeviceState& device_state, void* stream, const char* operation) {
  if (const DeviceGraph* const graph = DeviceGraph::captured()) {
    graph->require_member(device_state);
    return false;
  }
  if (stream == legacy_stream) return false;  // cannot be captured
  int capturing = 0;
  check(call<&Api::stream_is_capturing>(stream, &capturing), device_state, operation);
  return capturing != 0;
}

void reject_capture(DeviceState& device_state, void* stream, const char* operation) {
  if (!is_in_foreign_capture(device_state, stream, operation)) return;
  throw ValueError("the current stream of " + to_string(device_state.device) +
                   " is being captured into a graph, which this call can't be part of; end the "
                   "capture, or leave this call out of it");
}

bool finish_work(DeviceState& device_state) noexcept {
  constexpr const char* waiting = "waiting for the device";
  // Waiting for a device without a context would create one.
  if (!device_state.in_use.load()) return true;
  // It would invalidate the capture.
  if (Graph::captured() != nullptr) return false;
  const Announcement announcement([&] { return internal_wait("cleanup", device_state.device); });
  int code = success;
  // Retries once, since the first failure may be that of an earlier call.
  for (int attempt = 0; attempt < 2 && !device_state.lost(); ++attempt) {
    const DeviceGuard guard(device_state, std::nothrow);
    code = guard.ok() ? call<&Api::device_synchronize>() : guard.code();
    if (succeeded(code, device_state, waiting)) return true;
    if (is_of_capture(code)) return false;
  }
  if (!device_state.lost()) lose(code, device_state, waiting);
  return false;
}

DeviceState* first_in_use() noexcept {
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    DeviceState* const device_state = detail::states[i];
    if (device_state->in_use.load() && !device_state->lost()) return device_state;
  }
  return nullptr;
}

Route route_between(DeviceState& target_state, DeviceState& source_state) {
  if (target_state.ordinal == source_state.ordinal) return Route::direct;
  std::atomic<Route>& cached_route =
      target_state.routes[static_cast<std::size_t>(source_state.device.index)];
  if (const Route route = cached_route.load(); route != Route::unknown) return route;

  int can = 0;
  check(call<&Api::can_access_peer>(&can, target_state.ordinal, source_state.ordinal), target_state,
        "querying peer access");
  Route route = can != 0 ? Route::direct : Route::staged;
  if (route == Route::direct) {
    const DeviceGuard guard(target_state);
    const int code = call<&Api::enable_peer_access>(source_state.ordinal);
    if (code != success && code != peer_access_already_enabled) route = Route::staged;
    note_failure(code, target_state, "enabling peer access");
    // Memory of a stream-ordered pool is not covered by the call above.
    if (route == Route::direct && source_state.properties.supports_pools != 0) {
      const int pool_code =
          call<&Api::pool_allow_reader>(source_state.ordinal, target_state.ordinal);
      if (!succeeded(pool_code, target_state, "enabling peer access")) route = Route::staged;
    }
    if (target_state.lost()) throw_lost(target_state);
  }
  cached_route.store(route);
  return route;
}

}  // namespace skerry::cuda
