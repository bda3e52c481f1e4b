// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// The state spaces of PTX addresses. Constant memory is accessed as global memory.
enum class MemorySpace : std::uint8_t { generic, global, shared, local, parameter };

/// Calls `function` with the space as a template argument.
template <class Function>
auto with_space(MemorySpace space, Function&& function) {
  using enum MemorySpace;
  switch (space) {
    case generic:
      return function.template operator()<generic>();
    case global:
      return function.template operator()<global>();
    case shared:
      return function.template operator()<shared>();
    case local:
      return function.template operator()<local>();
    default:
      return function.template operator()<parameter>();
  }
}

struct MemoryAccess {
  std::uint32_t nbytes = 0;  ///< per lane
  bool writes = false;
  bool is_vector = false;
};

/// Host address of each lane's access. An inactive lane has the address of an active one.
struct alignas(64) LaneAddresses {
  std::array<std::uint64_t, warp_size> values;
  [[nodiscard]] std::byte* pointer(int lane) const noexcept {
    return reinterpret_cast<std::byte*>(values[static_cast<std::size_t>(lane)]);
  }
};

/// Checks the access of every active lane, exactly to the byte, and returns the host addresses.
/// Faults with 700 or 716.
template <MemorySpace Space>
void resolve(Warp& warp, const Instruction& instruction, lane_mask active, MemoryAccess access,
             LaneAddresses& addresses);

/// Fast path for an access of all lanes whose addresses are contiguous in lane order and need no
/// per-lane checks. Returns the first lane's host address; null if resolve() has to be called.
template <MemorySpace Space>
[[nodiscard]] std::byte* resolve_contiguous(Warp& warp, const Instruction& instruction,
                                            MemoryAccess access);

/// Check an access at one address, such as that of a copy, and return the host address.
[[nodiscard]] std::byte* resolve_shared(Warp& warp, int lane, std::uint64_t address,
                                        MemoryAccess access, std::uint32_t alignment);
[[nodiscard]] std::byte* resolve_global(Warp& warp, const Instruction& instruction, int lane,
                                        std::uint64_t address, MemoryAccess access,
                                        std::uint32_t alignment);

/// Returns the bytes from a generic address to the end of the allocation or memory that contains
/// it. Faults if there are fewer than `access.nbytes`.
[[nodiscard]] std::span<std::byte> reachable(Warp& warp, const Instruction& instruction, int lane,
                                             std::uint64_t address, MemoryAccess access);

/// True if a generic address is in the shared memory of the cluster or in the warp's local memory.
[[nodiscard]] bool is_shared_or_local(const Warp& warp, std::uint64_t address) noexcept;

/// Converts a generic address of the block's shared memory to a shared one; returns others
/// unchanged.
[[nodiscard]] std::uint64_t without_shared_base(const Warp& warp, std::uint64_t address) noexcept;

}  // namespace skerry::emulation
