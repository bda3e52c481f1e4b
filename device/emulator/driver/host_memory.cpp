// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Host memory that devices can access, at the address that the host uses.

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/memory.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr unsigned portable = 1;
constexpr unsigned device_map = 2;
constexpr unsigned write_combined = 4;
constexpr unsigned of_device_memory = 4;  ///< CU_MEMHOSTREGISTER_IOMEMORY
constexpr unsigned read_only = 8;

int allocate(void** data, std::size_t nbytes, unsigned flags) {
  const int status = driver_api().host_allocate(data, nbytes);
  if (status == code::success) {
    rehearsal::System::instance().pinned.set_use(*data, {flags | device_map, false});
  }
  return status;
}

/// True for pinned memory that is not managed.
[[nodiscard]] bool is_pinned(const void* data) noexcept {
  const KnownMemory memory = memory_at(address_of(data));
  return memory && memory.ordinal < 0 && !memory.use.is_managed;
}

}  // namespace

int host_allocate_default(void** data, std::size_t nbytes) {
  return host_allocate(data, nbytes, 0);
}

int host_allocate(void** data, std::size_t nbytes, unsigned flags) {
  return in_context([&]() -> int {
    if (has_null(data) || nbytes == 0) return code::invalid_value;
    if ((flags & ~(portable | device_map | write_combined)) != 0) return code::invalid_value;
    return allocate(data, nbytes, flags);
  });
}

int host_free(void* data) {
  return release_in_context([&]() -> int {
    return is_pinned(data) ? driver_api().host_deallocate(data) : code::invalid_value;
  });
}

int host_get_device_pointer(address* data, void* host, unsigned flags) {
  return in_context([&]() -> int {
    if (has_null(data) || flags != 0 || !is_pinned(host)) return code::invalid_value;
    *data = address_of(host);
    return code::success;
  });
}

int host_get_flags(unsigned* flags, void* host) {
  return in_context([&]() -> int {
    if (has_null(flags) || !is_pinned(host)) return code::invalid_value;
    *flags = memory_at(address_of(host)).use.flags;
    return code::success;
  });
}

int host_register(void* data, std::size_t nbytes, unsigned flags) {
  return in_context([&]() -> int {
    if (has_null(data) || nbytes == 0) return code::invalid_value;
    if ((flags & of_device_memory) != 0) return unsupported("cuMemHostRegister of I/O memory");
    if ((flags & ~(portable | device_map | read_only)) != 0) return code::invalid_value;
    const int status = driver_api().host_register(data, nbytes);
    if (status == code::success) {
      rehearsal::System::instance().pinned.set_use(data, {flags | device_map, false});
    }
    return status;
  });
}

int host_unregister(void* data) {
  return in_context([&]() -> int {
    constexpr int not_registered = 713;
    if (has_null(data)) return code::invalid_value;
    const int status = driver_api().host_unregister(data);
    return status == code::invalid_value ? not_registered : status;
  });
}

}  // namespace skerry::emulation::driver
