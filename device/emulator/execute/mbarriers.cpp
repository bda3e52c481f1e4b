// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "device/emulator/check/shared_races.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/elementwise.hpp"
#include "device/emulator/execute/memory_operations.hpp"

namespace skerry::emulation {
namespace {

/// State of an mbarrier. It fits the 8 bytes of the object in shared memory, which are opaque to
/// kernels.
struct Mbarrier {
  static constexpr u64 valid = 2;  // neither poison nor zeros have this tag

  u64 tag : 2;
  u64 phase : 1;
  u64 expected : 20;  ///< arrivals per phase
  u64 pending : 20;
  s64 bytes : 21;  ///< pending bytes of bulk copies

  void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};
static_assert(sizeof(Mbarrier) == 8);
constexpr u32 max_arrivals = (1U << 20) - 1;

/// Returns the lane's operand, a shared or a generic address.
[[nodiscard]] u64 named_address(Warp& warp, const Instruction& instruction, int lane) {
  const u64 offset = static_cast<u64>(instruction.immediate);
  if (instruction.is_uniform) return offset;
  return instruction.operand_nbytes == 4
             ? static_cast<u32>(warp.values<const u32>(instruction.source[0])[lane] + offset)
             : warp.values<const u64>(instruction.source[0])[lane] + offset;
}

[[nodiscard]] std::byte* address_of(Warp& warp, const Instruction& instruction, int lane) {
  const u64 named = named_address(warp, instruction, lane);
  const bool is_generic = !instruction.is_uniform && instruction.operand_nbytes != 4;
  return resolve_shared(warp, lane, is_generic ? without_shared_base(warp, named) : named,
                        {.nbytes = 8, .writes = true}, 8);
}

[[nodiscard]] Mbarrier read(const std::byte* source, int lane) {
  Mbarrier state;
  std::memcpy(&state, source, sizeof state);
  if (state.tag != Mbarrier::valid) {
    fault(code::launch_failure, lane, "the mbarrier is not initialised");
  }
  return state;
}

void write(std::byte* destination, const Mbarrier& state) {
  std::memcpy(destination, &state, sizeof state);
}

/// Calls `change` with each lane's barrier, and writes the previous state to the destination.
template <class Change>
void for_barriers(Warp& warp, const Instruction& instruction, lane_mask active, Change&& change) {
  release_stores(warp);
  for_lanes(active, [&](int lane) {
    std::byte* const barrier = address_of(warp, instruction, lane);
    Mbarrier state = read(barrier, lane);
    if (instruction.destination[0] != no_row) {
      std::memcpy(&warp.values<u64>(instruction.destination[0])[lane], &state, sizeof state);
    }
    change(state, lane);
    state.complete_if_done();
    write(barrier, state);
  });
}

[[nodiscard]] u32 arrivals(Warp& warp, const Instruction& instruction, int lane) {
  return instruction.source[1] == no_row ? 1 : warp.values<const u32>(instruction.source[1])[lane];
}

void take_arrivals(Mbarrier& state, u32 count, int lane) {
  if (count > state.pending) {
    fault(code::launch_failure, lane, "more arrivals at an mbarrier than are pending in its phase");
  }
  state.pending -= count;
}

void test(Warp& warp, const Instruction& instruction, lane_mask active, bool by_parity) {
  lane_mask done = 0;
  std::optional<u64> looked_at;  // usually the same for all lanes
  u64 now = 0;
  for_lanes(active, [&](int lane) {
    if (const u64 named = named_address(warp, instruction, lane); looked_at != named) {
      std::byte* const barrier = address_of(warp, instruction, lane);
      warp.owner->finish_loads(barrier);
      now = read(barrier, lane).phase;
      looked_at = named;
    }
    u64 phase = 0;
    if (by_parity) {
      phase = warp.values<const u32>(instruction.source[1])[lane] & 1;
    } else {
      Mbarrier previous_state;
      std::memcpy(&previous_state, &warp.values<const u64>(instruction.source[1])[lane],
                  sizeof previous_state);
      phase = previous_state.phase;
    }
    if (now != phase) done |= lane_mask{1} << lane;
  });
  if (done != 0 && warp.owner->races) warp.owner->races->synchronize();
  warp.set_predicate(instruction.destination[0], done, active);
  warp.is_waiting = done != active;
}

}  // namespace

void initialize_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_lanes(active, [&](int lane) {
    const u32 count = warp.values<const u32>(instruction.source[1])[lane];
    if (count == 0 || count > max_arrivals) {
      fault(code::launch_failure, lane,
            "mbarrier.init with a count of " + std::to_string(count) + "; it must be 1 to 1048575");
    }
    Mbarrier state{};
    state.tag = Mbarrier::valid;
    state.expected = count & max_arrivals;
    state.pending = count & max_arrivals;
    write(address_of(warp, instruction, lane), state);
  });
}

void invalidate_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_lanes(active, [&](int lane) {
    std::byte* const barrier = address_of(warp, instruction, lane);
    (void)read(barrier, lane);
    std::memset(barrier, poison, sizeof(Mbarrier));
  });
}

void arrive_at_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_barriers(warp, instruction, active, [&](Mbarrier& state, int lane) {
    take_arrivals(state, arrivals(warp, instruction, lane), lane);
  });
}

void drop_from_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_barriers(warp, instruction, active, [&](Mbarrier& state, int lane) {
    const u32 count = arrivals(warp, instruction, lane);
    take_arrivals(state, count, lane);
    state.expected -= count;
  });
}

void arrive_expecting_bytes(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_barriers(warp, instruction, active, [&](Mbarrier& state, int lane) {
    state.bytes += static_cast<s32>(warp.values<const u32>(instruction.source[1])[lane]);
    take_arrivals(state, 1, lane);
  });
}

void expect_bytes(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_barriers(warp, instruction, active, [&](Mbarrier& state, int lane) {
    state.bytes += static_cast<s32>(warp.values<const u32>(instruction.source[1])[lane]);
  });
}

void test_mbarrier_parity(Warp& warp, const Instruction& instruction, lane_mask active) {
  test(warp, instruction, active, true);
}

void test_mbarrier_state(Warp& warp, const Instruction& instruction, lane_mask active) {
  test(warp, instruction, active, false);
}

void complete_bytes(std::byte* barrier, std::uint32_t nbytes) {
  Mbarrier state = read(barrier, 0);
  state.bytes -= static_cast<s32>(nbytes);
  state.complete_if_done();
  write(barrier, state);
}

}  // namespace skerry::emulation
