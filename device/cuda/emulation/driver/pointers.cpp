// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// What programs ask of a pointer.

#include <cstring>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/contexts.hpp"
#include "device/cuda/emulation/driver/memory.hpp"
#include "device/cuda/emulation/driver/pools.hpp"

namespace skerry::emulation::driver {

namespace {

/// CUpointer_attribute
enum class Asked : int {
  context = 1,
  memory_type = 2,
  device_pointer = 3,
  host_pointer = 4,
  synchronous = 6,
  buffer_id = 7,
  is_managed = 8,
  device_ordinal = 9,
  is_ipc_capable = 10,
  range_start = 11,
  range_size = 12,
  is_mapped = 13,
  handle_types = 14,
  is_rdma_capable = 15,
  access_flags = 16,
  pool = 17,
  mapping_size = 18,
  mapping_base = 19,
  block_id = 20,
  is_decompress_capable = 21,
};

template <class Value>
int give(void* into, Value value) noexcept {
  std::memcpy(into, static_cast<const void*>(&value), sizeof value);
  return code::success;
}

int ordinal_of_memory(const KnownMemory& found) noexcept {
  return found.ordinal >= 0 ? found.ordinal : rehearsal::current_ordinal();
}

int give_attribute(const KnownMemory& found, Asked attribute, void* value, address data) {
  constexpr std::uint64_t read_write = 3;
  const address base = address_of(found.block.data);
  const bool is_devices = found.ordinal >= 0;
  switch (attribute) {
    case Asked::context:
      return give(value, primary_context(ordinal_of_memory(found)));
    case Asked::memory_type:
      return give(value, is_devices || found.use.is_managed ? abi::MemoryKind::device
                                                            : abi::MemoryKind::host);
    case Asked::device_pointer:
      return give(value, data);
    case Asked::host_pointer:
      return is_devices ? code::invalid_value : give(value, data);
    case Asked::is_managed:
      return give(value, static_cast<int>(found.use.is_managed));
    case Asked::device_ordinal:
      return give(value, ordinal_of_memory(found));
    case Asked::buffer_id:
    case Asked::block_id:
    case Asked::range_start:
    case Asked::mapping_base:
      return give(value, base);
    case Asked::range_size:
    case Asked::mapping_size:
      return give(value, found.block.nbytes);
    case Asked::is_mapped:
      return give(value, 1);
    case Asked::synchronous:
    case Asked::is_ipc_capable:
    case Asked::is_rdma_capable:
    case Asked::is_decompress_capable:
      return give(value, 0);
    case Asked::handle_types:
      return give(value, std::uint64_t{0});
    case Asked::access_flags:
      return give(value, read_write);
    case Asked::pool:
      return give(value, pool_of(base));
  }
  return code::invalid_value;
}

}  // namespace

int pointer_get_attribute(void* value, int attribute, address data) {
  return answer([&]() -> int {
    if (has_null(value)) return code::invalid_value;
    const KnownMemory found = memory_at(data);
    if (!found) return code::invalid_value;
    return give_attribute(found, static_cast<Asked>(attribute), value, data);
  });
}

int pointer_get_attributes(unsigned count, const int* attributes, void** values, address data) {
  return answer([&]() -> int {
    if (has_null(attributes, values) || count == 0) return code::invalid_value;
    const KnownMemory found = memory_at(data);
    for (unsigned i = 0; i < count; ++i) {
      const auto attribute = static_cast<Asked>(attributes[i]);
      if (found && give_attribute(found, attribute, values[i], data) == code::success) continue;
      // What no memory has is zero; a null pointer where there would be one.
      const bool is_wide = attribute == Asked::context || attribute == Asked::device_pointer ||
                           attribute == Asked::host_pointer || attribute == Asked::buffer_id ||
                           attribute == Asked::range_start || attribute == Asked::range_size ||
                           attribute == Asked::pool;
      if (attribute == Asked::device_ordinal) {
        constexpr int no_device = -2;
        give(values[i], no_device);
      } else {
        std::memset(values[i], 0, is_wide ? sizeof(address) : sizeof(int));
      }
    }
    return code::success;
  });
}

int pointer_set_attribute(const void* value, int attribute, address data) {
  return answer([&]() -> int {
    if (has_null(value) || static_cast<Asked>(attribute) != Asked::synchronous) {
      return code::invalid_value;
    }
    return memory_at(data) ? code::success : code::invalid_value;
  });
}

}  // namespace skerry::emulation::driver
