// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Queries about pointers.

#include <cstring>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/contexts.hpp"
#include "device/emulator/driver/memory.hpp"
#include "device/emulator/driver/pools.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

/// CUpointer_attribute
enum class PointerAttribute : int {
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
int give(void* output, Value value) noexcept {
  std::memcpy(output, static_cast<const void*>(&value), sizeof value);
  return code::success;
}

int ordinal_of_memory(const KnownMemory& memory) noexcept {
  if (memory.ordinal >= 0) return memory.ordinal;
  return memory.use.is_managed ? memory.use.ordinal : rehearsal::current_ordinal();
}

int give_attribute(const KnownMemory& memory, PointerAttribute attribute, void* value,
                   address data) {
  constexpr std::uint64_t read_write = 3;
  const address base = address_of(memory.block.data);
  const bool is_devices = memory.ordinal >= 0;
  switch (attribute) {
    case PointerAttribute::context:
      return give(value, primary_context(ordinal_of_memory(memory)));
    case PointerAttribute::memory_type:
      return give(value, is_devices || memory.use.is_managed ? abi::MemoryKind::device
                                                             : abi::MemoryKind::host);
    case PointerAttribute::device_pointer:
      return give(value, data);
    case PointerAttribute::host_pointer:
      return is_devices ? code::invalid_value : give(value, data);
    case PointerAttribute::is_managed:
      return give(value, static_cast<int>(memory.use.is_managed));
    case PointerAttribute::device_ordinal:
      return give(value, ordinal_of_memory(memory));
    case PointerAttribute::buffer_id:
    case PointerAttribute::block_id:
    case PointerAttribute::range_start:
    case PointerAttribute::mapping_base:
      return give(value, base);
    case PointerAttribute::range_size:
    case PointerAttribute::mapping_size:
      return give(value, memory.block.nbytes);
    case PointerAttribute::is_mapped:
      return give(value, 1);
    case PointerAttribute::is_ipc_capable: {
      const bool is_mapped = rehearsal::System::instance().mapped.contains(pointer(data));
      return give(value, static_cast<int>(is_devices && !is_mapped && pool_of(base) == nullptr));
    }
    case PointerAttribute::synchronous:
    case PointerAttribute::is_rdma_capable:
    case PointerAttribute::is_decompress_capable:
      return give(value, 0);
    case PointerAttribute::handle_types:
      return give(value, std::uint64_t{0});
    case PointerAttribute::access_flags:
      return give(value, read_write);
    case PointerAttribute::pool:
      return give(value, pool_of(base));
  }
  return code::invalid_value;
}

}  // namespace

int pointer_get_attribute(void* value, int attribute, address data) {
  return run_entry_point([&]() -> int {
    if (has_null(value)) return code::invalid_value;
    const KnownMemory memory = memory_at(data);
    if (!memory) return code::invalid_value;
    return give_attribute(memory, static_cast<PointerAttribute>(attribute), value, data);
  });
}

int pointer_get_attributes(unsigned count, const int* attributes, void** values, address data) {
  return run_entry_point([&]() -> int {
    if (has_null(attributes, values) || count == 0) return code::invalid_value;
    const KnownMemory memory = memory_at(data);
    for (unsigned i = 0; i < count; ++i) {
      const auto attribute = static_cast<PointerAttribute>(attributes[i]);
      if (memory && give_attribute(memory, attribute, values[i], data) == code::success) continue;
      // Attributes that don't apply are zero or null, except for the device, which is -2.
      const bool is_wide =
          attribute == PointerAttribute::context || attribute == PointerAttribute::device_pointer ||
          attribute == PointerAttribute::host_pointer || attribute == PointerAttribute::buffer_id ||
          attribute == PointerAttribute::range_start || attribute == PointerAttribute::range_size ||
          attribute == PointerAttribute::pool;
      if (attribute == PointerAttribute::device_ordinal) {
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
  return run_entry_point([&]() -> int {
    if (has_null(value) ||
        static_cast<PointerAttribute>(attribute) != PointerAttribute::synchronous) {
      return code::invalid_value;
    }
    return memory_at(data) ? code::success : code::invalid_value;
  });
}

}  // namespace skerry::emulation::driver
