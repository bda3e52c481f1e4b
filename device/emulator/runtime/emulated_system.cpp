// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/emulated_system.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "device/emulator/runtime/device_resources.hpp"
#include "device/emulator/runtime/stream_races.hpp"
#include "device/emulator/runtime/undefined_memory.hpp"
#include "device/page_size.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation {

namespace {

constinit std::atomic<bool> has_started{false};
constinit std::atomic<bool> fails_at_exit{false};

/// Freed memory kept in quarantine per device, to detect kernels that still use it.
constexpr std::size_t quarantine_nbytes = std::size_t{64} << 20;

/// At process exit, kernels that still run are stopped after this time.
constexpr double seconds_at_exit = 0.5;

/// Replaces the exit status 0. Exit handlers that were registered before this one do not run.
void end_process(int status, void*) {
  if (status != 0 || !fails_at_exit.load()) return;
  std::fflush(nullptr);
  std::_Exit(1);
}

void* pointer(std::uint64_t address) noexcept { return reinterpret_cast<void*>(address); }

Allocation bytes_of(const rehearsal::MemoryBlock& block) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(block.data);
  return {begin, begin + block.nbytes};
}

MemoryNear near_block(const rehearsal::MemoryBlock& block, MemoryState state, std::uint64_t address,
                      int owner) noexcept {
  return {.state = state,
          .begin = reinterpret_cast<std::uint64_t>(block.data),
          .nbytes = block.nbytes,
          .address = address,
          .device = owner};
}

/// True if the process itself has mapped this address.
bool is_mapped(std::uint64_t address) noexcept {
  const std::uint64_t page = page_size();
  return msync(pointer(address / page * page), page, MS_ASYNC) == 0;
}

}  // namespace

bool system_has_started() noexcept { return has_started.load(std::memory_order_acquire); }

const cuda::Api& driver_api() noexcept {
  static const cuda::Api* const calls = [] {
    rehearsal::set_device_count(current_emulator_settings().devices);
    rehearsal::bytes_in_quarantine.store(quarantine_nbytes);
    if (current_emulator_settings().model.checks_undefined_values && !follow_undefined_memory()) {
      std::fprintf(stderr,
                   "skerry: SKERRY_EMULATE_INITCHECK: can't reserve addresses for shadow memory\n");
      std::_Exit(2);
    }
    if (needs_stream_order(current_emulator_settings().model)) follow_streams();
    const cuda::Api* const table = rehearsal::calls_table();
    // Registered at the first call, like the driver's own exit handler: handlers that programs
    // register later run earlier. The first one runs last.
    static_cast<void>(on_exit(end_process, nullptr));
    follow_printf_output();
    static_cast<void>(std::atexit([] {
      if (!system_has_started()) return;
      stop_kernels(seconds_at_exit);
      rehearsal::finish();
    }));
    has_started.store(true, std::memory_order_release);
    // A forked child lacks the streams' threads, and locks that they held stay locked.
    static_cast<void>(pthread_atfork(nullptr, nullptr,
                                     [] { has_started.store(false, std::memory_order_release); }));
    return table;
  }();
  return *calls;
}

void fail_at_exit() noexcept { fails_at_exit.store(true); }

std::byte* DeviceMemoryMap::undefined_bits(std::uint64_t address) const {
  return undefined_memory_bits(address);
}

Allocation DeviceMemoryMap::find(std::uint64_t address) const {
  rehearsal::System& all = rehearsal::System::instance();
  const int owner = all.owner(pointer(address));
  if (owner < 0) return bytes_of(all.pinned.find(pointer(address)));
  // A block that is freed after the launch stays valid until the launch has run.
  const rehearsal::MemoryBlock block = all.find(pointer(address), true);
  const bool is_reachable = block && all.is_accessible(ordinal_, owner, block.data);
  return is_reachable ? bytes_of(block) : Allocation{};
}

MemoryNear DeviceMemoryMap::nearest(std::uint64_t address) const {
  rehearsal::System& all = rehearsal::System::instance();
  const int owner = all.owner(pointer(address));
  if (owner < 0) {
    if (const auto block = all.pinned.nearest(pointer(address))) {
      MemoryNear memory = near_block(block, MemoryState::live, address, owner);
      memory.is_managed = all.pinned.use_of(block.data).is_managed;
      memory.is_pinned = !memory.is_managed;
      return memory;
    }
    return {.state = is_mapped(address) ? MemoryState::host : MemoryState::none,
            .address = address};
  }
  if (const auto block = all.find(pointer(address), true)) {
    const bool is_reachable = all.is_accessible(ordinal_, owner, block.data);
    return near_block(block, is_reachable ? MemoryState::live : MemoryState::unreachable, address,
                      owner);
  }
  if (all.mapped.contains(pointer(address))) {
    return {.state = MemoryState::unmapped, .address = address};
  }
  rehearsal::AddressRange& memory = all.device(owner).memory;
  if (const auto freed = memory.find_freed(pointer(address))) {
    return near_block(freed, MemoryState::freed, address, owner);
  }
  if (const auto nearest_block = memory.nearest(pointer(address))) {
    return near_block(nearest_block, MemoryState::live, address, owner);
  }
  return {.state = MemoryState::freed, .address = address, .device = owner};
}

}  // namespace skerry::emulation
