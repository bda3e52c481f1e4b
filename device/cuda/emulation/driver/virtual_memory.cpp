// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory that programs put at addresses of their choice: cuMemCreate, cuMemMap and their like.

#include <span>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/memory.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr int no_access = 0;
constexpr int read_write = 3;

[[nodiscard]] rehearsal::MappedMemory& mapped() noexcept {
  return rehearsal::Machine::instance().mapped;
}

/// A status: success for memory of a device that can be created.
int check(const abi::PhysicalProperties& what) noexcept {
  constexpr int pinned = 1;  // the only type of memory of devices
  if (what.type != pinned) return code::invalid_value;
  if (what.location.kind != abi::location_of_device) {
    return unsupported("cuMemCreate of the host's memory");
  }
  if (what.compression != 0) return unsupported("cuMemCreate of compressed memory");
  return exists(what.location.number) ? code::success : code::invalid_device;
}

/// Work that was submitted before has run when addresses change.
void wait_for_all_devices() noexcept {
  rehearsal::Machine& all = rehearsal::Machine::instance();
  for (int ordinal = 0; ordinal < all.count(); ++ordinal) all.wait_for_device(ordinal);
}

}  // namespace

int virtual_granularity(std::size_t* nbytes, const abi::PhysicalProperties* of, int option) {
  constexpr int recommended = 1;  // or the least one, which is the same here
  return answer([&]() -> int {
    if (has_null(nbytes, of) || option < 0 || option > recommended) return code::invalid_value;
    if (const int status = check(*of); status != code::success) return status;
    *nbytes = rehearsal::MappedMemory::granularity;
    return code::success;
  });
}

// The address that a program wishes for is a hint, of which nothing is made.
int virtual_reserve(address* data, std::size_t nbytes, std::size_t alignment, address,
                    std::uint64_t flags) {
  return answer([&]() -> int {
    if (has_null(data) || flags != 0) return code::invalid_value;
    void* fresh = nullptr;
    const int status = mapped().reserve(&fresh, nbytes, alignment);
    if (status == code::success) *data = address_of(fresh);
    return status;
  });
}

int virtual_free(address data, std::size_t nbytes) {
  return answer([&]() -> int { return mapped().free_addresses(pointer(data), nbytes); });
}

int physical_create(std::uint64_t* handle, std::size_t nbytes, const abi::PhysicalProperties* what,
                    std::uint64_t flags) {
  return answer([&]() -> int {
    if (has_null(handle, what) || flags != 0) return code::invalid_value;
    if (const int status = check(*what); status != code::success) return status;
    const int ordinal = what->location.number;
    const std::size_t total = rehearsal::current_settings().memory_bytes.load();
    const std::size_t used = rehearsal::Machine::instance().live_bytes(ordinal);
    return mapped().create(handle, ordinal, nbytes, used < total ? total - used : 0);
  });
}

int physical_retain(std::uint64_t* handle, void* data) {
  return answer([&]() -> int {
    return has_null(handle) ? code::invalid_value : mapped().retain(handle, data);
  });
}

int physical_release(std::uint64_t handle) {
  return answer([&]() -> int { return mapped().release(handle); });
}

int physical_get_properties(abi::PhysicalProperties* what, std::uint64_t handle) {
  return answer([&]() -> int {
    const int ordinal = mapped().owner_of(handle);
    if (has_null(what) || ordinal < 0) return code::invalid_value;
    *what = {.type = 1, .location = {abi::location_of_device, ordinal}};
    return code::success;
  });
}

int virtual_map(address data, std::size_t nbytes, std::size_t offset, std::uint64_t handle,
                std::uint64_t flags) {
  return answer([&]() -> int {
    if (offset != 0 || flags != 0) return code::invalid_value;  // by CUDA's own rule
    return mapped().map(pointer(data), nbytes, handle);
  });
}

int virtual_unmap(address data, std::size_t nbytes) {
  return answer([&]() -> int {
    wait_for_all_devices();
    return mapped().unmap(pointer(data), nbytes);
  });
}

int virtual_set_access(address data, std::size_t nbytes, const abi::AccessDescription* list,
                       std::size_t count) {
  return answer([&]() -> int {
    if (has_null(list) || count == 0) return code::invalid_value;
    for (const abi::AccessDescription& each : std::span(list, count)) {
      if (each.location_type != abi::location_of_device) {
        return unsupported("cuMemSetAccess for the host");
      }
      if (!exists(each.location)) return code::invalid_device;
      if (each.flags != no_access && each.flags != read_write) {
        return unsupported("cuMemSetAccess for reading alone");
      }
    }
    for (const abi::AccessDescription& each : std::span(list, count)) {
      const int owner = mapped().owner(pointer(data));
      int can = 1;
      if (owner >= 0 && owner != each.location) {
        static_cast<void>(machine_calls().can_access_peer(&can, each.location, owner));
      }
      if (can == 0) return code::invalid_device;
      const bool may = each.flags == read_write;
      const int status = mapped().set_access(pointer(data), nbytes, each.location, may);
      if (status != code::success) return status;
    }
    return code::success;
  });
}

int virtual_get_access(std::uint64_t* flags, const abi::MemoryLocation* location, address data) {
  return answer([&]() -> int {
    if (has_null(flags, location) || mapped().owner(pointer(data)) < 0) return code::invalid_value;
    if (location->kind != abi::location_of_device || !exists(location->number)) {
      return code::invalid_value;
    }
    *flags = mapped().may_access(location->number, pointer(data)) ? read_write : no_access;
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
