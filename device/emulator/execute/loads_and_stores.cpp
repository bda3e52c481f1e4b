// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/elementwise.hpp"
#include "device/emulator/execute/memory_operations.hpp"

namespace skerry::emulation {
namespace {

void write(const HeldStore& store) {
  std::memcpy(store.destination, store.value.data(), store.nbytes);
}

[[nodiscard]] bool overlaps(const HeldStore& store, const std::byte* begin, std::uint32_t nbytes) {
  return store.destination < begin + nbytes && begin < store.destination + store.nbytes;
}

/// True if an access in this space may be to global memory.
[[nodiscard]] constexpr bool is_global(MemorySpace space) {
  return space == MemorySpace::global || space == MemorySpace::generic;
}

template <class Function>
inline void for_active(lane_mask active, Function&& function) {
  if (active == all_lanes) {
    for (int lane = 0; lane < warp_size; ++lane) function(lane);
  } else {
    for_lanes(active, function);
  }
}

/// Extends an element to the width of its register.
template <class R, class T>
[[nodiscard]] R extended(T value) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<R>(static_cast<s64>(value));
  } else {
    return static_cast<R>(value);
  }
}

/// True if an access to parameters is valid; if not, resolve() reports why.
[[nodiscard]] bool is_parameter(const Warp& warp, std::int64_t offset, std::uint32_t nbytes) {
  const std::size_t size = warp.owner->launch_state.parameters.size();
  return offset >= 0 && offset % nbytes == 0 && static_cast<std::size_t>(offset) + nbytes <= size;
}

/// Loads a kernel parameter by name: one value for all lanes.
template <class T, class R>
void load_parameter(Warp& warp, const Instruction& instruction, lane_mask active) {
  const auto& parameters = warp.owner->launch_state.parameters;
  const auto offset = static_cast<std::size_t>(instruction.immediate);
  for (std::size_t element = 0; element < instruction.count; ++element) {
    if (instruction.destination[element] == no_row) continue;
    T value;
    std::memcpy(&value, parameters.data() + offset + element * sizeof(T), sizeof value);
    fill(warp.values<R>(instruction.destination[element]), extended<R>(value), active);
  }
}

/// True for the spaces that resolve_contiguous() supports.
[[nodiscard]] constexpr bool may_be_contiguous(MemorySpace space) {
  return is_global(space) || space == MemorySpace::shared;
}

/// Loads contiguous vectors of Count elements; each element has a row of its own.
template <class T, class R, std::size_t Count>
void load_contiguous(Warp& warp, const Instruction& instruction, const std::byte* source) {
  const T* const elements = reinterpret_cast<const T*>(source);
  for (std::size_t element = 0; element < Count; ++element) {
    if (instruction.destination[element] == no_row) continue;
    R* const destination = warp.values<R>(instruction.destination[element]);
    SKERRY_IVDEP
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      destination[lane] = extended<R>(elements[lane * Count + element]);
    }
  }
}

template <class T, class R, std::size_t Count>
void store_contiguous(Warp& warp, const Instruction& instruction, std::byte* destination) {
  T* const elements = reinterpret_cast<T*>(destination);
  for (std::size_t element = 0; element < Count; ++element) {
    const R* const source = warp.values<const R>(instruction.source[1 + element]);
    SKERRY_IVDEP
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      elements[lane * Count + element] = static_cast<T>(source[lane]);
    }
  }
}

/// Calls `function` with the number of elements of a vector: 1, 2 or 4.
template <class Function>
inline void with_count(std::size_t count, Function&& function) {
  if (count == 1) return function(std::integral_constant<std::size_t, 1>());
  if (count == 2) return function(std::integral_constant<std::size_t, 2>());
  function(std::integral_constant<std::size_t, 4>());
}

/// Loads elements T into registers R, with sign extension.
template <class T, class R, MemorySpace Space>
void load(Warp& warp, const Instruction& instruction, lane_mask active) {
  const auto nbytes = static_cast<std::uint32_t>(sizeof(T) * instruction.count);
  if (Space == MemorySpace::parameter && instruction.is_uniform &&
      is_parameter(warp, instruction.immediate, nbytes)) {
    return load_parameter<T, R>(warp, instruction, active);
  }
  const MemoryAccess access{.nbytes = nbytes, .writes = false, .is_vector = instruction.count > 1};
  if constexpr (may_be_contiguous(Space)) {
    const std::byte* const begin =
        active == all_lanes ? resolve_contiguous<Space>(warp, instruction, access) : nullptr;
    if (begin != nullptr) {
      return with_count(instruction.count,
                        [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
                          load_contiguous<T, R, n>(warp, instruction, begin);
                        });
    }
  }
  LaneAddresses addresses;
  resolve<Space>(warp, instruction, active, access, addresses);
  if (is_global(Space) && !warp.owner->held_stores[warp.number].empty()) {
    for_lanes(active, [&](int lane) { release_stores_at(warp, addresses.pointer(lane), nbytes); });
  }
  for (std::size_t element = 0; element < instruction.count; ++element) {
    if (instruction.destination[element] == no_row) continue;
    R* const destination = warp.values<R>(instruction.destination[element]);
    for_active(active, [&](int lane) {
      T value;
      std::memcpy(&value, addresses.pointer(lane) + element * sizeof(T), sizeof value);
      destination[lane] = extended<R>(value);
    });
  }
}

/// Holds the stores back until a fence, a barrier or the end of the thread: earlier reads by other
/// threads see the old values.
template <class T, class R>
void hold_stores(Warp& warp, const Instruction& instruction, lane_mask active,
                 const LaneAddresses& addresses) {
  for_lanes(active, [&](int lane) {
    for (std::size_t element = 0; element < instruction.count; ++element) {
      const auto value =
          static_cast<T>(warp.values<const R>(instruction.source[1 + element])[lane]);
      std::array<std::byte, sizeof(T)> bytes;
      std::memcpy(bytes.data(), &value, sizeof value);
      hold_store(warp, addresses.pointer(lane) + element * sizeof(T), bytes.data(), sizeof(T));
    }
  });
}

template <class T, class R, MemorySpace Space>
void store(Warp& warp, const Instruction& instruction, lane_mask active) {
  const auto nbytes = static_cast<std::uint32_t>(sizeof(T) * instruction.count);
  const MemoryAccess access{.nbytes = nbytes, .writes = true};
  if constexpr (may_be_contiguous(Space)) {
    std::byte* const begin =
        active == all_lanes ? resolve_contiguous<Space>(warp, instruction, access) : nullptr;
    if (begin != nullptr) {
      return with_count(instruction.count,
                        [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
                          store_contiguous<T, R, n>(warp, instruction, begin);
                        });
    }
  }
  LaneAddresses addresses;
  resolve<Space>(warp, instruction, active, access, addresses);
  if (is_global(Space) && warp.owner->launch_state.device.holds_stores_back) {
    // Stores by generic address are not held: they may be to shared memory, whose other accesses do
    // not look at held stores.
    if (!instruction.is_strong && Space == MemorySpace::global) {
      return hold_stores<T, R>(warp, instruction, active, addresses);
    }
    for_lanes(active, [&](int lane) { release_stores_at(warp, addresses.pointer(lane), nbytes); });
  }
  for (std::size_t element = 0; element < instruction.count; ++element) {
    const R* const source = warp.values<const R>(instruction.source[1 + element]);
    for_active(active, [&](int lane) {
      const auto value = static_cast<T>(source[lane]);
      std::memcpy(addresses.pointer(lane) + element * sizeof(T), &value, sizeof value);
    });
  }
}

/// Returns the handler for registers of this size, which is at least that of an element.
template <bool Stores, class T, MemorySpace Space>
[[nodiscard]] handler for_registers(std::uint32_t nbytes) {
  handler function = nullptr;
  const auto consider = [&]<class R>(std::type_identity<R> /*registers*/) {
    if constexpr (sizeof(R) >= sizeof(T) && (sizeof(R) == 16) == (sizeof(T) == 16)) {
      if (sizeof(R) != nbytes) return;
      if constexpr (Stores) {
        function = store<T, R, Space>;
      } else {
        function = load<T, R, Space>;
      }
    }
  };
  (consider(std::type_identity<u16>()), consider(std::type_identity<u32>()),
   consider(std::type_identity<u64>()));
  consider(std::type_identity<b128>());
  return function;
}

/// Returns the handler for a type. Loads sign-extend signed elements into wider registers. ld and
/// st have no .f16: halves are moved as .b16.
template <bool Stores, MemorySpace Space>
[[nodiscard]] handler for_elements(std::string_view type, std::uint32_t nbytes) {
  const auto is = [&](auto... names) { return ((type == names) || ...); };
  if (!Stores && is("s8")) return for_registers<Stores, s8, Space>(nbytes);
  if (!Stores && is("s16")) return for_registers<Stores, s16, Space>(nbytes);
  if (!Stores && is("s32")) return for_registers<Stores, s32, Space>(nbytes);
  if (is("b8", "u8", "s8")) return for_registers<Stores, u8, Space>(nbytes);
  if (is("b16", "u16", "s16")) return for_registers<Stores, u16, Space>(nbytes);
  if (is("b32", "u32", "s32", "f32")) return for_registers<Stores, u32, Space>(nbytes);
  if (is("b64", "u64", "s64", "f64")) return for_registers<Stores, u64, Space>(nbytes);
  return is("b128") ? for_registers<Stores, b128, Space>(nbytes) : nullptr;
}

}  // namespace

handler load_operation(MemorySpace space, std::string_view type, std::uint32_t register_nbytes) {
  return with_space(space, [&]<MemorySpace Space>() {
    return for_elements<false, Space>(type, register_nbytes);
  });
}

handler store_operation(MemorySpace space, std::string_view type, std::uint32_t register_nbytes) {
  return with_space(space, [&]<MemorySpace Space>() -> handler {
    if constexpr (Space == MemorySpace::parameter)
      return nullptr;
    else
      return for_elements<true, Space>(type, register_nbytes);
  });
}

void hold_store(Warp& warp, std::byte* destination, const std::byte* value, std::uint32_t nbytes) {
  // Two stores of a warp to the same address keep their order.
  release_stores_at(warp, destination, nbytes);
  HeldStore held_store{.destination = destination, .nbytes = nbytes};
  std::memcpy(held_store.value.data(), value, nbytes);
  warp.owner->held_stores[warp.number].push_back(held_store);
}

void release_stores(Warp& warp) {
  std::vector<HeldStore>& held_stores = warp.owner->held_stores[warp.number];
  if (held_stores.empty()) return;
  for (std::size_t left = held_stores.size(); left > 0; --left) {
    const std::size_t next =
        warp.owner->launch_state.random.below(static_cast<std::uint32_t>(left));
    write(held_stores[next]);
    held_stores[next] = held_stores[left - 1];
  }
  held_stores.clear();
}

void release_stores_at(Warp& warp, const std::byte* begin, std::uint32_t nbytes) {
  std::vector<HeldStore>& held_stores = warp.owner->held_stores[warp.number];
  if (held_stores.empty()) return;
  std::erase_if(held_stores, [&](const HeldStore& store) {
    const bool is_there = overlaps(store, begin, nbytes);
    if (is_there) write(store);
    return is_there;
  });
}

}  // namespace skerry::emulation
