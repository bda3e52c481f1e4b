// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/block.hpp"

// Propagation of undefined bits from sources to results.
namespace skerry::emulation {
namespace {

constexpr std::size_t first_source = 4;  // index of the scratch row of source 0

/// Returns all bits from the lowest set one upwards: those that a carry may reach.
[[nodiscard]] std::uint64_t upwards(std::uint64_t bits) { return bits | (~bits + 1); }

struct OperandPair {
  std::uint64_t a = 0;  ///< values
  std::uint64_t b = 0;
  std::uint64_t undefined_a = 0;
  std::uint64_t undefined_b = 0;
};

[[nodiscard]] std::uint64_t combined(Propagation flow, const OperandPair& operands) {
  const std::uint64_t any = operands.undefined_a | operands.undefined_b;
  switch (flow) {
    case Propagation::conjunction:
      return any & (operands.a | operands.undefined_a) & (operands.b | operands.undefined_b);
    case Propagation::disjunction:
      return any & (~operands.a | operands.undefined_a) & (~operands.b | operands.undefined_b);
    case Propagation::carried:
      return upwards(any);
    default:
      return any;
  }
}

}  // namespace

void UndefinedValues::set_result_shadows(const PropagationRule& rule, lane_mask lanes) {
  for (std::size_t k = 0; k < rule.result_nbytes.size(); ++k) {
    const std::size_t nbytes = rule.result_nbytes[k];
    scratch_[k].fill(std::byte{});
    if (nbytes == 0) {
      std::memcpy(scratch_[k].data(), &lanes, sizeof lanes);
    } else {
      for_lanes(lanes, [&](int lane) {
        std::memset(scratch_[k].data() + nbytes * static_cast<std::size_t>(lane), 0xff, nbytes);
      });
    }
  }
}

/// Executes the operation on the shadows of the sources that it moves.
void UndefinedValues::derive_moved(Warp& warp, const Instruction& instruction,
                                   const PropagationRule& rule, lane_mask active) {
  const lane_mask unsure =
      undefined_sources(warp, instruction, rule, active, ~rule.moved_sources & 31U);
  set_result_shadows(rule, unsure);
  Instruction moves = instruction;
  for (std::size_t k = 0; k < instruction.source.size(); ++k) {
    const row source = instruction.source[k];
    if (source == no_row) continue;
    const bool is_moved = (rule.moved_sources >> k & 1) != 0;
    const std::size_t nbytes = rule.source_nbytes[k] == 0
                                   ? sizeof(lane_mask)
                                   : rule.source_nbytes[k] * std::size_t{warp_size};
    std::memcpy(scratch_[first_source + k].data(),
                is_moved ? row_shadow(warp, source) : warp.values<const std::byte>(source), nbytes);
    moves.source[k] = static_cast<row>((first_source + k) * row_nbytes);
  }
  for (std::size_t k = 0; k < instruction.destination.size(); ++k) {
    const bool has_result = instruction.destination[k] != no_row && rule.result_nbytes[k] != 0;
    moves.destination[k] = has_result ? static_cast<row>(k * row_nbytes) : no_row;
  }
  const auto banks = warp.banks;
  warp.banks = {scratch_.front().data(), scratch_.front().data()};
  rule.execute(warp, moves, active & ~unsure);
  warp.banks = banks;
}

void UndefinedValues::derive_bits(Warp& warp, const Instruction& instruction,
                                  const PropagationRule& rule, lane_mask active) {
  set_result_shadows(rule, 0);
  const auto value = [&](std::size_t k, int lane) {
    std::uint64_t read = 0;
    if (instruction.source[k] != no_row) {
      const std::size_t nbytes = rule.source_nbytes[k];
      std::memcpy(&read,
                  warp.values<const std::byte>(instruction.source[k]) +
                      nbytes * static_cast<std::size_t>(lane),
                  std::min<std::size_t>(nbytes, 8));
    }
    return read;
  };
  for_lanes(active, [&](int lane) {
    OperandPair pair{
        .a = value(0, lane),
        .b = value(1, lane),
        .undefined_a = lane_shadow(warp, instruction.source[0], rule.source_nbytes[0], lane),
        .undefined_b = lane_shadow(warp, instruction.source[1], rule.source_nbytes[1], lane)};
    for (std::size_t k = 2; k < instruction.source.size(); ++k) {
      pair.undefined_b |= lane_shadow(warp, instruction.source[k], rule.source_nbytes[k], lane);
    }
    const std::uint64_t undefined_bits = combined(rule.flow, pair);
    const std::size_t nbytes = std::min<std::size_t>(rule.result_nbytes[0], 8);
    std::memcpy(scratch_[0].data() + nbytes * static_cast<std::size_t>(lane), &undefined_bits,
                nbytes);
  });
}

void UndefinedValues::derive_predicates(Warp& warp, const Instruction& instruction,
                                        const PropagationRule& rule, lane_mask active) {
  OperandPair pair;
  pair.a = warp.predicate(instruction, 0);
  pair.undefined_a = predicate_shadow(warp, instruction.source[0]);
  if (instruction.source[1] != no_row) {
    pair.b = warp.predicate(instruction, 1);
    pair.undefined_b = predicate_shadow(warp, instruction.source[1]);
  }
  set_result_shadows(rule, static_cast<lane_mask>(combined(rule.flow, pair)) & active);
}

void UndefinedValues::derive_equality(Warp& warp, const Instruction& instruction,
                                      const PropagationRule& rule, lane_mask active) {
  lane_mask unsure = undefined_sources(warp, instruction, rule, active, 3);
  const std::size_t nbytes = rule.source_nbytes[0];
  for_lanes(unsure, [&](int lane) {
    std::uint64_t differs = 0;
    for (std::size_t k = 0; k < nbytes; ++k) {
      const std::size_t offset = nbytes * static_cast<std::size_t>(lane) + k;
      const auto byte = [&](std::size_t source) {
        return warp.values<const std::byte>(instruction.source[source])[offset];
      };
      const std::byte unknown = row_shadow(warp, instruction.source[0])[offset] |
                                row_shadow(warp, instruction.source[1])[offset];
      differs |= static_cast<std::uint64_t>((byte(0) ^ byte(1)) & ~unknown);
    }
    if (differs != 0) unsure &= ~(lane_mask{1} << lane);
  });
  set_result_shadows(rule, unsure);
}

std::uint64_t UndefinedValues::origin_key(const Warp& warp, row register_row, int lane) noexcept {
  return (std::uint64_t{warp.number} * registers_nbytes_ + static_cast<std::size_t>(register_row)) *
             warp_size +
         static_cast<std::uint64_t>(lane);
}

std::uint64_t UndefinedValues::origin_of(const Warp& warp, row register_row, int lane) {
  const auto entry = origins_.find(origin_key(warp, register_row, lane));
  return entry != origins_.end() ? entry->second : 0;
}

std::uint64_t UndefinedValues::origin_of_sources(const Warp& warp, const Instruction& instruction,
                                                 const PropagationRule& rule, int lane) {
  for (std::size_t k = 0; k < instruction.source.size(); ++k) {
    const row source = instruction.source[k];
    if (undefined_lanes(warp, source, rule.source_nbytes[k], lane_mask{1} << lane) == 0) continue;
    if (const std::uint64_t origin = origin_of(warp, source, lane); origin != 0) return origin;
  }
  return 0;
}

void UndefinedValues::set_origins(const Warp& warp, const Instruction& instruction, int lane,
                                  std::uint64_t address) {
  for (const row destination : instruction.destination) {
    if (destination == no_row) continue;
    const std::uint64_t key = origin_key(warp, destination, lane);
    if (address != 0) {
      origins_[key] = address;
    } else {
      origins_.erase(key);
    }
  }
}

void UndefinedValues::propagate(Warp& warp, const Instruction& instruction,
                                const PropagationRule& rule, lane_mask active) {
  const lane_mask unsure = undefined_sources(warp, instruction, rule, active, 31);
  lane_mask computed_lanes = unsure;
  switch (rule.flow) {
    case Propagation::load:
    case Propagation::store:
    case Propagation::atomic:
    case Propagation::exchange:
      return;
    case Propagation::none:
    case Propagation::addresses:
      set_result_shadows(rule, 0);
      break;
    case Propagation::all:
      set_result_shadows(rule, unsure);
      break;
    case Propagation::group:
      set_result_shadows(rule, unsure != 0 ? active : 0);
      break;
    case Propagation::ballot:
      set_result_shadows(rule, 0);
      for_lanes(active, [&](int lane) {
        std::memcpy(scratch_[0].data() + sizeof unsure * static_cast<std::size_t>(lane), &unsure,
                    sizeof unsure);
      });
      break;
    case Propagation::equality:
      derive_equality(warp, instruction, rule, active);
      break;
    case Propagation::moved:
      derive_moved(warp, instruction, rule, active);
      computed_lanes = 0;
      for (const row one : instruction.source) {
        if (one != no_row && (one & 1) == 0) computed_lanes |= computed(warp, one);
      }
      break;
    default:
      if (rule.has_predicates) {
        derive_predicates(warp, instruction, rule, active);
      } else {
        derive_bits(warp, instruction, rule, active);
      }
  }
  for_lanes(unsure, [&](int lane) {
    set_origins(warp, instruction, lane, origin_of_sources(warp, instruction, rule, lane));
  });
  write_results(warp, instruction, rule, active, computed_lanes);
}

void UndefinedValues::write_results(const Warp& warp, const Instruction& instruction,
                                    const PropagationRule& rule, lane_mask active,
                                    lane_mask computed_lanes) {
  for (std::size_t k = 0; k < instruction.destination.size(); ++k) {
    const row destination = instruction.destination[k];
    if (destination == no_row) continue;
    const std::size_t nbytes = rule.result_nbytes[k];
    lane_mask& computed_mask = computed(warp, destination);
    computed_mask = (computed_mask & ~active) | (computed_lanes & active);
    bool& may_be = may_be_undefined(warp, static_cast<std::uint32_t>(destination));
    if (nbytes == 0) {
      lane_mask result_lanes = 0;
      std::memcpy(&result_lanes, scratch_[k].data(), sizeof result_lanes);
      lane_mask& destination_lanes = predicate_shadow(warp, destination);
      destination_lanes = (destination_lanes & ~active) | (result_lanes & active);
      may_be = destination_lanes != 0 || computed_mask != 0;
      has_undefined_rows_ |= may_be;
      continue;
    }
    for_lanes(active, [&](int lane) {
      const std::size_t offset = nbytes * static_cast<std::size_t>(lane);
      std::memcpy(row_shadow(warp, destination) + offset, scratch_[k].data() + offset, nbytes);
    });
    const std::byte* const shadow = row_shadow(warp, destination);
    may_be = computed_mask != 0 || std::any_of(shadow, shadow + nbytes * warp_size,
                                               [](std::byte b) { return b != std::byte{}; });
    has_undefined_rows_ |= may_be;
  }
}

}  // namespace skerry::emulation
