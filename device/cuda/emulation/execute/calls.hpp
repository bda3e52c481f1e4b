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
class call_stacks {
 public:
  explicit call_stacks(block& of);

  /// The warp begins with a block: its threads are in no call.
  void start(warp& on);
  /// The lanes call functions from the instruction `from`, and stand at their begin. Faults with
  /// 719 where the stack is full, and 700 for an address of no function.
  void call(warp& on, const instruction& what, std::uint32_t from, lane_mask active);
  /// Their functions return: they stand behind the call.
  void leave(warp& on, lane_mask active);

 private:
  struct record {
    std::uint32_t from = 0;
    std::uint32_t site = 0;
  };
  struct thread_stack {
    std::vector<record> records;
    std::vector<std::byte> kept;
  };

  [[nodiscard]] thread_stack& stack_of(const warp& on, int lane);
  [[nodiscard]] const called_function& target(warp& on, const instruction& what, int lane) const;
  void enter(warp& on, const call_site& site, const called_function& into, int lane);
  void keep(warp& on, const call_site& site, thread_stack& into, int lane);
  void restore(warp& on, const call_site& site, thread_stack& from, int lane);

  block& owner_;
  std::vector<thread_stack> stacks_;
};

}  // namespace skerry::emulation
