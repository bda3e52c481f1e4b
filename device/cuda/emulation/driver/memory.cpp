// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/driver/memory.hpp"

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr std::size_t pitch_alignment = 512;

int allocate(address* data, std::size_t nbytes) {
  void* fresh = nullptr;
  const int status = machine_calls().allocate(&fresh, nbytes);
  if (status == code::success) *data = address_of(fresh);
  return status;
}

/// Managed memory of `nbytes` at `data`, which kernels and the host have at any time here.
int check_managed(address data, std::size_t nbytes) {
  const KnownMemory found = memory_at(data);
  if (!found || !found.use.is_managed || nbytes == 0) return code::invalid_value;
  const std::size_t left = found.block.nbytes - (data - address_of(found.block.data));
  return nbytes <= left ? code::success : code::invalid_value;
}

}  // namespace

KnownMemory memory_at(address data) noexcept {
  rehearsal::Machine& all = rehearsal::Machine::instance();
  KnownMemory found;
  found.ordinal = all.owner(pointer(data));
  if (found.ordinal >= 0) {
    found.block = all.find(pointer(data), false);
  } else {
    found.block = all.pinned.find(pointer(data));
    if (found) found.use = all.pinned.use_of(pointer(data));
  }
  return found;
}

int memory_get_info(std::size_t* free, std::size_t* total) {
  return in_context([&]() -> int {
    if (has_null(free, total)) return code::invalid_value;
    return machine_calls().memory_info(free, total);
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
  return in_context([&]() -> int {
    if (data == 0) return code::success;
    const KnownMemory found = memory_at(data);
    if (!found || address_of(found.block.data) != data) return code::invalid_value;
    if (found.ordinal >= 0) return machine_calls().deallocate(pointer(data));
    return found.use.is_managed ? machine_calls().host_deallocate(pointer(data))
                                : code::invalid_value;
  });
}

int memory_get_range(address* base, std::size_t* nbytes, address data) {
  return in_context([&]() -> int {
    const KnownMemory found = memory_at(data);
    if (!found) return code::not_found;
    if (base != nullptr) *base = address_of(found.block.data);
    if (nbytes != nullptr) *nbytes = found.block.nbytes;
    return code::success;
  });
}

int memory_allocate_managed(address* data, std::size_t nbytes, unsigned flags) {
  constexpr unsigned attach_global = 1;
  constexpr unsigned attach_host = 2;
  return in_context([&]() -> int {
    if (has_null(data) || nbytes == 0) return code::invalid_value;
    if (flags != attach_global && flags != attach_host) return code::invalid_value;
    void* fresh = nullptr;
    const int status = machine_calls().host_allocate(&fresh, nbytes);
    if (status != code::success) return status;
    rehearsal::Machine::instance().pinned.set_use(fresh, {flags, true});
    *data = address_of(fresh);
    return code::success;
  });
}

int memory_prefetch_v1(address data, std::size_t nbytes, int, void*) {
  return in_context([&] { return check_managed(data, nbytes); });
}
int memory_prefetch(address data, std::size_t nbytes, abi::MemoryLocation, unsigned flags, void*) {
  return in_context(
      [&]() -> int { return flags == 0 ? check_managed(data, nbytes) : code::invalid_value; });
}
int memory_advise_v1(address data, std::size_t nbytes, int, int) {
  return in_context([&] { return check_managed(data, nbytes); });
}
int memory_advise(address data, std::size_t nbytes, int, abi::MemoryLocation) {
  return in_context([&] { return check_managed(data, nbytes); });
}

}  // namespace skerry::emulation::driver
