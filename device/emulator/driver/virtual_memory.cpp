// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Virtual memory management: cuMemCreate, cuMemMap and the like.

#include <span>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/memory.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr int no_access = 0;
constexpr int read_write = 3;

[[nodiscard]] rehearsal::MappedMemory& mapped() noexcept {
  return rehearsal::System::instance().mapped;
}

/// Returns success if memory with these properties can be created.
int check(const abi::PhysicalProperties& properties) noexcept {
  constexpr int pinned = 1;  // the only allocation type
  if (properties.type != pinned) return code::invalid_value;
  if (properties.location.kind != abi::location_of_device) {
    return unsupported("cuMemCreate of host memory");
  }
  if (properties.compression != 0) return unsupported("cuMemCreate of compressed memory");
  return exists(properties.location.number) ? code::success : code::invalid_device;
}

/// Waits for all enqueued work, before mappings change.
void wait_for_all_devices() noexcept {
  rehearsal::System& all = rehearsal::System::instance();
  for (int ordinal = 0; ordinal < all.count(); ++ordinal) all.wait_for_device(ordinal);
}

}  // namespace

int virtual_granularity(std::size_t* nbytes, const abi::PhysicalProperties* properties,
                        int option) {
  constexpr int recommended = 1;  // equal to the minimum here
  return run_entry_point([&]() -> int {
    if (has_null(nbytes, properties) || option < 0 || option > recommended)
      return code::invalid_value;
    if (const int status = check(*properties); status != code::success) return status;
    *nbytes = rehearsal::MappedMemory::granularity;
    return code::success;
  });
}

// Ignores the requested address, which is a hint.
int virtual_reserve(address* data, std::size_t nbytes, std::size_t alignment, address,
                    std::uint64_t flags) {
  return run_entry_point([&]() -> int {
    if (has_null(data) || flags != 0) return code::invalid_value;
    void* new_data = nullptr;
    const int status = mapped().reserve(&new_data, nbytes, alignment);
    if (status == code::success) *data = address_of(new_data);
    return status;
  });
}

int virtual_free(address data, std::size_t nbytes) {
  return run_entry_point([&]() -> int { return mapped().free_addresses(pointer(data), nbytes); });
}

int physical_create(std::uint64_t* handle, std::size_t nbytes,
                    const abi::PhysicalProperties* properties, std::uint64_t flags) {
  return run_entry_point([&]() -> int {
    if (has_null(handle, properties) || flags != 0) return code::invalid_value;
    if (const int status = check(*properties); status != code::success) return status;
    const int ordinal = properties->location.number;
    const std::size_t total = rehearsal::current_settings().memory_bytes.load();
    const std::size_t used = rehearsal::System::instance().live_bytes(ordinal);
    return mapped().create(handle, ordinal, nbytes, used < total ? total - used : 0);
  });
}

int physical_retain(std::uint64_t* handle, void* data) {
  return run_entry_point([&]() -> int {
    return has_null(handle) ? code::invalid_value : mapped().retain(handle, data);
  });
}

int physical_release(std::uint64_t handle) {
  return run_entry_point([&]() -> int { return mapped().release(handle); });
}

int physical_get_properties(abi::PhysicalProperties* properties, std::uint64_t handle) {
  return run_entry_point([&]() -> int {
    const int ordinal = mapped().owner_of(handle);
    if (has_null(properties) || ordinal < 0) return code::invalid_value;
    *properties = {.type = 1, .location = {abi::location_of_device, ordinal}};
    return code::success;
  });
}

int virtual_map(address data, std::size_t nbytes, std::size_t offset, std::uint64_t handle,
                std::uint64_t flags) {
  return run_entry_point([&]() -> int {
    if (offset != 0 || flags != 0) return code::invalid_value;  // required by CUDA
    const int status = mapped().map(pointer(data), nbytes, handle);
    if (status == code::success) note_allocation(pointer(data));
    return status;
  });
}

int virtual_unmap(address data, std::size_t nbytes) {
  return run_entry_point([&]() -> int {
    wait_for_all_devices();
    return mapped().unmap(pointer(data), nbytes);
  });
}

int virtual_set_access(address data, std::size_t nbytes, const abi::AccessDescription* list,
                       std::size_t count) {
  return run_entry_point([&]() -> int {
    if (has_null(list) || count == 0) return code::invalid_value;
    for (const abi::AccessDescription& description : std::span(list, count)) {
      if (description.location_type != abi::location_of_device) {
        return unsupported("cuMemSetAccess for the host");
      }
      if (!exists(description.location)) return code::invalid_device;
      if (description.flags != no_access && description.flags != read_write) {
        return unsupported("cuMemSetAccess with read-only access");
      }
    }
    for (const abi::AccessDescription& description : std::span(list, count)) {
      const int owner = mapped().owner(pointer(data));
      int can = 1;
      if (owner >= 0 && owner != description.location) {
        static_cast<void>(driver_api().can_access_peer(&can, description.location, owner));
      }
      if (can == 0) return code::invalid_device;
      const bool may = description.flags == read_write;
      const int status = mapped().set_access(pointer(data), nbytes, description.location, may);
      if (status != code::success) return status;
    }
    return code::success;
  });
}

int virtual_get_access(std::uint64_t* flags, const abi::MemoryLocation* location, address data) {
  return run_entry_point([&]() -> int {
    if (has_null(flags, location) || mapped().owner(pointer(data)) < 0) return code::invalid_value;
    if (location->kind != abi::location_of_device || !exists(location->number)) {
      return code::invalid_value;
    }
    *flags = mapped().may_access(location->number, pointer(data)) ? read_write : no_access;
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
