// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/page_lock.hpp"

#include <atomic>
#include <string_view>

#include "device/cpu/info.hpp"
#include "device/cuda/runtime.hpp"
#include "device/environment.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* locking = "locking host memory";
constexpr int max_consecutive_rejections = 3;

/// The first device in use; a call on another one would create a context there.
constinit std::atomic<DeviceState*> locking_device{nullptr};
constinit std::atomic<std::size_t> locked_bytes{0};
constinit std::atomic<std::uint64_t> rejections{0};
constinit std::atomic<int> consecutive_rejections{0};

std::size_t max_locked_bytes() noexcept {
  static const std::size_t limit = cpu::total_memory() / 4;
  return limit;
}

/// Returns false if the total would exceed the limit.
bool reserve(std::size_t nbytes) noexcept {
  const std::size_t limit = max_locked_bytes();
  std::size_t now = locked_bytes.load();
  do {
    if (nbytes > limit || now > limit - nbytes) return false;
  } while (!locked_bytes.compare_exchange_weak(now, now + nbytes));
  return true;
}

}  // namespace

HostMemory selected_host_memory() noexcept {
  static const HostMemory host_memory = [] {
    const char* value = environment_text("SKERRY_PINNED_HOST");
    const std::string_view text = value != nullptr ? value : "";
    if (text == "0") return HostMemory::pageable;
    return text == "1" ? HostMemory::all_pinned : HostMemory::automatic;
  }();
  return host_memory;
}

void note_use(DeviceState& device_state) noexcept {
  DeviceState* none = nullptr;
  if (locking_device.load(std::memory_order_relaxed) == nullptr)
    locking_device.compare_exchange_strong(none, &device_state);
}

bool lock_pages(void* data, std::size_t nbytes) noexcept {
  DeviceState* const device_state = locking_device.load(std::memory_order_relaxed);
  if (device_state == nullptr || !alive() || device_state->lost()) return false;
  if (selected_host_memory() == HostMemory::pageable) return false;
  if (consecutive_rejections.load() >= max_consecutive_rejections || !reserve(nbytes)) return false;
  const DeviceGuard guard(*device_state, std::nothrow);
  if (guard.ok() && succeeded(call<&Api::host_register>(data, nbytes), *device_state, locking)) {
    consecutive_rejections.store(0);
    return true;
  }
  locked_bytes.fetch_sub(nbytes);
  rejections.fetch_add(1);
  consecutive_rejections.fetch_add(1);
  return false;
}

bool unlock_pages(void* data, std::size_t nbytes) noexcept {
  bool is_unlocked = !alive();
  // Retries once, since the failure may be that of an earlier call. Any device in use
  // will do; a lost one no longer reads the memory.
  for (int attempt = 0; attempt < 2 && !is_unlocked; ++attempt) {
    DeviceState* const device_state = first_in_use();
    if (device_state == nullptr) break;
    const DeviceGuard guard(*device_state, std::nothrow);
    const int code = guard.ok() ? call<&Api::host_unregister>(data) : guard.code();
    is_unlocked = succeeded(code, *device_state, locking);
  }
  if (!is_unlocked && first_in_use() != nullptr) return false;
  locked_bytes.fetch_sub(nbytes);
  return true;
}

PageLockStatistics page_locks() noexcept {
  return {locked_bytes.load(), max_locked_bytes(), rejections.load()};
}

}  // namespace skerry::cuda
