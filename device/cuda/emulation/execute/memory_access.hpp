// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/execute/warp.hpp"

namespace skerry::emulation {

/// The state spaces that PTX addresses. Global and constant memory are the machine's.
enum class memory_space : std::uint8_t { generic, global, shared, local, parameter };

/// Calls `function` with a space as its template's parameter.
template <class Function>
auto with_space(memory_space space, Function&& function) {
  using enum memory_space;
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

struct memory_access {
  std::uint32_t nbytes = 0;  ///< of each lane
  bool writes = false;
  bool is_vector = false;
};

/// Where in the host's memory each lane accesses; of inactive lanes it is an active one's.
struct alignas(64) lane_addresses {
  std::array<std::uint64_t, warp_size> at;
  [[nodiscard]] std::byte* of(int lane) const noexcept {
    return reinterpret_cast<std::byte*>(at[static_cast<std::size_t>(lane)]);
  }
};

/// Checks an access of all active lanes, to the byte, and says where it is; faults with 700 or 716.
template <memory_space Space>
void resolve(warp& on, const instruction& what, lane_mask active, memory_access access,
             lane_addresses& into);

/// Where the first lane accesses memory if all of them do, their `nbytes` lie one behind the other
/// as those of most arrays do, and nobody has to know of each lane; null if resolve() has to look.
template <memory_space Space>
[[nodiscard]] std::byte* resolve_contiguous(warp& on, const instruction& what,
                                            memory_access access);

/// The same for bytes at one address, such as a copy's.
[[nodiscard]] std::byte* resolve_shared(warp& on, int lane, std::uint64_t address,
                                        memory_access access, std::uint32_t alignment);
[[nodiscard]] std::byte* resolve_global(warp& on, const instruction& what, int lane,
                                        std::uint64_t address, memory_access access,
                                        std::uint32_t alignment);

/// The bytes from a generic address on that the lane may access, up to the end of what they lie in;
/// faults if they are fewer than `access.nbytes`.
[[nodiscard]] std::span<std::byte> reachable(warp& on, const instruction& what, int lane,
                                             std::uint64_t address, memory_access access);

/// Whether a generic address is one of the block's shared memory or of the warp's frames.
[[nodiscard]] bool is_shared_or_local(const warp& on, std::uint64_t address) noexcept;

/// The shared address behind a generic one, if it is one; the address itself if it is not.
[[nodiscard]] std::uint64_t without_shared_base(const warp& on, std::uint64_t address) noexcept;

}  // namespace skerry::emulation
