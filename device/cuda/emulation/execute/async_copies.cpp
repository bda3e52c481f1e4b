// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "device/cuda/emulation/check/findings.hpp"
#include "device/cuda/emulation/check/global_races.hpp"
#include "device/cuda/emulation/check/request_counter.hpp"
#include "device/cuda/emulation/check/touched_memory.hpp"
#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/elementwise.hpp"
#include "device/cuda/emulation/execute/memory_operations.hpp"

// A copy is done no sooner than somebody waits for it, so that who reads too early finds poison.
namespace skerry::emulation {
namespace {

/// A shared address in a register of either size, a generic one too.
[[nodiscard]] std::uint64_t shared_address(Warp& on, const Instruction& what, std::size_t source,
                                           int lane) {
  return what.operand_nbytes == 4
             ? on.values<const u32>(what.source[source])[lane]
             : without_shared_base(on, on.values<const u64>(what.source[source])[lane]);
}

void do_copy(const Block& in, std::byte* to, const std::byte* from, std::uint32_t nbytes) {
  std::memcpy(to, from, nbytes);
  if (in.undefined) in.undefined->copied(to, from, nbytes);
}

void finish(const Block& in, const PendingCopy& copy) {
  do_copy(in, copy.to, copy.from, copy.nbytes);
  std::memset(copy.to + copy.nbytes, 0, copy.filled);
  if (in.undefined) in.undefined->filled(copy.to + copy.nbytes, copy.filled);
}

/// A copy's access of global memory, for those who look for races: with others of its own launch,
/// and with other streams.
void note_global(const Warp& on, const Instruction& what, int lane, const std::byte* at,
                 MemoryAccess access) {
  const LaunchState& launched = on.owner->launched;
  auto begin = reinterpret_cast<std::uint64_t>(at);
  if (launched.how.touched != nullptr) launched.how.touched->note_bytes(begin, access);
  if (!launched.races) return;
  if (!access.writes && launched.fills_up_loads) {
    begin += most_in_front;
    access.nbytes -= std::min(access.nbytes, most_in_front + most_behind);
  }
  launched.races->check_bytes(on, place_of(on, what), lane, begin, access);
}

/// Copies of active lanes whose group is one of the last `kept` stay pending.
void finish_groups(Warp& on, lane_mask active, std::uint32_t kept) {
  std::erase_if(on.copies, [&](const PendingCopy& copy) {
    const std::uint32_t groups = on.copy_group[static_cast<std::size_t>(copy.lane)];
    const bool is_done = (active >> copy.lane & 1) != 0 && copy.group + kept < groups;
    if (is_done) finish(*on.owner, copy);
    return is_done;
  });
}

[[nodiscard]] std::uint32_t bulk_nbytes(Warp& on, const Instruction& what, int lane) {
  const std::uint32_t nbytes = on.values<const u32>(what.source[2])[lane];
  if (nbytes % 16 != 0) {
    fault(code::misaligned_address, lane,
          "a bulk copy of " + std::to_string(nbytes) + " bytes, no multiple of 16");
  }
  return nbytes;
}

}  // namespace

void copy_async(Warp& on, const Instruction& what, lane_mask active) {
  release_stores(on);
  const std::uint32_t nbytes = what.count;
  LaneAddresses sources{};
  LaneAddresses targets{};
  lane_mask reading = 0;
  for_lanes(active, [&](int lane) {
    const std::uint32_t copied = what.source[2] == no_row
                                     ? nbytes
                                     : std::min(nbytes, on.values<const u32>(what.source[2])[lane]);
    const std::uint64_t shared =
        shared_address(on, what, 0, lane) + static_cast<std::uint64_t>(what.immediate);
    const std::uint64_t global = on.values<const u64>(what.source[1])[lane] +
                                 static_cast<std::uint64_t>(static_cast<s32>(what.target));
    std::byte* const to =
        resolve_shared(on, lane, shared, {.nbytes = nbytes, .writes = true}, nbytes);
    const std::byte* const from =
        resolve_global(on, what, lane, global, {.nbytes = copied, .writes = false}, nbytes);
    on.copies.push_back({.lane = lane,
                         .group = on.copy_group[static_cast<std::size_t>(lane)],
                         .to = to,
                         .from = from,
                         .nbytes = copied,
                         .filled = nbytes - copied});
    note_global(on, what, lane, from, {.nbytes = copied, .writes = false});
    sources.at[static_cast<std::size_t>(lane)] = global;
    targets.at[static_cast<std::size_t>(lane)] = reinterpret_cast<std::uint64_t>(to);
    if (copied != 0) reading |= lane_mask{1} << lane;
  });
  if (auto* const counter = on.owner->launched.requests.get()) {
    counter->note(on, reading, sources, {.nbytes = nbytes, .writes = false});
    counter->note(on, active, targets, {.nbytes = nbytes, .writes = true});
  }
}

void commit_copies(Warp& on, const Instruction& /*what*/, lane_mask active) {
  for_lanes(active, [&](int lane) { ++on.copy_group[static_cast<std::size_t>(lane)]; });
}

void wait_for_copies(Warp& on, const Instruction& what, lane_mask active) {
  const auto kept = what.source[0] == no_row ? 0 : on.values<const u32>(what.source[0])[0];
  finish_groups(on, active, kept);
}

void wait_for_all_copies(Warp& on, const Instruction& what, lane_mask active) {
  commit_copies(on, what, active);
  finish_groups(on, active, 0);
}

void bulk_load_async(Warp& on, const Instruction& what, lane_mask active) {
  release_stores(on);
  for_lanes(active, [&](int lane) {
    const std::uint32_t nbytes = bulk_nbytes(on, what, lane);
    std::byte* const to = resolve_shared(on, lane, shared_address(on, what, 0, lane),
                                         {.nbytes = nbytes, .writes = true}, 16);
    const std::byte* const from =
        resolve_global(on, what, lane, on.values<const u64>(what.source[1])[lane],
                       {.nbytes = nbytes, .writes = false}, 16);
    std::byte* const barrier = resolve_shared(on, lane, shared_address(on, what, 3, lane),
                                              {.nbytes = 8, .writes = true}, 8);
    on.owner->loads.push_back({.to = to, .from = from, .nbytes = nbytes, .barrier = barrier});
    note_global(on, what, lane, from, {.nbytes = nbytes, .writes = false});
    if (auto* const counter = on.owner->launched.requests.get()) {
      counter->note_bulk(from, {.nbytes = nbytes, .writes = false});
    }
  });
}

void bulk_store_async(Warp& on, const Instruction& what, lane_mask active) {
  release_stores(on);
  Block& owner = *on.owner;
  for_lanes(active, [&](int lane) {
    const std::uint32_t nbytes = bulk_nbytes(on, what, lane);
    std::byte* const to = resolve_global(on, what, lane, on.values<const u64>(what.source[0])[lane],
                                         {.nbytes = nbytes, .writes = true}, 16);
    const std::byte* const from = resolve_shared(on, lane, shared_address(on, what, 1, lane),
                                                 {.nbytes = nbytes, .writes = false}, 16);
    const std::uint32_t thread = on.number * warp_size + static_cast<std::uint32_t>(lane);
    owner.stores.push_back({.thread = thread,
                            .group = owner.store_groups[thread],
                            .to = to,
                            .from = from,
                            .nbytes = nbytes});
    note_global(on, what, lane, to, {.nbytes = nbytes, .writes = true});
    if (auto* const counter = owner.launched.requests.get()) {
      counter->note_bulk(to, {.nbytes = nbytes, .writes = true});
    }
  });
}

void commit_bulk(Warp& on, const Instruction& /*what*/, lane_mask active) {
  for_lanes(active, [&](int lane) {
    ++on.owner->store_groups[on.number * warp_size + static_cast<std::uint32_t>(lane)];
  });
}

void wait_for_bulk(Warp& on, const Instruction& what, lane_mask active) {
  for_lanes(active, [&](int lane) {
    on.owner->finish_stores(on.number * warp_size + static_cast<std::uint32_t>(lane),
                            on.values<const u32>(what.source[0])[lane]);
  });
}

void Block::finish_loads(std::byte* barrier) {
  std::erase_if(loads, [&](const BulkLoad& copy) {
    if (copy.barrier != barrier) return false;
    do_copy(*this, copy.to, copy.from, copy.nbytes);
    complete_bytes(barrier, copy.nbytes);
    return true;
  });
}

void Block::finish_stores(std::uint32_t thread, std::uint32_t groups_left) {
  std::erase_if(stores, [&](const BulkStore& copy) {
    if (copy.thread != thread || copy.group + groups_left >= store_groups[thread]) return false;
    do_copy(*this, copy.to, copy.from, copy.nbytes);
    return true;
  });
}

void Block::finish_all_stores() {
  for (const BulkStore& copy : stores) do_copy(*this, copy.to, copy.from, copy.nbytes);
  stores.clear();
}

}  // namespace skerry::emulation
