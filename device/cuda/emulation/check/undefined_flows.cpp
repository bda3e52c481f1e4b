// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/block.hpp"

// What results are when sources are not defined.
namespace skerry::emulation {
namespace {

constexpr std::size_t first_source = 4;  // in the scratch rows

/// All bits from the lowest one that is set on: as far as it may carry.
[[nodiscard]] std::uint64_t upwards(std::uint64_t bits) { return bits | (~bits + 1); }

struct OperandPair {
  std::uint64_t a = 0;  ///< values
  std::uint64_t b = 0;
  std::uint64_t undefined_a = 0;
  std::uint64_t undefined_b = 0;
};

[[nodiscard]] std::uint64_t combined(UndefinedFlow flow, const OperandPair& of) {
  const std::uint64_t any = of.undefined_a | of.undefined_b;
  switch (flow) {
    case UndefinedFlow::conjunction:
      return any & (of.a | of.undefined_a) & (of.b | of.undefined_b);
    case UndefinedFlow::disjunction:
      return any & (~of.a | of.undefined_a) & (~of.b | of.undefined_b);
    case UndefinedFlow::carried:
      return upwards(any);
    default:
      return any;
  }
}

}  // namespace

void UndefinedValues::derive_all(const UndefinedRule& rule, lane_mask from) {
  for (std::size_t k = 0; k < rule.result_nbytes.size(); ++k) {
    const std::size_t nbytes = rule.result_nbytes[k];
    scratch_[k].fill(std::byte{});
    if (nbytes == 0) {
      std::memcpy(scratch_[k].data(), &from, sizeof from);
    } else {
      for_lanes(from, [&](int lane) {
        std::memset(scratch_[k].data() + nbytes * static_cast<std::size_t>(lane), 0xff, nbytes);
      });
    }
  }
}

/// Runs the operation on shadows in place of what it moves.
void UndefinedValues::derive_moved(Warp& on, const Instruction& what, const UndefinedRule& rule,
                                   lane_mask active) {
  const lane_mask unsure = undefined_sources(on, what, rule, active, ~rule.moved_sources & 31U);
  derive_all(rule, unsure);
  Instruction moves = what;
  for (std::size_t k = 0; k < what.source.size(); ++k) {
    const row from = what.source[k];
    if (from == no_row) continue;
    const bool is_moved = (rule.moved_sources >> k & 1) != 0;
    const std::size_t nbytes = rule.source_nbytes[k] == 0
                                   ? sizeof(lane_mask)
                                   : rule.source_nbytes[k] * std::size_t{warp_size};
    std::memcpy(scratch_[first_source + k].data(),
                is_moved ? bits(on, from) : on.values<const std::byte>(from), nbytes);
    moves.source[k] = static_cast<row>((first_source + k) * row_nbytes);
  }
  for (std::size_t k = 0; k < what.destination.size(); ++k) {
    const bool is_wanted = what.destination[k] != no_row && rule.result_nbytes[k] != 0;
    moves.destination[k] = is_wanted ? static_cast<row>(k * row_nbytes) : no_row;
  }
  const auto banks = on.banks;
  on.banks = {scratch_.front().data(), scratch_.front().data()};
  rule.run(on, moves, active & ~unsure);
  on.banks = banks;
}

void UndefinedValues::derive_bits(Warp& on, const Instruction& what, const UndefinedRule& rule,
                                  lane_mask active) {
  derive_all(rule, 0);
  const auto value = [&](std::size_t k, int lane) {
    std::uint64_t read = 0;
    if (what.source[k] != no_row) {
      const std::size_t nbytes = rule.source_nbytes[k];
      std::memcpy(
          &read,
          on.values<const std::byte>(what.source[k]) + nbytes * static_cast<std::size_t>(lane),
          std::min<std::size_t>(nbytes, 8));
    }
    return read;
  };
  for_lanes(active, [&](int lane) {
    OperandPair pair{.a = value(0, lane),
                     .b = value(1, lane),
                     .undefined_a = value_bits(on, what.source[0], rule.source_nbytes[0], lane),
                     .undefined_b = value_bits(on, what.source[1], rule.source_nbytes[1], lane)};
    for (std::size_t k = 2; k < what.source.size(); ++k) {
      pair.undefined_b |= value_bits(on, what.source[k], rule.source_nbytes[k], lane);
    }
    const std::uint64_t found = combined(rule.flow, pair);
    const std::size_t nbytes = std::min<std::size_t>(rule.result_nbytes[0], 8);
    std::memcpy(scratch_[0].data() + nbytes * static_cast<std::size_t>(lane), &found, nbytes);
  });
}

void UndefinedValues::derive_predicates(Warp& on, const Instruction& what,
                                        const UndefinedRule& rule, lane_mask active) {
  OperandPair pair;
  pair.a = on.predicate(what, 0);
  pair.undefined_a = lanes_of(on, what.source[0]);
  if (what.source[1] != no_row) {
    pair.b = on.predicate(what, 1);
    pair.undefined_b = lanes_of(on, what.source[1]);
  }
  derive_all(rule, static_cast<lane_mask>(combined(rule.flow, pair)) & active);
}

void UndefinedValues::derive_equality(Warp& on, const Instruction& what, const UndefinedRule& rule,
                                      lane_mask active) {
  lane_mask unsure = undefined_sources(on, what, rule, active, 3);
  const std::size_t nbytes = rule.source_nbytes[0];
  for_lanes(unsure, [&](int lane) {
    std::uint64_t differs = 0;
    for (std::size_t k = 0; k < nbytes; ++k) {
      const std::size_t at = nbytes * static_cast<std::size_t>(lane) + k;
      const auto byte = [&](std::size_t source) {
        return on.values<const std::byte>(what.source[source])[at];
      };
      const std::byte unknown = bits(on, what.source[0])[at] | bits(on, what.source[1])[at];
      differs |= static_cast<std::uint64_t>((byte(0) ^ byte(1)) & ~unknown);
    }
    if (differs != 0) unsure &= ~(lane_mask{1} << lane);
  });
  derive_all(rule, unsure);
}

void UndefinedValues::derive(Warp& on, const Instruction& what, const UndefinedRule& rule,
                             lane_mask active) {
  const lane_mask unsure = undefined_sources(on, what, rule, active, 31);
  lane_mask computed_lanes = unsure;
  switch (rule.flow) {
    case UndefinedFlow::load:
    case UndefinedFlow::store:
    case UndefinedFlow::atomic:
    case UndefinedFlow::exchange:
      return;
    case UndefinedFlow::none:
    case UndefinedFlow::addresses:
      derive_all(rule, 0);
      break;
    case UndefinedFlow::all:
      derive_all(rule, unsure);
      break;
    case UndefinedFlow::group:
      derive_all(rule, unsure != 0 ? active : 0);
      break;
    case UndefinedFlow::ballot:
      derive_all(rule, 0);
      for_lanes(active, [&](int lane) {
        std::memcpy(scratch_[0].data() + sizeof unsure * static_cast<std::size_t>(lane), &unsure,
                    sizeof unsure);
      });
      break;
    case UndefinedFlow::equality:
      derive_equality(on, what, rule, active);
      break;
    case UndefinedFlow::moved:
      derive_moved(on, what, rule, active);
      computed_lanes = 0;
      for (const row one : what.source) {
        if (one != no_row && (one & 1) == 0) computed_lanes |= computed(on, one);
      }
      break;
    default:
      if (rule.has_predicates) {
        derive_predicates(on, what, rule, active);
      } else {
        derive_bits(on, what, rule, active);
      }
  }
  write_results(on, what, rule, active, computed_lanes);
}

void UndefinedValues::write_results(const Warp& on, const Instruction& what,
                                    const UndefinedRule& rule, lane_mask active,
                                    lane_mask computed_lanes) {
  for (std::size_t k = 0; k < what.destination.size(); ++k) {
    const row to = what.destination[k];
    if (to == no_row) continue;
    const std::size_t nbytes = rule.result_nbytes[k];
    lane_mask& made = computed(on, to);
    made = (made & ~active) | (computed_lanes & active);
    if (nbytes == 0) {
      lane_mask found = 0;
      std::memcpy(&found, scratch_[k].data(), sizeof found);
      lane_mask& into = lanes_of(on, to);
      into = (into & ~active) | (found & active);
      continue;
    }
    for_lanes(active, [&](int lane) {
      const std::size_t at = nbytes * static_cast<std::size_t>(lane);
      std::memcpy(bits(on, to) + at, scratch_[k].data() + at, nbytes);
    });
  }
}

}  // namespace skerry::emulation
