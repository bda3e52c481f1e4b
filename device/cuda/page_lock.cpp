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
constexpr int most_refusals_in_a_row = 3;

/// The first device in use: asking another one would make a context there.
constinit std::atomic<DeviceState*> asked{nullptr};
constinit std::atomic<std::size_t> locked_bytes{0};
constinit std::atomic<std::uint64_t> refusals{0};
constinit std::atomic<int> refusals_in_a_row{0};

std::size_t most_locked() noexcept {
  static const std::size_t most = cpu::total_memory() / 4;
  return most;
}

/// False if that would be more than the limit.
bool reserve(std::size_t nbytes) noexcept {
  const std::size_t most = most_locked();
  std::size_t now = locked_bytes.load();
  do {
    if (nbytes > most || now > most - nbytes) return false;
  } while (!locked_bytes.compare_exchange_weak(now, now + nbytes));
  return true;
}

}  // namespace

HostMemory chosen_host_memory() noexcept {
  static const HostMemory chosen = [] {
    const char* value = environment_text("SKERRY_PINNED_HOST");
    const std::string_view text = value != nullptr ? value : "";
    if (text == "0") return HostMemory::ordinary;
    return text == "1" ? HostMemory::all_pinned : HostMemory::automatic;
  }();
  return chosen;
}

void note_use(DeviceState& on) noexcept {
  DeviceState* none = nullptr;
  if (asked.load(std::memory_order_relaxed) == nullptr) asked.compare_exchange_strong(none, &on);
}

bool lock_pages(void* data, std::size_t nbytes) noexcept {
  DeviceState* const on = asked.load(std::memory_order_relaxed);
  if (on == nullptr || !alive() || on->lost()) return false;
  if (chosen_host_memory() == HostMemory::ordinary) return false;
  if (refusals_in_a_row.load() >= most_refusals_in_a_row || !reserve(nbytes)) return false;
  const DeviceGuard guard(*on, std::nothrow);
  if (guard.ok() && succeeded(call<&Api::host_register>(data, nbytes), *on, locking)) {
    refusals_in_a_row.store(0);
    return true;
  }
  locked_bytes.fetch_sub(nbytes);
  refusals.fetch_add(1);
  refusals_in_a_row.fetch_add(1);
  return false;
}

bool unlock_pages(void* data, std::size_t nbytes) noexcept {
  bool is_unlocked = !alive();
  // Once more if it fails, as that may be the failure of an earlier call. Any device will do; one
  // that is lost reads nothing.
  for (int attempt = 0; attempt < 2 && !is_unlocked; ++attempt) {
    DeviceState* const on = first_in_use();
    if (on == nullptr) break;
    const DeviceGuard guard(*on, std::nothrow);
    const int code = guard.ok() ? call<&Api::host_unregister>(data) : guard.code();
    is_unlocked = succeeded(code, *on, locking);
  }
  if (!is_unlocked && first_in_use() != nullptr) return false;
  locked_bytes.fetch_sub(nbytes);
  return true;
}

PageLockStatistics page_locks() noexcept {
  return {locked_bytes.load(), most_locked(), refusals.load()};
}

}  // namespace skerry::cuda
