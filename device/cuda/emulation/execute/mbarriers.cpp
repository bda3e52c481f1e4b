// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "device/cuda/emulation/check/shared_races.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/elementwise.hpp"
#include "device/cuda/emulation/execute/memory_operations.hpp"

namespace skerry::emulation {
namespace {

/// An mbarrier: its 8 bytes of shared memory are opaque to kernels, so all of it is in there.
struct Mbarrier {
  static constexpr u64 valid = 2;  // not what poison or zeros have there

  u64 tag : 2;
  u64 phase : 1;
  u64 expected : 20;  ///< arrivals in each phase
  u64 pending : 20;
  s64 bytes : 21;  ///< of bulk copies that are still to come

  void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};
static_assert(sizeof(Mbarrier) == 8);
constexpr u32 most_arrivals = (1U << 20) - 1;

/// As the lane names it: an address of shared memory or a generic one.
[[nodiscard]] u64 named_address(Warp& on, const Instruction& what, int lane) {
  const u64 offset = static_cast<u64>(what.immediate);
  if (what.is_uniform) return offset;
  return what.operand_nbytes == 4
             ? static_cast<u32>(on.values<const u32>(what.source[0])[lane] + offset)
             : on.values<const u64>(what.source[0])[lane] + offset;
}

[[nodiscard]] std::byte* address_of(Warp& on, const Instruction& what, int lane) {
  const u64 named = named_address(on, what, lane);
  const bool is_generic = !what.is_uniform && what.operand_nbytes != 4;
  return resolve_shared(on, lane, is_generic ? without_shared_base(on, named) : named,
                        {.nbytes = 8, .writes = true}, 8);
}

[[nodiscard]] Mbarrier read(const std::byte* from, int lane) {
  Mbarrier state;
  std::memcpy(&state, from, sizeof state);
  if (state.tag != Mbarrier::valid) {
    fault(code::launch_failure, lane, "an mbarrier that is not initialised");
  }
  return state;
}

void write(std::byte* to, const Mbarrier& state) { std::memcpy(to, &state, sizeof state); }

/// Calls `change` with each lane's barrier, and hands out its state from before.
template <class Change>
void for_barriers(Warp& on, const Instruction& what, lane_mask active, Change&& change) {
  release_stores(on);
  for_lanes(active, [&](int lane) {
    std::byte* const where = address_of(on, what, lane);
    Mbarrier state = read(where, lane);
    if (what.destination[0] != no_row) {
      std::memcpy(&on.values<u64>(what.destination[0])[lane], &state, sizeof state);
    }
    change(state, lane);
    state.complete_if_done();
    write(where, state);
  });
}

[[nodiscard]] u32 arrivals(Warp& on, const Instruction& what, int lane) {
  return what.source[1] == no_row ? 1 : on.values<const u32>(what.source[1])[lane];
}

void take_arrivals(Mbarrier& state, u32 count, int lane) {
  if (count > state.pending) {
    fault(code::launch_failure, lane, "more threads arrive at an mbarrier than it expects");
  }
  state.pending -= count;
}

void test(Warp& on, const Instruction& what, lane_mask active, bool by_parity) {
  lane_mask done = 0;
  std::optional<u64> looked_at;  // most often all lanes look at the same one
  u64 now = 0;
  for_lanes(active, [&](int lane) {
    if (const u64 named = named_address(on, what, lane); looked_at != named) {
      std::byte* const where = address_of(on, what, lane);
      on.owner->finish_loads(where);
      now = read(where, lane).phase;
      looked_at = named;
    }
    u64 phase = 0;
    if (by_parity) {
      phase = on.values<const u32>(what.source[1])[lane] & 1;
    } else {
      Mbarrier before;
      std::memcpy(&before, &on.values<const u64>(what.source[1])[lane], sizeof before);
      phase = before.phase;
    }
    if (now != phase) done |= lane_mask{1} << lane;
  });
  if (done != 0 && on.owner->races) on.owner->races->synchronize();
  on.set_predicate(what.destination[0], done, active);
  on.is_waiting = done != active;
}

}  // namespace

void initialize_mbarrier(Warp& on, const Instruction& what, lane_mask active) {
  for_lanes(active, [&](int lane) {
    const u32 count = on.values<const u32>(what.source[1])[lane];
    if (count == 0 || count > most_arrivals) {
      fault(code::launch_failure, lane, "an mbarrier for " + std::to_string(count) + " arrivals");
    }
    Mbarrier state{};
    state.tag = Mbarrier::valid;
    state.expected = count & most_arrivals;
    state.pending = count & most_arrivals;
    write(address_of(on, what, lane), state);
  });
}

void invalidate_mbarrier(Warp& on, const Instruction& what, lane_mask active) {
  for_lanes(active, [&](int lane) {
    std::byte* const where = address_of(on, what, lane);
    (void)read(where, lane);
    std::memset(where, poison, sizeof(Mbarrier));
  });
}

void arrive_at_mbarrier(Warp& on, const Instruction& what, lane_mask active) {
  for_barriers(on, what, active, [&](Mbarrier& state, int lane) {
    take_arrivals(state, arrivals(on, what, lane), lane);
  });
}

void drop_from_mbarrier(Warp& on, const Instruction& what, lane_mask active) {
  for_barriers(on, what, active, [&](Mbarrier& state, int lane) {
    const u32 count = arrivals(on, what, lane);
    take_arrivals(state, count, lane);
    state.expected -= count;
  });
}

void arrive_expecting_bytes(Warp& on, const Instruction& what, lane_mask active) {
  for_barriers(on, what, active, [&](Mbarrier& state, int lane) {
    state.bytes += static_cast<s32>(on.values<const u32>(what.source[1])[lane]);
    take_arrivals(state, 1, lane);
  });
}

void expect_bytes(Warp& on, const Instruction& what, lane_mask active) {
  for_barriers(on, what, active, [&](Mbarrier& state, int lane) {
    state.bytes += static_cast<s32>(on.values<const u32>(what.source[1])[lane]);
  });
}

void test_mbarrier_parity(Warp& on, const Instruction& what, lane_mask active) {
  test(on, what, active, true);
}

void test_mbarrier_state(Warp& on, const Instruction& what, lane_mask active) {
  test(on, what, active, false);
}

void complete_bytes(std::byte* barrier, std::uint32_t nbytes) {
  Mbarrier state = read(barrier, 0);
  state.bytes -= static_cast<s32>(nbytes);
  state.complete_if_done();
  write(barrier, state);
}

}  // namespace skerry::emulation
