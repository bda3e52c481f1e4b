// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "device/emulator/check/findings.hpp"
#include "device/emulator/check/global_races.hpp"
#include "device/emulator/check/memory_footprint.hpp"
#include "device/emulator/check/request_counter.hpp"
#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/elementwise.hpp"
#include "device/emulator/execute/memory_operations.hpp"

// Copies are executed only when a thread waits for them, so that code that reads too early does not
// find their data.
namespace skerry::emulation {
namespace {

/// Returns a shared address from a 4- or 8-byte register; 8-byte ones may be generic.
[[nodiscard]] std::uint64_t shared_address(Warp& warp, const Instruction& instruction,
                                           std::size_t source, int lane) {
  return instruction.operand_nbytes == 4
             ? warp.values<const u32>(instruction.source[source])[lane]
             : without_shared_base(warp, warp.values<const u64>(instruction.source[source])[lane]);
}

void do_copy(const Block& in, std::byte* destination, const std::byte* source,
             std::uint32_t nbytes) {
  std::memcpy(destination, source, nbytes);
  if (in.undefined_values) in.undefined_values->note_copy(destination, source, nbytes);
}

void finish(const Block& in, const PendingCopy& copy) {
  do_copy(in, copy.destination, copy.source, copy.nbytes);
  std::memset(copy.destination + copy.nbytes, 0, copy.filled);
  if (in.undefined_values)
    in.undefined_values->note_fill(copy.destination + copy.nbytes, copy.filled);
}

/// Records a copy's access to global memory for the race checks within the launch and between
/// streams.
void note_global(const Warp& warp, const Instruction& instruction, int lane, const std::byte* bytes,
                 MemoryAccess access) {
  const LaunchState& launch_state = warp.owner->launch_state;
  auto begin = reinterpret_cast<std::uint64_t>(bytes);
  if (launch_state.launch.accessed_memory != nullptr)
    launch_state.launch.accessed_memory->note_bytes(begin, access);
  if (!launch_state.races) return;
  if (!access.writes && launch_state.fills_up_loads) {
    begin += max_leading_nbytes;
    access.nbytes -= std::min(access.nbytes, max_leading_nbytes + max_trailing_nbytes);
  }
  launch_state.races->check_bytes(warp, pc_of(warp, instruction), lane, begin, access);
}

/// Executes the copies of active lanes, except those of their last `groups_left` groups.
void finish_groups(Warp& warp, lane_mask active, std::uint32_t groups_left) {
  std::erase_if(warp.copies, [&](const PendingCopy& copy) {
    const std::uint32_t groups = warp.copy_group[static_cast<std::size_t>(copy.lane)];
    const bool is_done = (active >> copy.lane & 1) != 0 && copy.group + groups_left < groups;
    if (is_done) finish(*warp.owner, copy);
    return is_done;
  });
}

[[nodiscard]] std::uint32_t bulk_nbytes(Warp& warp, const Instruction& instruction, int lane) {
  const std::uint32_t nbytes = warp.values<const u32>(instruction.source[2])[lane];
  if (nbytes % 16 != 0) {
    fault(code::misaligned_address, lane,
          "a bulk copy of " + std::to_string(nbytes) + " bytes, not a multiple of 16");
  }
  return nbytes;
}

}  // namespace

void copy_async(Warp& warp, const Instruction& instruction, lane_mask active) {
  release_stores(warp);
  const std::uint32_t nbytes = instruction.count;
  LaneAddresses sources{};
  LaneAddresses targets{};
  lane_mask reading = 0;
  for_lanes(active, [&](int lane) {
    const std::uint32_t copied =
        instruction.source[2] == no_row
            ? nbytes
            : std::min(nbytes, warp.values<const u32>(instruction.source[2])[lane]);
    const std::uint64_t shared = shared_address(warp, instruction, 0, lane) +
                                 static_cast<std::uint64_t>(instruction.immediate);
    const std::uint64_t global = warp.values<const u64>(instruction.source[1])[lane] +
                                 static_cast<std::uint64_t>(static_cast<s32>(instruction.target));
    std::byte* const destination =
        resolve_shared(warp, lane, shared, {.nbytes = nbytes, .writes = true}, nbytes);
    const std::byte* const source = resolve_global(warp, instruction, lane, global,
                                                   {.nbytes = copied, .writes = false}, nbytes);
    warp.copies.push_back({.lane = lane,
                           .group = warp.copy_group[static_cast<std::size_t>(lane)],
                           .destination = destination,
                           .source = source,
                           .nbytes = copied,
                           .filled = nbytes - copied});
    note_global(warp, instruction, lane, source, {.nbytes = copied, .writes = false});
    sources.values[static_cast<std::size_t>(lane)] = global;
    targets.values[static_cast<std::size_t>(lane)] = reinterpret_cast<std::uint64_t>(destination);
    if (copied != 0) reading |= lane_mask{1} << lane;
  });
  if (auto* const counter = warp.owner->launch_state.requests.get()) {
    counter->note(warp, reading, sources, {.nbytes = nbytes, .writes = false});
    counter->note(warp, active, targets, {.nbytes = nbytes, .writes = true});
  }
}

void commit_copies(Warp& warp, const Instruction& /*instruction*/, lane_mask active) {
  for_lanes(active, [&](int lane) { ++warp.copy_group[static_cast<std::size_t>(lane)]; });
}

void wait_for_copies(Warp& warp, const Instruction& instruction, lane_mask active) {
  const auto groups_left =
      instruction.source[0] == no_row ? 0 : warp.values<const u32>(instruction.source[0])[0];
  finish_groups(warp, active, groups_left);
}

void wait_for_all_copies(Warp& warp, const Instruction& instruction, lane_mask active) {
  commit_copies(warp, instruction, active);
  finish_groups(warp, active, 0);
}

void bulk_load_async(Warp& warp, const Instruction& instruction, lane_mask active) {
  release_stores(warp);
  for_lanes(active, [&](int lane) {
    const std::uint32_t nbytes = bulk_nbytes(warp, instruction, lane);
    std::byte* const destination =
        resolve_shared(warp, lane, shared_address(warp, instruction, 0, lane),
                       {.nbytes = nbytes, .writes = true}, 16);
    const std::byte* const source =
        resolve_global(warp, instruction, lane, warp.values<const u64>(instruction.source[1])[lane],
                       {.nbytes = nbytes, .writes = false}, 16);
    std::byte* const barrier = resolve_shared(
        warp, lane, shared_address(warp, instruction, 3, lane), {.nbytes = 8, .writes = true}, 8);
    warp.owner->loads.push_back(
        {.destination = destination, .source = source, .nbytes = nbytes, .barrier = barrier});
    note_global(warp, instruction, lane, source, {.nbytes = nbytes, .writes = false});
    if (auto* const counter = warp.owner->launch_state.requests.get()) {
      counter->note_bulk(source, {.nbytes = nbytes, .writes = false});
    }
  });
}

void bulk_store_async(Warp& warp, const Instruction& instruction, lane_mask active) {
  release_stores(warp);
  Block& owner = *warp.owner;
  for_lanes(active, [&](int lane) {
    const std::uint32_t nbytes = bulk_nbytes(warp, instruction, lane);
    std::byte* const destination =
        resolve_global(warp, instruction, lane, warp.values<const u64>(instruction.source[0])[lane],
                       {.nbytes = nbytes, .writes = true}, 16);
    const std::byte* const source =
        resolve_shared(warp, lane, shared_address(warp, instruction, 1, lane),
                       {.nbytes = nbytes, .writes = false}, 16);
    const std::uint32_t thread = warp.number * warp_size + static_cast<std::uint32_t>(lane);
    owner.stores.push_back({.thread = thread,
                            .group = owner.store_groups[thread],
                            .destination = destination,
                            .source = source,
                            .nbytes = nbytes});
    note_global(warp, instruction, lane, destination, {.nbytes = nbytes, .writes = true});
    if (auto* const counter = owner.launch_state.requests.get()) {
      counter->note_bulk(destination, {.nbytes = nbytes, .writes = true});
    }
  });
}

void commit_bulk(Warp& warp, const Instruction& /*instruction*/, lane_mask active) {
  for_lanes(active, [&](int lane) {
    ++warp.owner->store_groups[warp.number * warp_size + static_cast<std::uint32_t>(lane)];
  });
}

void wait_for_bulk(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_lanes(active, [&](int lane) {
    warp.owner->finish_stores(warp.number * warp_size + static_cast<std::uint32_t>(lane),
                              warp.values<const u32>(instruction.source[0])[lane]);
  });
}

void Block::finish_loads(std::byte* barrier) {
  std::erase_if(loads, [&](const BulkLoad& copy) {
    if (copy.barrier != barrier) return false;
    do_copy(*this, copy.destination, copy.source, copy.nbytes);
    complete_bytes(barrier, copy.nbytes);
    return true;
  });
}

void Block::finish_stores(std::uint32_t thread, std::uint32_t groups_left) {
  std::erase_if(stores, [&](const BulkStore& copy) {
    if (copy.thread != thread || copy.group + groups_left >= store_groups[thread]) return false;
    do_copy(*this, copy.destination, copy.source, copy.nbytes);
    return true;
  });
}

void Block::finish_all_stores() {
  for (const BulkStore& copy : stores) do_copy(*this, copy.destination, copy.source, copy.nbytes);
  stores.clear();
}

}  // namespace skerry::emulation
