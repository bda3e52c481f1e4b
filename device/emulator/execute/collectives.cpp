// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/shared_races.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/elementwise.hpp"

// Each handler runs once for all participating lanes: see run_collective in scheduler.cpp.
namespace skerry::emulation {
namespace {

/// Value read from a lane that does not participate. PTX leaves it undefined, so it is conspicuous.
constexpr u32 of_nobody = 0xdeadbeef;

enum class Direction { up, down, butterfly, index };

struct LaneChoice {
  int source_lane = 0;
  bool is_in_range = false;
};

/// PTX ISA, shfl.sync: bits 0-4 of `c` are the clamp value, bits 8-12 the mask that splits the warp
/// into segments.
template <Direction To>
[[nodiscard]] LaneChoice select_lane(int lane, u32 b, u32 c) {
  const int amount = static_cast<int>(b & 31);
  const int clamp = static_cast<int>(c & 31);
  const int segment = static_cast<int>(c >> 8 & 31);
  const int last = (lane & segment) | (clamp & ~segment);
  switch (To) {
    case Direction::up:
      return {lane - amount, lane - amount >= last};
    case Direction::down:
      return {lane + amount, lane + amount <= last};
    case Direction::butterfly:
      return {lane ^ amount, (lane ^ amount) <= last};
    case Direction::index:
      break;
  }
  const int source_lane = (lane & segment) | (amount & ~segment);
  return {source_lane, source_lane <= last};
}

template <Direction To>
void shuffle(Warp& warp, const Instruction& instruction, lane_mask active) {
  std::array<u32, warp_size> values;
  std::memcpy(values.data(), warp.values<const u32>(instruction.source[0]), sizeof values);
  const u32* const b = warp.values<const u32>(instruction.source[1]);
  const u32* const c = warp.values<const u32>(instruction.source[2]);
  std::array<u32, warp_size> results;
  lane_mask in_range = 0;
  for (int lane = 0; lane < warp_size; ++lane) {
    const LaneChoice choice = select_lane<To>(lane, b[lane], c[lane]);
    const int source_lane = choice.is_in_range ? choice.source_lane : lane;
    in_range |= lane_mask{choice.is_in_range} << lane;
    const u32 value = values[static_cast<std::size_t>(source_lane)];
    results[static_cast<std::size_t>(lane)] = (active >> source_lane & 1) != 0 ? value : of_nobody;
  }
  blend(warp.values<u32>(instruction.destination[0]), results.data(), active);
  warp.set_predicate(instruction.destination[1], in_range, active);
}

void ballot(Warp& warp, const Instruction& instruction, lane_mask active) {
  const lane_mask votes = warp.predicate(instruction, 0) & active;
  fill(warp.values<u32>(instruction.destination[0]), votes, active);
}

/// Reduces the votes of the participating lanes by `Holds`.
template <auto Holds>
void vote(Warp& warp, const Instruction& instruction, lane_mask active) {
  const bool holds = Holds(warp.predicate(instruction, 0) & active, active);
  warp.set_predicate(instruction.destination[0], holds ? all_lanes : 0, active);
}
constexpr auto any = [](lane_mask votes, lane_mask) { return votes != 0; };
constexpr auto all = [](lane_mask votes, lane_mask active) { return votes == active; };
constexpr auto uniform = [](lane_mask votes, lane_mask active) {
  return votes == 0 || votes == active;
};

template <class T>
void match_any(Warp& warp, const Instruction& instruction, lane_mask active) {
  const T* const values = warp.values<const T>(instruction.source[0]);
  std::array<u32, warp_size> equal{};
  for_lanes(active, [&](int lane) {
    for_lanes(active, [&](int other) {
      if (values[other] == values[lane]) {
        equal[static_cast<std::size_t>(lane)] |= u32{1} << other;
      }
    });
  });
  blend(warp.values<u32>(instruction.destination[0]), equal.data(), active);
}

template <class T>
void match_all(Warp& warp, const Instruction& instruction, lane_mask active) {
  const T* const values = warp.values<const T>(instruction.source[0]);
  const T first = values[std::countr_zero(active)];
  bool same = true;
  for_lanes(active, [&](int lane) { same = same && values[lane] == first; });
  fill(warp.values<u32>(instruction.destination[0]), same ? active : 0, active);
  warp.set_predicate(instruction.destination[1], same ? all_lanes : 0, active);
}

constexpr auto smaller = [](auto a, auto b) { return std::min(a, b); };
constexpr auto larger = [](auto a, auto b) { return std::max(a, b); };

template <auto F, class T>
void reduce(Warp& warp, const Instruction& instruction, lane_mask active) {
  const T* const values = warp.values<const T>(instruction.source[0]);
  const int first = std::countr_zero(active);
  T result = values[first];
  for_lanes(active & (active - 1), [&](int lane) { result = F(result, values[lane]); });
  fill(warp.values<T>(instruction.destination[0]), result, active);
}

/// PTX allows any lane to be elected, as long as it is the same one for the same members.
void elect(Warp& warp, const Instruction& instruction, lane_mask active) {
  lane_mask left = active;
  const auto members = static_cast<std::uint32_t>(std::popcount(active));
  for (std::uint32_t skip = warp.owner->launch_state.device.elected_member % members; skip > 0;
       --skip) {
    left &= left - 1;
  }
  const int elected = std::countr_zero(left);
  if (instruction.destination[0] != no_row) {
    fill(warp.values<u32>(instruction.destination[0]), static_cast<u32>(elected), active);
  }
  warp.set_predicate(instruction.destination[1], lane_mask{1} << elected, active);
}

/// Only bar.warp.sync orders accesses to memory; the other collectives do not.
void converge(Warp& warp, const Instruction& /*instruction*/, lane_mask /*active*/) {
  if (warp.owner->races) warp.owner->races->synchronize_warp(warp);
}

/// Returns an operation that takes the member mask after its other arguments.
[[nodiscard]] Operation collective(handler function, std::vector<std::uint8_t> results,
                                   std::vector<std::uint8_t> arguments,
                                   std::size_t optional_results = 0) {
  const int members = static_cast<int>(arguments.size());
  arguments.push_back(sizeof(lane_mask));
  return {.execute = function,
          .flow = Control::collective,
          .results = std::move(results),
          .arguments = std::move(arguments),
          .optional_results = optional_results,
          .members = members};
}

void declare_votes(OperationTable& table) {
  const auto declare = [&](std::string_view mode, std::string_view type, handler function,
                           std::uint8_t result) {
    // nvcc writes the first order, inline PTX of CUB the second.
    table.add({"vote.sync.", mode, ".", type}, collective(function, {result}, {predicate_nbytes}));
    table.add({"vote.", mode, ".sync.", type}, collective(function, {result}, {predicate_nbytes}));
  };
  declare("ballot", "b32", ballot, 4);
  declare("any", "pred", vote<any>, predicate_nbytes);
  declare("all", "pred", vote<all>, predicate_nbytes);
  declare("uni", "pred", vote<uniform>, predicate_nbytes);
}

}  // namespace

void declare_collectives(OperationTable& table) {
  const auto declare_shuffle = [&](std::string_view name, handler function) {
    table.add({"shfl.sync.", name, ".b32"},
              collective(function, {4, predicate_nbytes}, {4, 4, 4}, 1));
  };
  declare_shuffle("up", shuffle<Direction::up>);
  declare_shuffle("down", shuffle<Direction::down>);
  declare_shuffle("bfly", shuffle<Direction::butterfly>);
  declare_shuffle("idx", shuffle<Direction::index>);
  declare_votes(table);
  table.add({"match.any.sync.b32"}, collective(match_any<u32>, {4}, {4}));
  table.add({"match.any.sync.b64"}, collective(match_any<u64>, {4}, {8}));
  table.add({"match.all.sync.b32"}, collective(match_all<u32>, {4, predicate_nbytes}, {4}, 1));
  table.add({"match.all.sync.b64"}, collective(match_all<u64>, {4, predicate_nbytes}, {8}, 1));
  table.add({"redux.sync.add.u32"}, collective(reduce<std::plus<>{}, u32>, {4}, {4}));
  table.add({"redux.sync.add.s32"}, collective(reduce<std::plus<>{}, u32>, {4}, {4}));
  table.add({"redux.sync.min.u32"}, collective(reduce<smaller, u32>, {4}, {4}));
  table.add({"redux.sync.min.s32"}, collective(reduce<smaller, s32>, {4}, {4}));
  table.add({"redux.sync.max.u32"}, collective(reduce<larger, u32>, {4}, {4}));
  table.add({"redux.sync.max.s32"}, collective(reduce<larger, s32>, {4}, {4}));
  table.add({"redux.sync.and.b32"}, collective(reduce<std::bit_and<>{}, u32>, {4}, {4}));
  table.add({"redux.sync.or.b32"}, collective(reduce<std::bit_or<>{}, u32>, {4}, {4}));
  table.add({"redux.sync.xor.b32"}, collective(reduce<std::bit_xor<>{}, u32>, {4}, {4}));
  table.add({"elect.sync"}, collective(elect, {4, predicate_nbytes}, {}, 1));
  table.add({"bar.warp.sync"}, collective(converge, {}, {}));
}

}  // namespace skerry::emulation
