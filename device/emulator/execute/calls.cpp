// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/calls.hpp"

#include <algorithm>
#include <cstring>

#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {
namespace {

/// Size of a return address, per call.
constexpr std::size_t record_nbytes = 8;

[[nodiscard]] std::size_t size_of(const SavedRow& row) { return row.nbytes == 0 ? 1 : row.nbytes; }

}  // namespace

CallStacks::CallStacks(Block& block) : owner_(block), stacks_(block.warps.size() * warp_size) {}

CallStacks::ThreadStack& CallStacks::stack_of(const Warp& warp, int lane) {
  return stacks_[std::size_t{warp.number} * warp_size + static_cast<std::size_t>(lane)];
}

void CallStacks::start(Warp& warp) {
  const LaunchState& launch_state = owner_.launch_state;
  for (int lane = 0; lane < warp_size; ++lane) {
    stack_of(warp, lane).records.clear();
    stack_of(warp, lane).saved_bytes.clear();
    if (launch_state.program.frame == no_row) continue;
    warp.values<std::uint64_t>(launch_state.program.frame)[lane] =
        reinterpret_cast<std::uint64_t>(warp.local) +
        static_cast<std::uint64_t>(lane) * launch_state.local_nbytes;
  }
}

const CalledFunction& CallStacks::target(Warp& warp, const Instruction& instruction,
                                         int lane) const {
  const Program& code = owner_.launch_state.program;
  const CallSite& site = code.call_sites[instruction.target];
  if (site.function >= 0) return code.functions[static_cast<std::size_t>(site.function)];
  const std::uint64_t address = warp.values<const std::uint64_t>(instruction.source[0])[lane];
  const auto function = std::ranges::find(code.functions, address, &CalledFunction::address);
  if (function == code.functions.end()) {
    fault(code::illegal_address, lane, "call to an address that is not a function of the module");
  }
  if (function->layout.signature != site.signature) {
    fault(code::launch_failure, lane,
          "call to " + std::string(function->name) +
              ": results and parameters differ in size: the call has " + site.signature +
              "bytes, the function has " + function->layout.signature);
  }
  return *function;
}

void CallStacks::save(Warp& warp, const CallSite& site, ThreadStack& stack, int lane) {
  std::size_t end = stack.saved_bytes.size();
  stack.saved_bytes.resize(end + site.saved_nbytes);
  for (const SavedRow& row : site.saved_rows) {
    std::byte* const destination = stack.saved_bytes.data() + end;
    if (row.nbytes == 0) {
      *destination =
          std::byte{(warp.predicate(static_cast<emulation::row>(row.offset)) >> lane & 1) != 0};
    } else {
      std::memcpy(destination,
                  warp.banks[0] + row.offset + static_cast<std::size_t>(lane) * row.nbytes,
                  row.nbytes);
    }
    end += size_of(row);
  }
  if (owner_.undefined_values)
    owner_.undefined_values->save(warp, site.saved_rows, lane, stack.saved_bytes);
}

void CallStacks::restore(Warp& warp, const CallSite& site, ThreadStack& stack, int lane) {
  if (owner_.undefined_values)
    owner_.undefined_values->restore(warp, site.saved_rows, lane, stack.saved_bytes);
  std::size_t offset = stack.saved_bytes.size() - site.saved_nbytes;
  for (const SavedRow& row : site.saved_rows) {
    const std::byte* const value = stack.saved_bytes.data() + offset;
    if (row.nbytes == 0) {
      const lane_mask bit = lane_mask{1} << lane;
      warp.set_predicate(static_cast<emulation::row>(row.offset), *value != std::byte{} ? bit : 0,
                         bit);
    } else {
      std::memcpy(warp.banks[0] + row.offset + static_cast<std::size_t>(lane) * row.nbytes, value,
                  row.nbytes);
    }
    offset += size_of(row);
  }
  stack.saved_bytes.resize(stack.saved_bytes.size() - site.saved_nbytes);
}

void CallStacks::enter(Warp& warp, const CallSite& site, const CalledFunction& function, int lane) {
  const LaunchState& launch_state = owner_.launch_state;
  std::uint64_t& frame = warp.values<std::uint64_t>(launch_state.program.frame)[lane];
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(warp.local) +
                              static_cast<std::uint64_t>(lane) * launch_state.local_nbytes +
                              launch_state.program.local_nbytes;
  const ThreadStack& stack = stack_of(warp, lane);
  const std::uint64_t called = frame + site.frame_nbytes;
  const std::uint64_t used = called + function.frame_nbytes - begin + stack.saved_bytes.size() +
                             stack.records.size() * record_nbytes;
  if (used > launch_state.stack_nbytes) {
    fault(FailureKind::stack_overflow, lane,
          "stack overflow: call " + std::to_string(stack.records.size()) + ", to " +
              std::string(function.name) + ", needs " + std::to_string(used) + " bytes of " +
              std::to_string(launch_state.stack_nbytes));
  }
  auto* const variables = reinterpret_cast<std::byte*>(called) + function.layout.nbytes;
  const std::uint32_t nbytes = function.frame_nbytes - function.layout.nbytes;
  std::memset(variables, poison, nbytes);
  if (owner_.undefined_values) owner_.undefined_values->mark_undefined(variables, nbytes);
  frame = called;
}

void CallStacks::call(Warp& warp, const Instruction& instruction, std::uint32_t call_pc,
                      lane_mask active) {
  const CallSite& site = owner_.launch_state.program.call_sites[instruction.target];
  for_lanes(active, [&](int lane) {
    const CalledFunction& function = target(warp, instruction, lane);
    ThreadStack& stack = stack_of(warp, lane);
    stack.records.push_back({call_pc, instruction.target});
    save(warp, site, stack, lane);
    enter(warp, site, function, lane);
    warp.pc[static_cast<std::size_t>(lane)] = function.entry;
  });
}

void CallStacks::return_from_call(Warp& warp, lane_mask active) {
  const Program& code = owner_.launch_state.program;
  for_lanes(active, [&](int lane) {
    ThreadStack& stack = stack_of(warp, lane);
    const Record last = stack.records.back();
    stack.records.pop_back();
    const CallSite& site = code.call_sites[last.site];
    restore(warp, site, stack, lane);
    warp.values<std::uint64_t>(code.frame)[lane] -= site.frame_nbytes;
    warp.pc[static_cast<std::size_t>(lane)] = last.call_pc + 1;
  });
}

}  // namespace skerry::emulation
