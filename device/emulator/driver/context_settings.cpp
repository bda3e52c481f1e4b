// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Settings of contexts. Most concern hardware: they have no effect here, but can be read back.

#include <array>
#include <atomic>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/contexts.hpp"
#include "device/emulator/runtime/device_resources.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

// CUlimit
constexpr int stack_limit_id = 0;
constexpr int printf_limit_id = 1;
constexpr int heap_limit_id = 2;

constexpr std::array<std::size_t, 7> default_limits{
    1 << 10,  // stack of a thread
    1 << 20,  // buffer of printf
    8 << 20,  // heap of malloc in kernels
    2,        // depth of grids that kernels can wait for
    2048,     // pending launches by kernels
    128,      // L2 fetch granularity
    0,        // persisting part of L2
};

struct SettingsOfDevice {
  std::atomic<unsigned> flags{0};
  std::atomic<int> cache_config{0};
  std::atomic<int> shared_config{1};
  std::array<std::atomic<std::size_t>, default_limits.size()> limits;
  SettingsOfDevice() noexcept {
    for (std::size_t i = 0; i < limits.size(); ++i) limits[i].store(default_limits[i]);
  }
};

SettingsOfDevice& here() noexcept {
  static auto* const all = new std::array<SettingsOfDevice, cuda::max_devices>;
  return (*all)[static_cast<std::size_t>(rehearsal::current_ordinal())];
}

std::atomic<std::size_t>* find_limit(int limit) noexcept {
  auto& limits = here().limits;
  const auto index = static_cast<std::size_t>(limit);
  return limit >= 0 && index < limits.size() ? &limits[index] : nullptr;
}

/// Applies the limits that have an effect on kernels. False if it is too late to change the heap.
bool apply_limit(int limit, std::size_t value) {
  const int ordinal = rehearsal::current_ordinal();
  if (limit == stack_limit_id) set_stack_limit(ordinal, value);
  if (limit == printf_limit_id) set_printf_limit(ordinal, value);
  return limit != heap_limit_id || set_heap_limit(ordinal, value);
}

/// Calls `body` with the device of `context`, whose memory the current device accesses as its peer.
template <class Body>
int with_peer(void* context, Body body) noexcept {
  return in_context([&]() -> int {
    const int owner = ordinal_of(context);
    if (owner < 0 || owner == rehearsal::current_ordinal()) return code::invalid_context;
    return body(owner);
  });
}

}  // namespace

int context_synchronize() {
  return in_context([] { return driver_api().device_synchronize(); });
}

int context_synchronize_of(void* context) {
  if (context == nullptr) return context_synchronize();
  return run_entry_point([&]() -> int {
    const int ordinal = ordinal_of(context);
    if (ordinal < 0) return code::invalid_context;
    if (!rehearsal::push_device(ordinal, context)) return code::invalid_value;
    const int status = driver_api().device_synchronize();
    static_cast<void>(rehearsal::pop_device());
    return status;
  });
}

int context_get_flags(unsigned* flags) {
  return in_context([&]() -> int {
    if (has_null(flags)) return code::invalid_value;
    *flags = here().flags.load();
    return code::success;
  });
}

int context_set_flags(unsigned flags) {
  return in_context([&] {
    here().flags.store(flags);
    return code::success;
  });
}

int context_set_limit(int limit, std::size_t value) {
  return in_context([&]() -> int {
    std::atomic<std::size_t>* const limit_value = find_limit(limit);
    if (limit_value == nullptr) return code::unsupported_limit;
    if (!apply_limit(limit, value)) return code::invalid_value;
    limit_value->store(value);
    return code::success;
  });
}

int context_get_limit(std::size_t* value, int limit) {
  return in_context([&]() -> int {
    if (has_null(value)) return code::invalid_value;
    const std::atomic<std::size_t>* const limit_value = find_limit(limit);
    if (limit_value == nullptr) return code::unsupported_limit;
    *value = limit_value->load();
    return code::success;
  });
}

int context_get_cache_config(int* config) {
  return in_context([&]() -> int {
    if (has_null(config)) return code::invalid_value;
    *config = here().cache_config.load();
    return code::success;
  });
}

int context_set_cache_config(int config) {
  return in_context([&]() -> int {
    if (config < 0 || config > 3) return code::invalid_value;
    here().cache_config.store(config);
    return code::success;
  });
}

int context_get_shared_config(int* config) {
  return in_context([&]() -> int {
    if (has_null(config)) return code::invalid_value;
    *config = here().shared_config.load();
    return code::success;
  });
}

int context_set_shared_config(int config) {
  return in_context([&]() -> int {
    if (config < 0 || config > 2) return code::invalid_value;
    here().shared_config.store(config);
    return code::success;
  });
}

int context_get_api_version(void* context, unsigned* version) {
  return run_entry_point([&]() -> int {
    constexpr unsigned since_4 = 3020;
    if (has_null(version)) return code::invalid_value;
    if (ordinal_of(context != nullptr ? context : current_context()) < 0) {
      return code::invalid_context;
    }
    *version = since_4;
    return code::success;
  });
}

int context_get_priority_range(int* lowest, int* highest) {
  return in_context([&] {
    constexpr int highest_priority = -5;
    if (lowest != nullptr) *lowest = 0;
    if (highest != nullptr) *highest = highest_priority;
    return code::success;
  });
}

int context_reset_persisting_cache() {
  return in_context([] { return code::success; });
}

int context_enable_peer(void* context, unsigned flags) {
  return with_peer(context, [&](int owner) -> int {
    return flags == 0 ? driver_api().enable_peer_access(owner) : code::invalid_value;
  });
}

int context_disable_peer(void* context) {
  return with_peer(context, [&](int owner) -> int {
    const bool was_enabled =
        rehearsal::System::instance().disable_peer(rehearsal::current_ordinal(), owner);
    return was_enabled ? code::success : code::peer_access_not_enabled;
  });
}

}  // namespace skerry::emulation::driver
