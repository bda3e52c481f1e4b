// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/memory.hpp"

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr std::size_t pitch_alignment = 512;

int allocate(address* data, std::size_t nbytes) {
  void* new_data = nullptr;
  const int status = driver_api().allocate(&new_data, nbytes);
  if (status != code::success) return status;
  note_allocation(new_data);
  *data = address_of(new_data);
  return code::success;
}

/// Locations of memory: CUmemLocationType; the first version of the functions has a device's number
/// or -1 for the host.
constexpr int first_host_location = 2;
constexpr int last_host_location = 4;
constexpr int host_number = -1;

int check_location(const abi::MemoryLocation& location) noexcept {
  if (location.kind >= first_host_location && location.kind <= last_host_location) {
    return code::success;
  }
  if (location.kind != abi::location_of_device) return code::invalid_value;
  return exists(location.number) ? code::success : code::invalid_device;
}
abi::MemoryLocation location_of(int device) noexcept {
  return device == host_number ? abi::MemoryLocation{first_host_location, 0}
                               : abi::MemoryLocation{abi::location_of_device, device};
}

/// Returns success if `nbytes` at `data` are managed memory. Prefetches and advice only check this:
/// the host and all devices can access managed memory at any time here.
int check_managed(address data, std::size_t nbytes) {
  const KnownMemory memory = memory_at(data);
  if (!memory || !memory.use.is_managed || nbytes == 0) return code::invalid_value;
  const std::size_t left = memory.block.nbytes - (data - address_of(memory.block.data));
  return nbytes <= left ? code::success : code::invalid_value;
}

}  // namespace

KnownMemory memory_at(address data) noexcept {
  rehearsal::System& all = rehearsal::System::instance();
  KnownMemory memory;
  memory.ordinal = all.owner(pointer(data));
  if (memory.ordinal >= 0) {
    memory.block = all.find(pointer(data), false);
  } else {
    memory.block = all.pinned.find(pointer(data));
    if (memory) memory.use = all.pinned.use_of(pointer(data));
  }
  return memory;
}

int memory_get_info(std::size_t* free, std::size_t* total) {
  return in_context([&]() -> int {
    if (has_null(free, total)) return code::invalid_value;
    return driver_api().memory_info(free, total);
  });
}

int memory_allocate(address* data, std::size_t nbytes) {
  return in_context([&]() -> int {
    if (has_null(data) || nbytes == 0) return code::invalid_value;
    return allocate(data, nbytes);
  });
}

int memory_allocate_pitch(address* data, std::size_t* pitch, std::size_t width, std::size_t height,
                          unsigned element) {
  return in_context([&]() -> int {
    if (has_null(data, pitch) || width == 0 || height == 0) return code::invalid_value;
    if (element != 4 && element != 8 && element != 16) return code::invalid_value;
    const std::size_t row = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    if (row < width || row > static_cast<std::size_t>(-1) / height) return code::invalid_value;
    const int status = allocate(data, row * height);
    if (status == code::success) *pitch = row;
    return status;
  });
}

int memory_free(address data) {
  return release_in_context([&]() -> int {
    if (data == 0) return code::success;
    const KnownMemory memory = memory_at(data);
    if (!memory || address_of(memory.block.data) != data) return code::invalid_value;
    return memory.ordinal >= 0 || memory.use.is_managed ? driver_api().deallocate(pointer(data))
                                                        : code::invalid_value;
  });
}

int memory_get_range(address* base, std::size_t* nbytes, address data) {
  return in_context([&]() -> int {
    const KnownMemory memory = memory_at(data);
    if (!memory) return code::not_found;
    if (base != nullptr) *base = address_of(memory.block.data);
    if (nbytes != nullptr) *nbytes = memory.block.nbytes;
    return code::success;
  });
}

int memory_allocate_managed(address* data, std::size_t nbytes, unsigned flags) {
  constexpr unsigned attach_global = 1;
  constexpr unsigned attach_host = 2;
  return in_context([&]() -> int {
    if (has_null(data) || nbytes == 0) return code::invalid_value;
    if (flags != attach_global && flags != attach_host) return code::invalid_value;
    void* new_data = nullptr;
    const int status = driver_api().allocate_managed(&new_data, nbytes);
    if (status != code::success) return status;
    *data = address_of(new_data);
    return code::success;
  });
}

int memory_prefetch_v1(address data, std::size_t nbytes, int device, void* stream) {
  return memory_prefetch(data, nbytes, location_of(device), 0, stream);
}
int memory_prefetch(address data, std::size_t nbytes, abi::MemoryLocation location, unsigned flags,
                    void*) {
  return in_context([&]() -> int {
    if (flags != 0) return code::invalid_value;
    const int status = check_location(location);
    return status == code::success ? check_managed(data, nbytes) : status;
  });
}
int memory_advise_v1(address data, std::size_t nbytes, int advice, int device) {
  return memory_advise(data, nbytes, advice, location_of(device));
}
int memory_advise(address data, std::size_t nbytes, int advice, abi::MemoryLocation location) {
  // CUmem_advise
  constexpr int first_advice = 1;
  constexpr int set_preferred_location = 3;
  constexpr int set_accessed_by = 5;
  constexpr int last_advice = 6;
  return in_context([&]() -> int {
    if (advice < first_advice || advice > last_advice) return code::invalid_value;
    // The others ignore the location.
    const bool needs_location = advice == set_preferred_location || advice >= set_accessed_by;
    const int status = needs_location ? check_location(location) : code::success;
    return status == code::success ? check_managed(data, nbytes) : status;
  });
}

}  // namespace skerry::emulation::driver
