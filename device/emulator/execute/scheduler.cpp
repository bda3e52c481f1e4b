// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/emulator/check/synchronization.hpp"
#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/calls.hpp"
#include "device/emulator/execute/report.hpp"
#include "device/emulator/execute/unsupported.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};
/// Backward jumps after which other lanes of the warp run: the jumping lanes may wait for them.
constexpr int jumps_of_a_turn = 200;

/// Lanes with the same program counter, and the next program counter at which other lanes of the
/// warp are ready.
struct Fragment {
  lane_mask lanes = 0;
  std::uint32_t pc = 0;
  std::uint32_t until = nowhere;
  bool is_whole = true;  ///< no other lane of the warp is ready
};

void move_to(Warp& warp, lane_mask lanes, std::uint32_t pc) {
  if (lanes == all_lanes) {
    warp.pc.fill(pc);
  } else {
    for_lanes(lanes, [&](int lane) { warp.pc[static_cast<std::size_t>(lane)] = pc; });
  }
}

/// Returns the fragment that is first in program order, so that fragments reconverge where paths
/// join. With Warp::takes_any_fragment, returns that of a random lane.
[[nodiscard]] Fragment choose(Warp& warp, lane_mask ready_lanes) {
  Fragment fragment{.pc = nowhere};
  std::array<std::uint32_t, warp_size> lane_pcs;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t pc = warp.pc[lane];
    lane_pcs[lane] = (ready_lanes & (lane_mask{1} << lane)) != 0 ? pc : nowhere;
  }
  if (warp.takes_any_fragment) {
    warp.takes_any_fragment = false;
    const auto count = static_cast<std::uint32_t>(std::popcount(ready_lanes));
    lane_mask left = ready_lanes;
    for (std::uint32_t skip = warp.owner->launch_state.random.below(count); skip > 0; --skip) {
      left &= left - 1;
    }
    fragment.pc = warp.pc[static_cast<std::size_t>(std::countr_zero(left))];
  } else {
    for (const std::uint32_t pc : lane_pcs) fragment.pc = std::min(fragment.pc, pc);
  }
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t pc = lane_pcs[lane];
    fragment.lanes |= pc == fragment.pc ? lane_mask{1} << lane : 0;
    fragment.until = std::min(fragment.until, pc > fragment.pc ? pc : nowhere);
  }
  fragment.is_whole = fragment.lanes == ready_lanes;
  return fragment;
}

/// True if all lanes have the same member mask, as with a row of constants.
[[nodiscard]] bool names_one_mask(Warp& warp, const Instruction& instruction) {
  if ((instruction.members & 1) != 0) return true;
  const auto* const masks = warp.values<const lane_mask>(instruction.members);
  lane_mask differs = 0;
  for (int lane = 0; lane < warp_size; ++lane) differs |= masks[lane] ^ masks[0];
  return differs == 0;
}

/// Returns the lanes of `here` whose member mask equals that of `lane`.
[[nodiscard]] lane_mask group_of(Warp& warp, lane_mask here, int lane) {
  const auto& code = warp.owner->launch_state.program.instructions;
  const auto mask_of = [&](int member) {
    return warp.values<const lane_mask>(
        code[warp.pc[static_cast<std::size_t>(member)]].members)[member];
  };
  const lane_mask members = mask_of(lane);
  lane_mask group = 0;
  for_lanes(here, [&](int other) {
    if (mask_of(other) == members) group |= lane_mask{1} << other;
  });
  if (const lane_mask strangers = group & ~members; strangers != 0) {
    fault(code::illegal_instruction, std::countr_zero(strangers),
          "the member mask of a collective lacks the executing lane");
  }
  return group;
}

/// Checks and executes a collective for `group`, whose lanes have the member mask `members`.
void do_collective(Warp& warp, const Instruction& instruction, lane_mask group, lane_mask members) {
  if (warp.owner->launch_state.device.checks_synchronization) check_members(warp, members, group);
  if (warp.owner->undefined_values)
    return warp.owner->undefined_values->run_collective(warp, instruction, group);
  instruction.execute(warp, instruction, group);
}

/// Runs a collective for a complete group, whose lanes may be at different instructions.
void run_group(Warp& warp, const Instruction& instruction, lane_mask group, lane_mask members) {
  const auto& code = warp.owner->launch_state.program.instructions;
  const auto here = static_cast<std::uint32_t>(&instruction - code.data());
  const bool has_values = instruction.source[0] != no_row || instruction.destination[0] != no_row ||
                          instruction.destination[1] != no_row;
  for_lanes(group, [&](int lane) {
    if (warp.pc[static_cast<std::size_t>(lane)] != here && has_values) {
      fault(code::illegal_instruction, lane,
            "the members of a collective execute different instructions");
    }
  });
  do_collective(warp, instruction, group, members);
  for_lanes(group, [&](int lane) { ++warp.pc[static_cast<std::size_t>(lane)]; });
  warp.at_collective &= ~group;
}

/// Records that lanes `mask` arrive at a collective. Runs it for complete groups; the other lanes
/// wait.
void run_collective(Warp& warp, const Instruction& instruction, lane_mask mask) {
  const auto& code = warp.owner->launch_state.program.instructions;
  lane_mask here = mask;
  for_lanes(warp.at_collective, [&](int lane) {
    if (code[warp.pc[static_cast<std::size_t>(lane)]].execute == instruction.execute)
      here |= lane_mask{1} << lane;
  });
  warp.at_collective |= mask;
  while (here != 0) {
    const int lane = std::countr_zero(here);
    const lane_mask group = group_of(warp, here, lane);
    const lane_mask members =
        warp.values<const lane_mask>(code[warp.pc[static_cast<std::size_t>(lane)]].members)[lane];
    here &= ~group;
    if ((members & warp.alive & ~group) == 0) run_group(warp, instruction, group, members);
  }
}

void end_lanes(Warp& warp, lane_mask ended) {
  release_stores(warp);
  warp.alive &= ~ended;
  // Lanes that wait for a collective try again: it may be complete without the ended lanes.
  warp.at_collective = 0;
  recheck_barriers(*warp.owner);
}

/// Runs one fragment and stores its lanes' program counters.
class FragmentRun {
 public:
  FragmentRun(Warp& warp, const Fragment& fragment, std::uint64_t quantum)
      : warp_(warp),
        code_(warp.owner->launch_state.program.instructions.data()),
        fragment_(fragment),
        pc_(fragment.pc),
        left_(quantum) {}

  /// Returns the number of executed instructions.
  std::uint64_t run() {
    const std::uint64_t quantum = left_;
    try {
      while (step()) {
      }
    } catch (KernelFault& kernel_fault) {
      throw located(kernel_fault, warp_, pc_);
    }
    const std::uint64_t steps = quantum - left_;
    Statistics& counted = warp_.owner->launch_state.counted;
    counted.warp_instructions += steps;
    counted.lane_instructions += steps * static_cast<std::uint64_t>(std::popcount(fragment_.lanes));
    return steps;
  }

 private:
  /// Runs the next sequential instructions and the control instruction after them. False if the
  /// fragment ends.
  bool step() {
    const std::uint64_t distance = fragment_.until > pc_ ? fragment_.until - pc_ : 0;
    const std::uint32_t begin = pc_;
    const std::uint32_t end = begin + static_cast<std::uint32_t>(std::min(distance, left_));
    run_sequential(end);
    left_ -= pc_ - begin;
    if (pc_ == end) return stop();
    --left_;
    const Instruction& next = code_[pc_];
    return other(next, active_lanes(next));
  }

  [[nodiscard]] lane_mask active_lanes(const Instruction& next) const {
    if (next.guard == no_row) return fragment_.lanes;
    const lane_mask guard = warp_.predicate(next.guard);
    return fragment_.lanes & (next.is_guard_negated ? ~guard : guard);
  }

  void run_sequential(std::uint32_t end) {
    for (; pc_ != end; ++pc_) {
      const Instruction& next = code_[pc_];
      if (next.flow != Control::sequential) return;
      if (const lane_mask active = active_lanes(next); active != 0)
        next.execute(warp_, next, active);
    }
  }

  bool stop() {
    // A short quantum ends before `jumps_of_a_turn`: other lanes have to run in this case too.
    if (left_ == 0 && !fragment_.is_whole) warp_.takes_any_fragment = true;
    move_to(warp_, fragment_.lanes, pc_);
    return false;
  }

  /// Stores the program counters; lanes that the guard masks out continue after the instruction.
  void split_lanes(lane_mask active) {
    move_to(warp_, fragment_.lanes & ~active, pc_ + 1);
    move_to(warp_, active, pc_);
  }

  bool other(const Instruction& next, lane_mask active) {
    if (warp_.owner->undefined_values)
      warp_.owner->undefined_values->check_control(warp_, next, fragment_.lanes);
    if (active == 0) {
      ++pc_;
      return true;
    }
    switch (next.flow) {
      case Control::branch:
        return branch(next, active);
      case Control::table:
        split_lanes(active);
        choose_targets(next, active);
        return go_on(active);
      case Control::call:
        split_lanes(active);
        warp_.owner->calls->call(warp_, next, pc_, active);
        return go_on(active);
      case Control::ret:
        split_lanes(active);
        warp_.owner->calls->return_from_call(warp_, active);
        return go_on(active);
      case Control::collective:
        return collective(next, active);
      case Control::barrier:
        split_lanes(active);
        arrive_at_barrier(warp_, next, active);
        return false;
      case Control::yielding:
        return yield(next, active);
      case Control::exit:
        split_lanes(active);
        end_lanes(warp_, active);
        return false;
      case Control::trap:
        fault(FailureKind::trap, std::countr_zero(active), "trap");
      default:
        fault(FailureKind::unsupported_instruction, std::countr_zero(active),
              why_unsupported(warp_.owner->launch_state.program.locations[pc_].text));
    }
  }

  bool branch(const Instruction& next, lane_mask active) {
    if (active != fragment_.lanes) {
      ++warp_.owner->launch_state.counted.divergent_branches;
      move_to(warp_, fragment_.lanes & ~active, pc_ + 1);
      move_to(warp_, active, next.target);
      return false;
    }
    const bool is_back = next.target <= pc_;
    pc_ = next.target;
    if (is_back && !fragment_.is_whole && ++jumps_ > jumps_of_a_turn) {
      warp_.takes_any_fragment = true;
      return stop();
    }
    return true;
  }

  void choose_targets(const Instruction& next, lane_mask active) {
    const auto& table = warp_.owner->launch_state.program.branch_tables[next.target];
    const auto* const index = warp_.values<const std::uint32_t>(next.source[0]);
    for_lanes(active, [&](int lane) {
      if (index[lane] >= table.size()) {
        fault(code::launch_failure, lane,
              "index " + std::to_string(index[lane]) + " is out of range of a table of " +
                  std::to_string(table.size()) + " branches");
      }
      warp_.pc[static_cast<std::size_t>(lane)] = table[index[lane]];
    });
  }

  /// Continues with the new program counter if all lanes share it.
  bool go_on(lane_mask active) {
    const std::uint32_t first = warp_.pc[static_cast<std::size_t>(std::countr_zero(active))];
    bool is_one = active == fragment_.lanes;
    for_lanes(active, [&](int lane) {
      is_one = is_one && warp_.pc[static_cast<std::size_t>(lane)] == first;
    });
    // From `until` on, other lanes may reconverge with these.
    if (!is_one || first >= fragment_.until) return false;
    pc_ = first;
    return true;
  }

  bool collective(const Instruction& next, lane_mask active) {
    if (active == fragment_.lanes && warp_.at_collective == 0 && names_one_mask(warp_, next)) {
      const int first = std::countr_zero(active);
      const lane_mask members = warp_.values<const lane_mask>(next.members)[first];
      if ((members & warp_.alive) == active) {
        do_collective(warp_, next, active, members);
        ++pc_;
        return true;
      }
    }
    split_lanes(active);
    run_collective(warp_, next, active);
    return false;
  }

  bool yield(const Instruction& next, lane_mask active) {
    next.execute(warp_, next, active);
    ++pc_;
    if (!warp_.is_waiting) return true;
    warp_.takes_any_fragment = true;
    return stop();
  }

  Warp& warp_;
  const Instruction* code_;
  const Fragment fragment_;
  std::uint32_t pc_;
  std::uint64_t left_;
  int jumps_ = 0;
};

}  // namespace

void run_warp(Warp& warp, std::uint64_t quantum) {
  while (quantum > 0) {
    const lane_mask ready_lanes = warp.ready_lanes();
    if (ready_lanes == 0) return;
    quantum -= FragmentRun(warp, choose(warp, ready_lanes), quantum).run();
    if (warp.is_waiting) {
      warp.is_waiting = false;
      return;
    }
  }
}

}  // namespace skerry::emulation
