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

/// The state spaces that PTX addresses. Global and constant memory are the machine's.
enum class MemorySpace : std::uint8_t { generic, global, shared, local, parameter };

/// Calls `function` with a space as its template's parameter.
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
  std::uint32_t nbytes = 0;  ///< of each lane
  bool writes = false;
  bool is_vector = false;
};

/// Where in the host's memory each lane accesses; of inactive lanes it is an active one's.
struct alignas(64) LaneAddresses {
  std::array<std::uint64_t, warp_size> values;
  [[nodiscard]] std::byte* pointer(int lane) const noexcept {
    return reinterpret_cast<std::byte*>(values[static_cast<std::size_t>(lane)]);
  }
};

/// Checks an access of all active lanes, to the byte, and says where it is; faults with 700 or 716.
template <MemorySpace Space>
void resolve(Warp& warp, const Instruction& instruction, lane_mask active, MemoryAccess access,
             LaneAddresses& addresses);

/// Where the first lane accesses memory if all of them do, their `nbytes` lie one behind the other
/// as those of most arrays do, and nobody has to know of each lane; null if resolve() has to look.
template <MemorySpace Space>
[[nodiscard]] std::byte* resolve_contiguous(Warp& warp, const Instruction& instruction,
                                            MemoryAccess access);

/// The same for bytes at one address, such as a copy's.
[[nodiscard]] std::byte* resolve_shared(Warp& warp, int lane, std::uint64_t address,
                                        MemoryAccess access, std::uint32_t alignment);
[[nodiscard]] std::byte* resolve_global(Warp& warp, const Instruction& instruction, int lane,
                                        std::uint64_t address, MemoryAccess access,
                                        std::uint32_t alignment);

/// The bytes from a generic address on that the lane may access, up to the end of what they lie in;
/// faults if they are fewer than `access.nbytes`.
[[nodiscard]] std::span<std::byte> reachable(Warp& warp, const Instruction& instruction, int lane,
                                             std::uint64_t address, MemoryAccess access);

/// Whether a generic address is one of the block's shared memory or of the warp's frames.
[[nodiscard]] bool is_shared_or_local(const Warp& warp, std::uint64_t address) noexcept;

/// The shared address behind a generic one, if it is one; the address itself if it is not.
[[nodiscard]] std::uint64_t without_shared_base(const Warp& warp, std::uint64_t address) noexcept;

}  // namespace skerry::emulation
