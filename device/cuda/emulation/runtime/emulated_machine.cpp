// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/emulated_machine.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "device/cuda/emulation/runtime/stream_races.hpp"
#include "device/cuda/emulation/runtime/undefined_memory.hpp"
#include "device/cuda/rehearsal/control.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::emulation {

namespace {

void* pointer(std::uint64_t address) noexcept { return reinterpret_cast<void*>(address); }

allocation bytes_of(const rehearsal::memory_block& block) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(block.data);
  return {begin, begin + block.nbytes};
}

std::string text_of(const rehearsal::memory_block& block) {
  char text[80];
  std::snprintf(text, sizeof text, "%zu bytes at %p", block.nbytes, block.data);
  return text;
}

/// "8 bytes past the end of ", or "inside of ".
std::string place_of(std::uint64_t address, const allocation& bytes) {
  char text[64];
  if (address < bytes.begin) {
    std::snprintf(text, sizeof text, "%" PRIu64 " bytes before ", bytes.begin - address);
  } else if (address >= bytes.end) {
    std::snprintf(text, sizeof text, "%" PRIu64 " bytes past the end of ", address - bytes.end);
  } else {
    std::snprintf(text, sizeof text, "%" PRIu64 " bytes into ", address - bytes.begin);
  }
  return text;
}

}  // namespace

const cuda::api& machine_calls() noexcept {
  static const cuda::api* const calls = [] {
    rehearsal::set_device_count(current_emulator_settings().devices);
    if (current_emulator_settings().model.checks_undefined_values && !follow_undefined_memory()) {
      std::fprintf(stderr,
                   "skerry: SKERRY_EMULATE_INITCHECK: no addresses for a shadow of memory\n");
      std::_Exit(2);
    }
    if (current_emulator_settings().model.checks_stream_races) follow_streams();
    const cuda::api* const table = rehearsal::calls_table();
    // Registered by the first call, as the driver registers its end: what was registered later, by
    // those who use it, comes before.
    static_cast<void>(std::atexit([] { rehearsal::finish(); }));
    return table;
  }();
  return *calls;
}

std::byte* device_memory_map::undefined_bits(std::uint64_t address) const {
  return undefined_memory_bits(address);
}

allocation device_memory_map::find(std::uint64_t address) const {
  rehearsal::machine& all = rehearsal::machine::instance();
  const int owner = all.owner(pointer(address));
  if (owner < 0) return bytes_of(all.pinned.find(pointer(address)));
  // A block that was freed after the launch is there until the launch has run.
  const rehearsal::memory_block found = all.at(owner).memory.find(pointer(address), true);
  const bool is_reachable =
      found && (owner == ordinal_ || all.is_shared_with(ordinal_, owner, found.data));
  return is_reachable ? bytes_of(found) : allocation{};
}

std::string device_memory_map::describe(std::uint64_t address) const {
  rehearsal::machine& all = rehearsal::machine::instance();
  const int owner = all.owner(pointer(address));
  if (owner < 0) {
    return "in no memory of a device, nor in pinned memory of the host";
  }
  const std::string whose = " of device " + std::to_string(owner);
  if (const auto found = all.at(owner).memory.find(pointer(address), true)) {
    return place_of(address, bytes_of(found)) + text_of(found) + whose +
           (owner == ordinal_ ? "" : ", to which this device was not given access");
  }
  const rehearsal::memory_block near = all.at(owner).memory.nearest(pointer(address));
  if (!near) return "in freed memory" + whose;
  return place_of(address, bytes_of(near)) + text_of(near) + whose;
}

}  // namespace skerry::emulation
