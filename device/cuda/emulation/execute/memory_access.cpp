// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/memory_access.hpp"

#include "device/cuda/emulation/check/global_races.hpp"
#include "device/cuda/emulation/check/request_counter.hpp"
#include "device/cuda/emulation/check/shared_races.hpp"
#include "device/cuda/emulation/check/touched_memory.hpp"
#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/address_checks.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/clusters.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] WantedMemory wanted(MemoryAccess access, const char* space, std::uint64_t address,
                                  std::uint32_t alignment = 0) {
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
                    .what = {},
                    .wanted = wanted(access, space, address, alignment)};
}

[[noreturn]] void out_of_bounds(int lane, MemoryAccess access, const char* space,
                                std::uint64_t address, std::uint64_t nbytes) {
  throw KernelFault{.code = code::illegal_address,
                    .lane = lane,
                    .what = {},
                    .wanted = wanted(access, space, address),
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

void gather(Warp& on, const Instruction& what, lane_mask active, LaneAddresses& into) {
  auto& at = into.at;
  const auto offset = static_cast<std::uint64_t>(what.immediate);
  if (what.is_uniform) {
    at.fill(offset);
    return;
  }
  if (what.operand_nbytes == 4) {
    const auto* const from = on.values<const std::uint32_t>(what.source[0]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      at[lane] = static_cast<std::uint32_t>(from[lane] + static_cast<std::uint32_t>(offset));
    }
  } else {
    const auto* const from = on.values<const std::uint64_t>(what.source[0]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) at[lane] = from[lane] + offset;
  }
  if (active != all_lanes) {
    const std::uint64_t first = at[static_cast<std::size_t>(std::countr_zero(active))];
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      at[lane] = (active & (lane_mask{1} << lane)) != 0 ? at[lane] : first;
    }
  }
}

void check_alignment(const LaneAddresses& of, lane_mask active, MemoryAccess access,
                     const char* space) {
  std::uint64_t bits = 0;
  for (const std::uint64_t address : of.at) bits |= address;
  if ((bits & (access.nbytes - 1)) == 0) return;
  for_lanes(active, [&](int lane) {
    const std::uint64_t address = of.at[static_cast<std::size_t>(lane)];
    if ((address & (access.nbytes - 1)) != 0) {
      misaligned(lane, access, space, address, access.nbytes);
    }
  });
}

/// Where accesses of shared memory end. A compiler loads a whole vector where it needs the first
/// elements of one: a GPU has bytes there, since shared memory is given out by more than 16.
[[nodiscard]] std::uint64_t end_of_shared(std::uint64_t nbytes, MemoryAccess access) noexcept {
  const bool reads_vector = access.is_vector && !access.writes;
  return reads_vector ? (nbytes + shared_vector - 1) / shared_vector * shared_vector : nbytes;
}

[[nodiscard]] Allocation find_global(Warp& on, int lane, std::uint64_t address,
                                     MemoryAccess access) {
  const LaunchState& memory = on.owner->launched;
  const Allocation found = memory.find(address);
  if (!is_within(address, found.begin, found.end - found.begin, access.nbytes)) {
    const MemoryNear near = memory.nearest(found.end > found.begin ? found.end : address);
    throw KernelFault{.code = code::illegal_address,
                      .lane = lane,
                      .what = {},
                      .kind = kind_of(near.state),
                      .wanted = wanted(access, "global", address),
                      .memory = near};
  }
  return found;
}

[[nodiscard]] Allocation& known_of(const Warp& on, const Instruction& what) {
  LaunchState& launched = on.owner->launched;
  return launched.known[static_cast<std::size_t>(&what - launched.code.code.data())];
}

/// As find_global, which is asked where the instruction's last access was elsewhere.
void find_known(Warp& on, const Instruction& what, int lane, std::uint64_t address,
                MemoryAccess access) {
  Allocation& known = known_of(on, what);
  if (!is_within(address, known.begin, known.end - known.begin, access.nbytes)) {
    known = find_global(on, lane, address, access);
  }
}

void resolve_all_global(Warp& on, const Instruction& what, lane_mask active, MemoryAccess access,
                        LaneAddresses& into) {
  const Allocation& known = known_of(on, what);
  if (are_right(into, known.begin, known.end, access.nbytes)) return;
  check_alignment(into, active, access, "global");
  for_lanes(active, [&](int lane) {
    find_known(on, what, lane, into.at[static_cast<std::size_t>(lane)], access);
  });
}

[[nodiscard]] std::uint64_t address_of(const std::byte* data) noexcept {
  return reinterpret_cast<std::uint64_t>(data);
}

void check_local(Warp& on, int lane, std::uint64_t address, MemoryAccess access) {
  const std::uint64_t frame = on.owner->launched.local_nbytes;
  const std::uint64_t begin = address_of(on.local) + static_cast<std::uint64_t>(lane) * frame;
  if (!is_within(address, begin, frame, access.nbytes)) {
    out_of_bounds(lane, access, "local", address - begin, frame);
  }
}

/// Whether every lane accesses its own frame.
[[nodiscard]] bool are_in_frames(const Warp& on, const LaneAddresses& of, std::uint32_t nbytes) {
  const std::uint64_t frame = on.owner->launched.local_nbytes;
  if (frame < nbytes) return false;
  const std::uint64_t begin = address_of(on.local);
  const auto last = static_cast<std::int64_t>(frame - nbytes);
  std::int64_t outside = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const auto offset = static_cast<std::int64_t>(of.at[lane] - begin - lane * frame);
    outside |= static_cast<std::int64_t>(offset < 0) | static_cast<std::int64_t>(offset > last);
  }
  return outside == 0;
}

/// A generic address of any space.
void check_generic(Warp& on, const Instruction& what, int lane, std::uint64_t address,
                   MemoryAccess access) {
  Block& owner = *on.owner;
  LaunchState& launched = owner.launched;
  const std::uint64_t shared = address_of(owner.shared.data());
  const std::uint64_t local = address_of(on.local);
  const std::uint64_t frames = std::uint64_t{launched.local_nbytes} * warp_size;
  if (address - shared < owner.shared_nbytes) {
    if (!is_within(address, shared, end_of_shared(owner.shared_nbytes, access), access.nbytes)) {
      out_of_bounds(lane, access, "shared", address - shared, owner.shared_nbytes);
    }
  } else if (address - local < frames) {
    check_local(on, lane, address, access);
  } else if (const Block* const other = block_at(launched, address)) {
    const std::uint64_t begin = address_of(other->shared.data());
    if (!is_within(address, begin, other->shared_nbytes, access.nbytes)) {
      out_of_bounds(lane, access, "shared", address - begin, other->shared_nbytes);
    }
  } else if (!access.writes && is_within(address, address_of(launched.parameters.data()),
                                         launched.parameters.size(), access.nbytes)) {
    return;
  } else {
    find_known(on, what, lane, address, access);
  }
}

/// Where lanes access shared memory, if some may be other blocks' of a cluster.
void resolve_in_cluster(const Warp& on, lane_mask active, MemoryAccess access,
                        LaneAddresses& into) {
  check_alignment(into, active, access, "shared");
  for_lanes(active, [&](int lane) {
    std::uint64_t& address = into.at[static_cast<std::size_t>(lane)];
    const Block* const other = block_in_window(on.owner->launched, address);
    const Block& in = other != nullptr ? *other : *on.owner;
    const std::uint64_t offset = other != nullptr ? address % cluster_stride : address;
    if (!is_within(offset, 0, end_of_shared(in.shared_nbytes, access), access.nbytes)) {
      out_of_bounds(lane, access, "shared", offset, in.shared_nbytes);
    }
    address = address_of(in.shared.data()) + offset;
  });
  const std::uint64_t first = into.at[static_cast<std::size_t>(std::countr_zero(active))];
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) into.at[lane] = first;
  }
}

/// An address in a space of its own that begins at `base`, and may be accessed up to `end`.
void resolve_window(const std::byte* base, std::uint64_t nbytes, std::uint64_t end,
                    lane_mask active, MemoryAccess access, const char* space, LaneAddresses& into) {
  if (!are_right(into, 0, nbytes, access.nbytes)) {
    check_alignment(into, active, access, space);
    for_lanes(active, [&](int lane) {
      const std::uint64_t address = into.at[static_cast<std::size_t>(lane)];
      if (!is_within(address, 0, end, access.nbytes)) {
        out_of_bounds(lane, access, space, address, nbytes);
      }
    });
  }
  for (std::uint64_t& address : into.at) address += address_of(base);
}

/// Checks the addresses that lanes have in a space, and makes the host's of them.
template <MemorySpace Space>
void locate(Warp& on, const Instruction& what, lane_mask active, MemoryAccess access,
            LaneAddresses& into) {
  Block& owner = *on.owner;
  if constexpr (Space == MemorySpace::shared) {
    const std::uint64_t nbytes = owner.shared_nbytes;
    const std::uint64_t end = end_of_shared(nbytes, access);
    if (!owner.launched.peers.empty()) return resolve_in_cluster(on, active, access, into);
    resolve_window(owner.shared.data(), nbytes, end, active, access, "shared", into);
  } else if constexpr (Space == MemorySpace::parameter) {
    const auto& parameters = owner.launched.parameters;
    const std::size_t nbytes = parameters.size();
    resolve_window(parameters.data(), nbytes, nbytes, active, access, "parameter", into);
  } else if constexpr (Space == MemorySpace::global) {
    resolve_all_global(on, what, active, access, into);
  } else if constexpr (Space == MemorySpace::local) {
    check_alignment(into, active, access, "local");
    if (are_in_frames(on, into, access.nbytes)) return;
    for_lanes(active, [&](int lane) {
      check_local(on, lane, into.at[static_cast<std::size_t>(lane)], access);
    });
  } else {
    const std::uint64_t shared = address_of(owner.shared.data());
    if (are_right(into, shared, shared + owner.shared_nbytes, access.nbytes)) return;
    check_alignment(into, active, access, "generic");
    if (are_in_frames(on, into, access.nbytes)) return;
    for_lanes(active, [&](int lane) {
      check_generic(on, what, lane, into.at[static_cast<std::size_t>(lane)], access);
    });
  }
}

/// Tells who looks for races of a warp's access to global memory, lane behind lane.
void note_order(const Warp& on, const Instruction& what, std::uint64_t begin, MemoryAccess access) {
  const LaunchState& launched = on.owner->launched;
  if (launched.races) launched.races->check_warp(on, what, begin, access);
  if (launched.how.touched == nullptr) return;
  launched.how.touched->note_bytes(begin, {access.nbytes * warp_size, access.writes});
}

}  // namespace

template <MemorySpace Space>
void resolve(Warp& on, const Instruction& what, lane_mask active, MemoryAccess access,
             LaneAddresses& into) {
  gather(on, what, active, into);
  locate<Space>(on, what, active, access, into);
  if constexpr (Space == MemorySpace::shared || Space == MemorySpace::generic) {
    if (on.owner->races) on.owner->races->check(on, what, active, into, access);
  }
  if constexpr (Space == MemorySpace::global || Space == MemorySpace::generic) {
    const LaunchState& launched = on.owner->launched;
    if (launched.races) launched.races->check(on, what, active, into, access);
    if (launched.how.touched != nullptr) launched.how.touched->note(on, active, into, access);
  }
  if (on.owner->undefined) on.owner->undefined->note(into, access);
  if constexpr (Space != MemorySpace::parameter) {
    if (auto* const counter = on.owner->launched.requests.get()) {
      counter->note(on, active, into, access);
    }
  }
}

template <MemorySpace Space>
std::byte* resolve_contiguous(Warp& on, const Instruction& what, MemoryAccess access) {
  const Block& owner = *on.owner;
  if (owner.watches_lanes || what.is_uniform) return nullptr;
  constexpr bool is_shared = Space == MemorySpace::shared;
  const bool watches_order = is_shared ? owner.races != nullptr : owner.watches_global_order;
  // A generic address may be one of shared memory.
  if (watches_order && (is_shared || what.is_strong)) return nullptr;
  const std::uint32_t nbytes = access.nbytes;
  const auto offset = static_cast<std::uint64_t>(what.immediate);
  const std::uint64_t first =
      what.operand_nbytes == 4
          ? first_of_contiguous(on.values<const std::uint32_t>(what.source[0]), offset, nbytes)
          : first_of_contiguous(on.values<const std::uint64_t>(what.source[0]), offset, nbytes);
  if (first == nowhere || (first & (nbytes - 1)) != 0) return nullptr;
  const std::uint32_t all = nbytes * warp_size;
  if constexpr (is_shared) {
    const bool is_inside = is_within(first, 0, owner.shared_nbytes, all);
    return is_inside ? owner.shared.data() + first : nullptr;
  } else {
    const Allocation& known = known_of(on, what);
    if (!is_within(first, known.begin, known.end - known.begin, all)) return nullptr;
    if (watches_order) note_order(on, what, first, access);
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

std::byte* resolve_shared(Warp& on, int lane, std::uint64_t address, MemoryAccess access,
                          std::uint32_t alignment) {
  const Block& owner = *on.owner;
  if (address % alignment != 0) misaligned(lane, access, "shared", address, alignment);
  if (!is_within(address, 0, owner.shared_nbytes, access.nbytes)) {
    out_of_bounds(lane, access, "shared", address, owner.shared_nbytes);
  }
  return owner.shared.data() + address;
}

std::byte* resolve_global(Warp& on, const Instruction& what, int lane, std::uint64_t address,
                          MemoryAccess access, std::uint32_t alignment) {
  if (address % alignment != 0) misaligned(lane, access, "global", address, alignment);
  if (access.nbytes != 0) find_known(on, what, lane, address, access);
  return reinterpret_cast<std::byte*>(address);
}

std::span<std::byte> reachable(Warp& on, const Instruction& what, int lane, std::uint64_t address,
                               MemoryAccess access) {
  check_generic(on, what, lane, address, access);
  const LaunchState& launched = on.owner->launched;
  const auto lies_in = [&](std::uint64_t begin, std::uint64_t nbytes) {
    return address - begin < nbytes;
  };
  const std::uint64_t shared = address_of(on.owner->shared.data());
  const std::uint64_t frame = launched.local_nbytes;
  const std::uint64_t local = address_of(on.local) + static_cast<std::uint64_t>(lane) * frame;
  const std::uint64_t parameters = address_of(launched.parameters.data());
  std::uint64_t end = known_of(on, what).end;
  if (lies_in(shared, on.owner->shared_nbytes)) end = shared + on.owner->shared_nbytes;
  if (lies_in(local, frame)) end = local + frame;
  if (const Block* const other = block_at(launched, address)) {
    end = address_of(other->shared.data()) + other->shared_nbytes;
  }
  if (lies_in(parameters, launched.parameters.size()))
    end = parameters + launched.parameters.size();
  return {reinterpret_cast<std::byte*>(address), static_cast<std::size_t>(end - address)};
}

}  // namespace skerry::emulation
