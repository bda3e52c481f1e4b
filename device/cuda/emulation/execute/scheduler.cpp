// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/cuda/emulation/check/synchronization.hpp"
#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/calls.hpp"
#include "device/cuda/emulation/execute/report.hpp"
#include "device/cuda/emulation/execute/unsupported.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};
/// After so many jumps back, lanes that are elsewhere get their turn: these may wait for them.
constexpr int jumps_of_a_turn = 200;

/// Lanes that stand at the same instruction, and the next one where others of the warp stand.
struct Fragment {
  lane_mask lanes = 0;
  std::uint32_t at = 0;
  std::uint32_t until = nowhere;
  bool is_whole = true;  ///< nobody else of the warp is ready
};

void move_to(Warp& on, lane_mask lanes, std::uint32_t at) {
  if (lanes == all_lanes) {
    on.at.fill(at);
  } else {
    for_lanes(lanes, [&](int lane) { on.at[static_cast<std::size_t>(lane)] = at; });
  }
}

/// The lanes that come first in the code, so that the others are met where ways join again; after
/// a wait in vain those of a random lane.
[[nodiscard]] Fragment choose(Warp& on, lane_mask ready) {
  Fragment chosen{.at = nowhere};
  std::array<std::uint32_t, warp_size> places;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t at = on.at[lane];
    places[lane] = (ready & (lane_mask{1} << lane)) != 0 ? at : nowhere;
  }
  if (on.takes_any_fragment) {
    on.takes_any_fragment = false;
    const auto count = static_cast<std::uint32_t>(std::popcount(ready));
    lane_mask left = ready;
    for (std::uint32_t skip = on.owner->launched.random.below(count); skip > 0; --skip) {
      left &= left - 1;
    }
    chosen.at = on.at[static_cast<std::size_t>(std::countr_zero(left))];
  } else {
    for (const std::uint32_t at : places) chosen.at = std::min(chosen.at, at);
  }
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t at = places[lane];
    chosen.lanes |= at == chosen.at ? lane_mask{1} << lane : 0;
    chosen.until = std::min(chosen.until, at > chosen.at ? at : nowhere);
  }
  chosen.is_whole = chosen.lanes == ready;
  return chosen;
}

/// Whether every lane names the same members; a row of constants does.
[[nodiscard]] bool names_one_mask(Warp& on, const Instruction& what) {
  if ((what.members & 1) != 0) return true;
  const auto* const masks = on.values<const lane_mask>(what.members);
  lane_mask differs = 0;
  for (int lane = 0; lane < warp_size; ++lane) differs |= masks[lane] ^ masks[0];
  return differs == 0;
}

/// The lanes of `here` that name the members that `lane` names.
[[nodiscard]] lane_mask group_of(Warp& on, lane_mask here, int lane) {
  const auto& code = on.owner->launched.code.code;
  const auto mask_of = [&](int of) {
    return on.values<const lane_mask>(code[on.at[static_cast<std::size_t>(of)]].members)[of];
  };
  const lane_mask members = mask_of(lane);
  lane_mask group = 0;
  for_lanes(here, [&](int other) {
    if (mask_of(other) == members) group |= lane_mask{1} << other;
  });
  if (const lane_mask strangers = group & ~members; strangers != 0) {
    fault(code::illegal_instruction, std::countr_zero(strangers),
          "the members of a collective lack the lane itself");
  }
  return group;
}

/// `members`: whom the lanes of the group name.
void do_collective(Warp& on, const Instruction& what, lane_mask group, lane_mask members) {
  if (on.owner->launched.device.checks_synchronization) check_members(on, members, group);
  if (on.owner->undefined) return on.owner->undefined->run_collective(on, what, group);
  what.run(on, what, group);
}

/// Runs a collective for a group that is complete; its lanes may stand at several places.
void run_group(Warp& on, const Instruction& what, lane_mask group, lane_mask members) {
  const auto& code = on.owner->launched.code.code;
  const auto here = static_cast<std::uint32_t>(&what - code.data());
  const bool has_values =
      what.source[0] != no_row || what.destination[0] != no_row || what.destination[1] != no_row;
  for_lanes(group, [&](int lane) {
    if (on.at[static_cast<std::size_t>(lane)] != here && has_values) {
      fault(code::illegal_instruction, lane,
            "members of a collective come from several instructions");
    }
  });
  do_collective(on, what, group, members);
  for_lanes(group, [&](int lane) { ++on.at[static_cast<std::size_t>(lane)]; });
  on.at_collective &= ~group;
}

/// The lanes in `mask` have come to a collective: what is complete with them runs, others wait.
void run_collective(Warp& on, const Instruction& what, lane_mask mask) {
  const auto& code = on.owner->launched.code.code;
  lane_mask here = mask;
  for_lanes(on.at_collective, [&](int lane) {
    if (code[on.at[static_cast<std::size_t>(lane)]].run == what.run) here |= lane_mask{1} << lane;
  });
  on.at_collective |= mask;
  while (here != 0) {
    const int lane = std::countr_zero(here);
    const lane_mask group = group_of(on, here, lane);
    const lane_mask members =
        on.values<const lane_mask>(code[on.at[static_cast<std::size_t>(lane)]].members)[lane];
    here &= ~group;
    if ((members & on.alive & ~group) == 0) run_group(on, what, group, members);
  }
}

void end_lanes(Warp& on, lane_mask ended) {
  release_stores(on);
  on.alive &= ~ended;
  // Those that wait for them look again.
  on.at_collective = 0;
  recheck_barriers(*on.owner);
}

/// Runs one fragment; leaves its lanes where they stand.
class FragmentRun {
 public:
  FragmentRun(Warp& on, const Fragment& what, std::uint64_t quantum)
      : on_(on),
        code_(on.owner->launched.code.code.data()),
        what_(what),
        at_(what.at),
        left_(quantum) {}

  /// The instructions that it took.
  std::uint64_t run() {
    const std::uint64_t quantum = left_;
    try {
      while (step()) {
      }
    } catch (KernelFault& found) {
      throw located(found, on_, at_);
    }
    const std::uint64_t steps = quantum - left_;
    Statistics& counted = on_.owner->launched.counted;
    counted.warp_instructions += steps;
    counted.lane_instructions += steps * static_cast<std::uint64_t>(std::popcount(what_.lanes));
    return steps;
  }

 private:
  /// The plain instructions that follow, and the one behind them; false if the fragment ends.
  bool step() {
    const std::uint64_t room = what_.until > at_ ? what_.until - at_ : 0;
    const std::uint32_t begin = at_;
    const std::uint32_t end = begin + static_cast<std::uint32_t>(std::min(room, left_));
    run_plain(end);
    left_ -= at_ - begin;
    if (at_ == end) return stop();
    --left_;
    const Instruction& next = code_[at_];
    return other(next, active_lanes(next));
  }

  [[nodiscard]] lane_mask active_lanes(const Instruction& next) const {
    if (next.guard == no_row) return what_.lanes;
    const lane_mask guard = on_.predicate(next.guard);
    return what_.lanes & (next.is_guard_negated ? ~guard : guard);
  }

  void run_plain(std::uint32_t end) {
    for (; at_ != end; ++at_) {
      const Instruction& next = code_[at_];
      if (next.flow != Control::plain) return;
      if (const lane_mask active = active_lanes(next); active != 0) next.run(on_, next, active);
    }
  }

  bool stop() {
    // Short turns end before many jumps: then, too, others must get theirs.
    if (left_ == 0 && !what_.is_whole) on_.takes_any_fragment = true;
    move_to(on_, what_.lanes, at_);
    return false;
  }

  /// The lanes that the guard leaves out go on behind the instruction.
  void part(lane_mask active) {
    move_to(on_, what_.lanes & ~active, at_ + 1);
    move_to(on_, active, at_);
  }

  bool other(const Instruction& next, lane_mask active) {
    if (on_.owner->undefined) on_.owner->undefined->check_control(on_, next, what_.lanes);
    if (active == 0) {
      ++at_;
      return true;
    }
    switch (next.flow) {
      case Control::branch:
        return branch(next, active);
      case Control::table:
        part(active);
        choose_targets(next, active);
        return go_on(active);
      case Control::call:
        part(active);
        on_.owner->calls->call(on_, next, at_, active);
        return go_on(active);
      case Control::leave:
        part(active);
        on_.owner->calls->leave(on_, active);
        return go_on(active);
      case Control::collective:
        return collective(next, active);
      case Control::barrier:
        part(active);
        arrive_at_barrier(on_, next, active);
        return false;
      case Control::yielding:
        return yield(next, active);
      case Control::exit:
        part(active);
        end_lanes(on_, active);
        return false;
      case Control::trap:
        fault(FailureKind::trap, std::countr_zero(active), "trap");
      default:
        fault(FailureKind::unsupported_instruction, std::countr_zero(active),
              why_unsupported(on_.owner->launched.code.places[at_].text));
    }
  }

  bool branch(const Instruction& next, lane_mask active) {
    if (active != what_.lanes) {
      ++on_.owner->launched.counted.divergent_branches;
      move_to(on_, what_.lanes & ~active, at_ + 1);
      move_to(on_, active, next.target);
      return false;
    }
    const bool is_back = next.target <= at_;
    at_ = next.target;
    if (is_back && !what_.is_whole && ++jumps_ > jumps_of_a_turn) {
      on_.takes_any_fragment = true;
      return stop();
    }
    return true;
  }

  void choose_targets(const Instruction& next, lane_mask active) {
    const auto& table = on_.owner->launched.code.branch_tables[next.target];
    const auto* const index = on_.values<const std::uint32_t>(next.source[0]);
    for_lanes(active, [&](int lane) {
      if (index[lane] >= table.size()) {
        fault(code::launch_failure, lane,
              "place " + std::to_string(index[lane]) + " in a table of " +
                  std::to_string(table.size()) + " branches");
      }
      on_.at[static_cast<std::size_t>(lane)] = table[index[lane]];
    });
  }

  /// The lanes stand where each of them has gone to: on from there, if all are at one place.
  bool go_on(lane_mask active) {
    const std::uint32_t first = on_.at[static_cast<std::size_t>(std::countr_zero(active))];
    bool is_one = active == what_.lanes;
    for_lanes(active, [&](int lane) {
      is_one = is_one && on_.at[static_cast<std::size_t>(lane)] == first;
    });
    // Behind the next place where others stand, these may come to it, too.
    if (!is_one || first >= what_.until) return false;
    at_ = first;
    return true;
  }

  bool collective(const Instruction& next, lane_mask active) {
    if (active == what_.lanes && on_.at_collective == 0 && names_one_mask(on_, next)) {
      const int first = std::countr_zero(active);
      const lane_mask members = on_.values<const lane_mask>(next.members)[first];
      if ((members & on_.alive) == active) {
        do_collective(on_, next, active, members);
        ++at_;
        return true;
      }
    }
    part(active);
    run_collective(on_, next, active);
    return false;
  }

  bool yield(const Instruction& next, lane_mask active) {
    next.run(on_, next, active);
    ++at_;
    if (!on_.is_waiting) return true;
    on_.takes_any_fragment = true;
    return stop();
  }

  Warp& on_;
  const Instruction* code_;
  const Fragment what_;
  std::uint32_t at_;
  std::uint64_t left_;
  int jumps_ = 0;
};

}  // namespace

void run_warp(Warp& on, std::uint64_t quantum) {
  while (quantum > 0) {
    const lane_mask ready = on.ready();
    if (ready == 0) return;
    quantum -= FragmentRun(on, choose(on, ready), quantum).run();
    if (on.is_waiting) {
      on.is_waiting = false;
      return;
    }
  }
}

}  // namespace skerry::emulation
