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
enum class asked : int {
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

int ordinal_of_memory(const known_memory& found) noexcept {
  return found.ordinal >= 0 ? found.ordinal : rehearsal::current_ordinal();
}

int give_attribute(const known_memory& found, asked attribute, void* value, address data) {
  constexpr std::uint64_t read_write = 3;
  const address base = address_of(found.block.data);
  const bool is_devices = found.ordinal >= 0;
  switch (attribute) {
    case asked::context:
      return give(value, primary_context(ordinal_of_memory(found)));
    case asked::memory_type:
      return give(value, is_devices || found.use.is_managed ? abi::memory_kind::device
                                                            : abi::memory_kind::host);
    case asked::device_pointer:
      return give(value, data);
    case asked::host_pointer:
      return is_devices ? code::invalid_value : give(value, data);
    case asked::is_managed:
      return give(value, static_cast<int>(found.use.is_managed));
    case asked::device_ordinal:
      return give(value, ordinal_of_memory(found));
    case asked::buffer_id:
    case asked::block_id:
    case asked::range_start:
    case asked::mapping_base:
      return give(value, base);
    case asked::range_size:
    case asked::mapping_size:
      return give(value, found.block.nbytes);
    case asked::is_mapped:
      return give(value, 1);
    case asked::synchronous:
    case asked::is_ipc_capable:
    case asked::is_rdma_capable:
    case asked::is_decompress_capable:
      return give(value, 0);
    case asked::handle_types:
      return give(value, std::uint64_t{0});
    case asked::access_flags:
      return give(value, read_write);
    case asked::pool:
      return give(value, pool_of(base));
  }
  return code::invalid_value;
}

}  // namespace

int pointer_get_attribute(void* value, int attribute, address data) {
  return answer([&]() -> int {
    if (has_null(value)) return code::invalid_value;
    const known_memory found = memory_at(data);
    if (!found) return code::invalid_value;
    return give_attribute(found, static_cast<asked>(attribute), value, data);
  });
}

int pointer_get_attributes(unsigned count, const int* attributes, void** values, address data) {
  return answer([&]() -> int {
    if (has_null(attributes, values) || count == 0) return code::invalid_value;
    const known_memory found = memory_at(data);
    for (unsigned i = 0; i < count; ++i) {
      const auto attribute = static_cast<asked>(attributes[i]);
      if (found && give_attribute(found, attribute, values[i], data) == code::success) continue;
      // What no memory has is zero; a null pointer where there would be one.
      const bool is_wide = attribute == asked::context || attribute == asked::device_pointer ||
                           attribute == asked::host_pointer || attribute == asked::buffer_id ||
                           attribute == asked::range_start || attribute == asked::range_size ||
                           attribute == asked::pool;
      if (attribute == asked::device_ordinal) {
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
    if (has_null(value) || static_cast<asked>(attribute) != asked::synchronous) {
      return code::invalid_value;
    }
    return memory_at(data) ? code::success : code::invalid_value;
  });
}

}  // namespace skerry::emulation::driver
