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

/// Call stacks of a block's threads. Frames are in local memory, where kernels see them; saved
/// registers and return addresses are here. Both count against the stack limit, as on a GPU.
class CallStacks {
 public:
  explicit CallStacks(Block& block);

  /// Clears the stacks of a warp that starts a block.
  void start(Warp& warp);
  /// Calls functions from the instruction at `call_pc`, and sets the lanes' program counters to
  /// their entries. Faults with 719 on stack overflow or if the signatures differ, and with 700 for
  /// an address that is not a function.
  void call(Warp& warp, const Instruction& instruction, std::uint32_t call_pc, lane_mask active);
  /// Returns from the lanes' functions to the instructions after the calls.
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
