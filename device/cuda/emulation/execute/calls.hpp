// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/execute/warp.hpp"

namespace skerry::emulation {

/// The calls that the threads of a block are in. Each thread has its own stack: its frames lie in
/// its local memory, where it sees them; registers that a call keeps, and where it returns to, are
/// here. Both count against the limit of the stack, as they do on a GPU.
class CallStacks {
 public:
  explicit CallStacks(Block& of);

  /// The warp begins with a block: its threads are in no call.
  void start(Warp& on);
  /// The lanes call functions from the instruction `from`, and stand at their begin. Faults with
  /// 719 where the stack is full, and 700 for an address of no function.
  void call(Warp& on, const Instruction& what, std::uint32_t from, lane_mask active);
  /// Their functions return: they stand behind the call.
  void leave(Warp& on, lane_mask active);

 private:
  struct Record {
    std::uint32_t from = 0;
    std::uint32_t site = 0;
  };
  struct ThreadStack {
    std::vector<Record> records;
    std::vector<std::byte> kept;
  };

  [[nodiscard]] ThreadStack& stack_of(const Warp& on, int lane);
  [[nodiscard]] const CalledFunction& target(Warp& on, const Instruction& what, int lane) const;
  void enter(Warp& on, const CallSite& site, const CalledFunction& into, int lane);
  void keep(Warp& on, const CallSite& site, ThreadStack& into, int lane);
  void restore(Warp& on, const CallSite& site, ThreadStack& from, int lane);

  Block& owner_;
  std::vector<ThreadStack> stacks_;
};

}  // namespace skerry::emulation
