// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/memory_access.hpp"

#include "device/emulator/check/global_races.hpp"
#include "device/emulator/check/memory_footprint.hpp"
#include "device/emulator/check/request_counter.hpp"
#include "device/emulator/check/shared_races.hpp"
#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/address_checks.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/clusters.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] RequestedAccess requested_access(MemoryAccess access, const char* space,
                                               std::uint64_t address, std::uint32_t alignment = 0) {
  return {.space = space,
          .address = address,
          .nbytes = access.nbytes,
          .writes = access.writes,
          .alignment = alignment};
}

[[noreturn]] void misaligned(int lane, MemoryAccess access, const char* space,
                             std::uint64_t address, std::uint32_t alignment) {
  throw KernelFault{.code = code::misaligned_address,
                    .lane = lane,
                    .summary = {},
                    .access = requested_access(access, space, address, alignment)};
}

[[noreturn]] void out_of_bounds(int lane, MemoryAccess access, const char* space,
                                std::uint64_t address, std::uint64_t nbytes) {
  throw KernelFault{.code = code::illegal_address,
                    .lane = lane,
                    .summary = {},
                    .access = requested_access(access, space, address),
                    .memory = {.state = MemoryState::live, .nbytes = nbytes, .address = address}};
}

[[nodiscard]] FailureKind kind_of(MemoryState state) noexcept {
  switch (state) {
    case MemoryState::host:
      return FailureKind::host_pointer;
    case MemoryState::unreachable:
      return FailureKind::wrong_device;
    case MemoryState::freed:
      return FailureKind::use_after_free;
    default:
      return FailureKind::out_of_bounds;
  }
}

void gather(Warp& warp, const Instruction& instruction, lane_mask active,
            LaneAddresses& addresses) {
  auto& values = addresses.values;
  const auto offset = static_cast<std::uint64_t>(instruction.immediate);
  if (instruction.is_uniform) {
    values.fill(offset);
    return;
  }
  if (instruction.operand_nbytes == 4) {
    const auto* const bases = warp.values<const std::uint32_t>(instruction.source[0]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      values[lane] = static_cast<std::uint32_t>(bases[lane] + static_cast<std::uint32_t>(offset));
    }
  } else {
    const auto* const bases = warp.values<const std::uint64_t>(instruction.source[0]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) values[lane] = bases[lane] + offset;
  }
  if (active != all_lanes) {
    const std::uint64_t first = values[static_cast<std::size_t>(std::countr_zero(active))];
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      values[lane] = (active & (lane_mask{1} << lane)) != 0 ? values[lane] : first;
    }
  }
}

void check_alignment(const LaneAddresses& addresses, lane_mask active, MemoryAccess access,
                     const char* space) {
  std::uint64_t bits = 0;
  for (const std::uint64_t address : addresses.values) bits |= address;
  if ((bits & (access.nbytes - 1)) == 0) return;
  for_lanes(active, [&](int lane) {
    const std::uint64_t address = addresses.values[static_cast<std::size_t>(lane)];
    if ((address & (access.nbytes - 1)) != 0) {
      misaligned(lane, access, space, address, access.nbytes);
    }
  });
}

/// Returns the end of accessible shared memory. Compilers load a whole vector when they need only
/// its first elements; on a GPU this is within bounds, since shared memory is allocated in units of
/// more than 16 bytes.
[[nodiscard]] std::uint64_t end_of_shared(std::uint64_t nbytes, MemoryAccess access) noexcept {
  const bool reads_vector = access.is_vector && !access.writes;
  return reads_vector ? (nbytes + shared_vector - 1) / shared_vector * shared_vector : nbytes;
}

[[nodiscard]] Allocation find_global(Warp& warp, int lane, std::uint64_t address,
                                     MemoryAccess access) {
  const LaunchState& memory = warp.owner->launch_state;
  const Allocation allocation = memory.find(address);
  if (!is_within(address, allocation.begin, allocation.end - allocation.begin, access.nbytes)) {
    const MemoryNear nearest_memory =
        memory.nearest(allocation.end > allocation.begin ? allocation.end : address);
    throw KernelFault{.code = code::illegal_address,
                      .lane = lane,
                      .summary = {},
                      .kind = kind_of(nearest_memory.state),
                      .access = requested_access(access, "global", address),
                      .memory = nearest_memory};
  }
  return allocation;
}

[[nodiscard]] Allocation& cached_allocation_of(const Warp& warp, const Instruction& instruction) {
  LaunchState& launch_state = warp.owner->launch_state;
  return launch_state.cached_allocations[static_cast<std::size_t>(
      &instruction - launch_state.program.instructions.data())];
}

/// As find_global(), but first tries the instruction's cached allocation.
void find_known(Warp& warp, const Instruction& instruction, int lane, std::uint64_t address,
                MemoryAccess access) {
  Allocation& cached_allocation = cached_allocation_of(warp, instruction);
  if (!is_within(address, cached_allocation.begin, cached_allocation.end - cached_allocation.begin,
                 access.nbytes)) {
    cached_allocation = find_global(warp, lane, address, access);
  }
}

void resolve_all_global(Warp& warp, const Instruction& instruction, lane_mask active,
                        MemoryAccess access, LaneAddresses& addresses) {
  const Allocation& cached_allocation = cached_allocation_of(warp, instruction);
  if (are_right(addresses, cached_allocation.begin, cached_allocation.end, access.nbytes)) return;
  check_alignment(addresses, active, access, "global");
  for_lanes(active, [&](int lane) {
    find_known(warp, instruction, lane, addresses.values[static_cast<std::size_t>(lane)], access);
  });
}

[[nodiscard]] std::uint64_t address_of(const std::byte* data) noexcept {
  return reinterpret_cast<std::uint64_t>(data);
}

void check_local(Warp& warp, int lane, std::uint64_t address, MemoryAccess access) {
  const std::uint64_t frame = warp.owner->launch_state.local_nbytes;
  const std::uint64_t begin = address_of(warp.local) + static_cast<std::uint64_t>(lane) * frame;
  if (!is_within(address, begin, frame, access.nbytes)) {
    out_of_bounds(lane, access, "local", address - begin, frame);
  }
}

/// True if every lane accesses its own frame.
[[nodiscard]] bool are_in_frames(const Warp& warp, const LaneAddresses& addresses,
                                 std::uint32_t nbytes) {
  const std::uint64_t frame = warp.owner->launch_state.local_nbytes;
  if (frame < nbytes) return false;
  const std::uint64_t begin = address_of(warp.local);
  const auto last = static_cast<std::int64_t>(frame - nbytes);
  std::int64_t outside = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const auto offset = static_cast<std::int64_t>(addresses.values[lane] - begin - lane * frame);
    outside |= static_cast<std::int64_t>(offset < 0) | static_cast<std::int64_t>(offset > last);
  }
  return outside == 0;
}

/// Checks a generic address of any space.
void check_generic(Warp& warp, const Instruction& instruction, int lane, std::uint64_t address,
                   MemoryAccess access) {
  Block& owner = *warp.owner;
  LaunchState& launch_state = owner.launch_state;
  const std::uint64_t shared = address_of(owner.shared.data());
  const std::uint64_t local = address_of(warp.local);
  const std::uint64_t frames = std::uint64_t{launch_state.local_nbytes} * warp_size;
  if (address - shared < owner.shared_nbytes) {
    if (!is_within(address, shared, end_of_shared(owner.shared_nbytes, access), access.nbytes)) {
      out_of_bounds(lane, access, "shared", address - shared, owner.shared_nbytes);
    }
  } else if (address - local < frames) {
    check_local(warp, lane, address, access);
  } else if (const Block* const other = block_at(launch_state, address)) {
    const std::uint64_t begin = address_of(other->shared.data());
    if (!is_within(address, begin, other->shared_nbytes, access.nbytes)) {
      out_of_bounds(lane, access, "shared", address - begin, other->shared_nbytes);
    }
  } else if (!access.writes && is_within(address, address_of(launch_state.parameters.data()),
                                         launch_state.parameters.size(), access.nbytes)) {
    return;
  } else {
    find_known(warp, instruction, lane, address, access);
  }
}

/// Resolves shared addresses that may belong to other blocks of the cluster.
void resolve_in_cluster(const Warp& warp, lane_mask active, MemoryAccess access,
                        LaneAddresses& addresses) {
  check_alignment(addresses, active, access, "shared");
  for_lanes(active, [&](int lane) {
    std::uint64_t& address = addresses.values[static_cast<std::size_t>(lane)];
    const Block* const other = block_in_window(warp.owner->launch_state, address);
    const Block& in = other != nullptr ? *other : *warp.owner;
    const std::uint64_t offset = other != nullptr ? address % cluster_stride : address;
    if (!is_within(offset, 0, end_of_shared(in.shared_nbytes, access), access.nbytes)) {
      out_of_bounds(lane, access, "shared", offset, in.shared_nbytes);
    }
    address = address_of(in.shared.data()) + offset;
  });
  const std::uint64_t first = addresses.values[static_cast<std::size_t>(std::countr_zero(active))];
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) addresses.values[lane] = first;
  }
}

/// Resolves addresses in a window whose memory is at `base`; accesses must be within [0, end).
void resolve_window(const std::byte* base, std::uint64_t nbytes, std::uint64_t end,
                    lane_mask active, MemoryAccess access, const char* space,
                    LaneAddresses& addresses) {
  if (!are_right(addresses, 0, nbytes, access.nbytes)) {
    check_alignment(addresses, active, access, space);
    for_lanes(active, [&](int lane) {
      const std::uint64_t address = addresses.values[static_cast<std::size_t>(lane)];
      if (!is_within(address, 0, end, access.nbytes)) {
        out_of_bounds(lane, access, space, address, nbytes);
      }
    });
  }
  for (std::uint64_t& address : addresses.values) address += address_of(base);
}

/// Checks the lanes' addresses in a space and converts them to host addresses.
template <MemorySpace Space>
void locate(Warp& warp, const Instruction& instruction, lane_mask active, MemoryAccess access,
            LaneAddresses& addresses) {
  Block& owner = *warp.owner;
  if constexpr (Space == MemorySpace::shared) {
    const std::uint64_t nbytes = owner.shared_nbytes;
    const std::uint64_t end = end_of_shared(nbytes, access);
    if (!owner.launch_state.peers.empty())
      return resolve_in_cluster(warp, active, access, addresses);
    resolve_window(owner.shared.data(), nbytes, end, active, access, "shared", addresses);
  } else if constexpr (Space == MemorySpace::parameter) {
    const auto& parameters = owner.launch_state.parameters;
    const std::size_t nbytes = parameters.size();
    resolve_window(parameters.data(), nbytes, nbytes, active, access, "parameter", addresses);
  } else if constexpr (Space == MemorySpace::global) {
    resolve_all_global(warp, instruction, active, access, addresses);
  } else if constexpr (Space == MemorySpace::local) {
    check_alignment(addresses, active, access, "local");
    if (are_in_frames(warp, addresses, access.nbytes)) return;
    for_lanes(active, [&](int lane) {
      check_local(warp, lane, addresses.values[static_cast<std::size_t>(lane)], access);
    });
  } else {
    const std::uint64_t shared = address_of(owner.shared.data());
    if (are_right(addresses, shared, shared + owner.shared_nbytes, access.nbytes)) return;
    check_alignment(addresses, active, access, "generic");
    if (are_in_frames(warp, addresses, access.nbytes)) return;
    for_lanes(active, [&](int lane) {
      check_generic(warp, instruction, lane, addresses.values[static_cast<std::size_t>(lane)],
                    access);
    });
  }
}

/// Records a warp's contiguous access to global memory for the race checks.
void note_order(const Warp& warp, const Instruction& instruction, std::uint64_t begin,
                MemoryAccess access) {
  const LaunchState& launch_state = warp.owner->launch_state;
  if (launch_state.races) launch_state.races->check_warp(warp, instruction, begin, access);
  if (launch_state.launch.accessed_memory == nullptr) return;
  launch_state.launch.accessed_memory->note_bytes(begin,
                                                  {access.nbytes * warp_size, access.writes});
}

}  // namespace

template <MemorySpace Space>
void resolve(Warp& warp, const Instruction& instruction, lane_mask active, MemoryAccess access,
             LaneAddresses& addresses) {
  gather(warp, instruction, active, addresses);
  locate<Space>(warp, instruction, active, access, addresses);
  if constexpr (Space == MemorySpace::shared || Space == MemorySpace::generic) {
    if (warp.owner->races) warp.owner->races->check(warp, instruction, active, addresses, access);
  }
  if constexpr (Space == MemorySpace::global || Space == MemorySpace::generic) {
    const LaunchState& launch_state = warp.owner->launch_state;
    if (launch_state.races) launch_state.races->check(warp, instruction, active, addresses, access);
    if (launch_state.launch.accessed_memory != nullptr)
      launch_state.launch.accessed_memory->note(warp, instruction, active, addresses, access);
  }
  if (warp.owner->undefined_values) warp.owner->undefined_values->note(addresses, access);
  if constexpr (Space != MemorySpace::parameter) {
    if (auto* const counter = warp.owner->launch_state.requests.get()) {
      counter->note(warp, active, addresses, access);
    }
  }
}

template <MemorySpace Space>
std::byte* resolve_contiguous(Warp& warp, const Instruction& instruction, MemoryAccess access) {
  const Block& owner = *warp.owner;
  if (owner.watches_lanes || instruction.is_uniform) return nullptr;
  constexpr bool is_shared = Space == MemorySpace::shared;
  const bool watches_order = is_shared ? owner.races != nullptr : owner.watches_global_order;
  // The contiguous path does not record strong accesses or accesses to shared memory.
  if (watches_order && (is_shared || instruction.is_strong)) return nullptr;
  const std::uint32_t nbytes = access.nbytes;
  const auto offset = static_cast<std::uint64_t>(instruction.immediate);
  const std::uint64_t first =
      instruction.operand_nbytes == 4
          ? first_of_contiguous(warp.values<const std::uint32_t>(instruction.source[0]), offset,
                                nbytes)
          : first_of_contiguous(warp.values<const std::uint64_t>(instruction.source[0]), offset,
                                nbytes);
  if (first == nowhere || (first & (nbytes - 1)) != 0) return nullptr;
  const std::uint32_t all = nbytes * warp_size;
  if constexpr (is_shared) {
    const bool is_inside = is_within(first, 0, owner.shared_nbytes, all);
    return is_inside ? owner.shared.data() + first : nullptr;
  } else {
    const Allocation& cached_allocation = cached_allocation_of(warp, instruction);
    if (!is_within(first, cached_allocation.begin, cached_allocation.end - cached_allocation.begin,
                   all))
      return nullptr;
    if (watches_order) note_order(warp, instruction, first, access);
    return reinterpret_cast<std::byte*>(first);
  }
}

template std::byte* resolve_contiguous<MemorySpace::generic>(Warp&, const Instruction&,
                                                             MemoryAccess);
template std::byte* resolve_contiguous<MemorySpace::global>(Warp&, const Instruction&,
                                                            MemoryAccess);
template std::byte* resolve_contiguous<MemorySpace::shared>(Warp&, const Instruction&,
                                                            MemoryAccess);

template void resolve<MemorySpace::generic>(Warp&, const Instruction&, lane_mask, MemoryAccess,
                                            LaneAddresses&);
template void resolve<MemorySpace::global>(Warp&, const Instruction&, lane_mask, MemoryAccess,
                                           LaneAddresses&);
template void resolve<MemorySpace::shared>(Warp&, const Instruction&, lane_mask, MemoryAccess,
                                           LaneAddresses&);
template void resolve<MemorySpace::local>(Warp&, const Instruction&, lane_mask, MemoryAccess,
                                          LaneAddresses&);
template void resolve<MemorySpace::parameter>(Warp&, const Instruction&, lane_mask, MemoryAccess,
                                              LaneAddresses&);

std::byte* resolve_shared(Warp& warp, int lane, std::uint64_t address, MemoryAccess access,
                          std::uint32_t alignment) {
  const Block& owner = *warp.owner;
  if (address % alignment != 0) misaligned(lane, access, "shared", address, alignment);
  if (!is_within(address, 0, owner.shared_nbytes, access.nbytes)) {
    out_of_bounds(lane, access, "shared", address, owner.shared_nbytes);
  }
  return owner.shared.data() + address;
}

std::byte* resolve_global(Warp& warp, const Instruction& instruction, int lane,
                          std::uint64_t address, MemoryAccess access, std::uint32_t alignment) {
  if (address % alignment != 0) misaligned(lane, access, "global", address, alignment);
  if (access.nbytes != 0) find_known(warp, instruction, lane, address, access);
  return reinterpret_cast<std::byte*>(address);
}

std::span<std::byte> reachable(Warp& warp, const Instruction& instruction, int lane,
                               std::uint64_t address, MemoryAccess access) {
  check_generic(warp, instruction, lane, address, access);
  const LaunchState& launch_state = warp.owner->launch_state;
  const auto is_in_range = [&](std::uint64_t begin, std::uint64_t nbytes) {
    return address - begin < nbytes;
  };
  const std::uint64_t shared = address_of(warp.owner->shared.data());
  const std::uint64_t frame = launch_state.local_nbytes;
  const std::uint64_t local = address_of(warp.local) + static_cast<std::uint64_t>(lane) * frame;
  const std::uint64_t parameters = address_of(launch_state.parameters.data());
  std::uint64_t end = cached_allocation_of(warp, instruction).end;
  if (is_in_range(shared, warp.owner->shared_nbytes)) end = shared + warp.owner->shared_nbytes;
  if (is_in_range(local, frame)) end = local + frame;
  if (const Block* const other = block_at(launch_state, address)) {
    end = address_of(other->shared.data()) + other->shared_nbytes;
  }
  if (is_in_range(parameters, launch_state.parameters.size()))
    end = parameters + launch_state.parameters.size();
  return {reinterpret_cast<std::byte*>(address), static_cast<std::size_t>(end - address)};
}

}  // namespace skerry::emulation
