// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// The calls that the threads of a block are in. Each thread has its own stack: its frames lie in
/// its local memory, where it sees them; registers that a call keeps, and where it returns to, are
/// here. Both count against the limit of the stack, as they do on a GPU.
class CallStacks {
 public:
  explicit CallStacks(Block& block);

  /// The warp begins with a block: its threads are in no call.
  void start(Warp& warp);
  /// The lanes call functions from the instruction `from`, and stand at their begin. Faults with
  /// 719 where the stack is full, and 700 for an address of no function.
  void call(Warp& warp, const Instruction& instruction, std::uint32_t call_pc, lane_mask active);
  /// Their functions return: they stand behind the call.
  void return_from_call(Warp& warp, lane_mask active);

 private:
  struct Record {
    std::uint32_t call_pc = 0;
    std::uint32_t site = 0;
  };
  struct ThreadStack {
    std::vector<Record> records;
    std::vector<std::byte> saved_bytes;
  };

  [[nodiscard]] ThreadStack& stack_of(const Warp& warp, int lane);
  [[nodiscard]] const CalledFunction& target(Warp& warp, const Instruction& instruction,
                                             int lane) const;
  void enter(Warp& warp, const CallSite& site, const CalledFunction& function, int lane);
  void save(Warp& warp, const CallSite& site, ThreadStack& stack, int lane);
  void restore(Warp& warp, const CallSite& site, ThreadStack& stack, int lane);

  Block& owner_;
  std::vector<ThreadStack> stacks_;
};

}  // namespace skerry::emulation
