// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/calls.hpp"

#include <algorithm>
#include <cstring>

#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

/// For each call, for where it returns to.
constexpr std::size_t record_nbytes = 8;

[[nodiscard]] std::size_t size_of(const KeptRow& row) { return row.nbytes == 0 ? 1 : row.nbytes; }

}  // namespace

CallStacks::CallStacks(Block& of) : owner_(of), stacks_(of.warps.size() * warp_size) {}

CallStacks::ThreadStack& CallStacks::stack_of(const Warp& on, int lane) {
  return stacks_[std::size_t{on.number} * warp_size + static_cast<std::size_t>(lane)];
}

void CallStacks::start(Warp& on) {
  const LaunchState& launched = owner_.launched;
  for (int lane = 0; lane < warp_size; ++lane) {
    stack_of(on, lane).records.clear();
    stack_of(on, lane).kept.clear();
    if (launched.code.frame == no_row) continue;
    on.values<std::uint64_t>(launched.code.frame)[lane] =
        reinterpret_cast<std::uint64_t>(on.local) +
        static_cast<std::uint64_t>(lane) * launched.local_nbytes;
  }
}

const CalledFunction& CallStacks::target(Warp& on, const Instruction& what, int lane) const {
  const Program& code = owner_.launched.code;
  const CallSite& site = code.call_sites[what.target];
  if (site.function >= 0) return code.functions[static_cast<std::size_t>(site.function)];
  const std::uint64_t address = on.values<const std::uint64_t>(what.source[0])[lane];
  const auto found = std::ranges::find(code.functions, address, &CalledFunction::address);
  if (found == code.functions.end()) {
    fault(code::illegal_address, lane, "a call of an address that no function of the module has");
  }
  if (found->layout.signature != site.signature) {
    fault(code::launch_failure, lane,
          "a call of " + std::string(found->name) + " with parameters of " + site.signature +
              "bytes, it has " + found->layout.signature);
  }
  return *found;
}

void CallStacks::keep(Warp& on, const CallSite& site, ThreadStack& into, int lane) {
  std::size_t end = into.kept.size();
  into.kept.resize(end + site.kept_nbytes);
  for (const KeptRow& row : site.kept) {
    std::byte* const to = into.kept.data() + end;
    if (row.nbytes == 0) {
      *to = std::byte{(on.predicate(static_cast<emulation::row>(row.offset)) >> lane & 1) != 0};
    } else {
      std::memcpy(to, on.banks[0] + row.offset + static_cast<std::size_t>(lane) * row.nbytes,
                  row.nbytes);
    }
    end += size_of(row);
  }
  if (owner_.undefined) owner_.undefined->keep(on, site.kept, lane, into.kept);
}

void CallStacks::restore(Warp& on, const CallSite& site, ThreadStack& from, int lane) {
  if (owner_.undefined) owner_.undefined->restore(on, site.kept, lane, from.kept);
  std::size_t at = from.kept.size() - site.kept_nbytes;
  for (const KeptRow& row : site.kept) {
    const std::byte* const value = from.kept.data() + at;
    if (row.nbytes == 0) {
      const lane_mask bit = lane_mask{1} << lane;
      on.set_predicate(static_cast<emulation::row>(row.offset), *value != std::byte{} ? bit : 0,
                       bit);
    } else {
      std::memcpy(on.banks[0] + row.offset + static_cast<std::size_t>(lane) * row.nbytes, value,
                  row.nbytes);
    }
    at += size_of(row);
  }
  from.kept.resize(from.kept.size() - site.kept_nbytes);
}

void CallStacks::enter(Warp& on, const CallSite& site, const CalledFunction& into, int lane) {
  const LaunchState& launched = owner_.launched;
  std::uint64_t& frame = on.values<std::uint64_t>(launched.code.frame)[lane];
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(on.local) +
                              static_cast<std::uint64_t>(lane) * launched.local_nbytes +
                              launched.code.local_nbytes;
  const ThreadStack& stack = stack_of(on, lane);
  const std::uint64_t called = frame + site.frame_nbytes;
  const std::uint64_t used =
      called + into.frame_nbytes - begin + stack.kept.size() + stack.records.size() * record_nbytes;
  if (used > launched.stack_nbytes) {
    fault(FailureKind::stack_overflow, lane,
          "stack overflow: call " + std::to_string(stack.records.size()) + ", of " +
              std::string(into.name) + ", needs " + std::to_string(used) + " bytes of " +
              std::to_string(launched.stack_nbytes));
  }
  auto* const variables = reinterpret_cast<std::byte*>(called) + into.layout.nbytes;
  const std::uint32_t nbytes = into.frame_nbytes - into.layout.nbytes;
  std::memset(variables, poison, nbytes);
  if (owner_.undefined) owner_.undefined->forget(variables, nbytes);
  frame = called;
}

void CallStacks::call(Warp& on, const Instruction& what, std::uint32_t from, lane_mask active) {
  const CallSite& site = owner_.launched.code.call_sites[what.target];
  for_lanes(active, [&](int lane) {
    const CalledFunction& into = target(on, what, lane);
    ThreadStack& stack = stack_of(on, lane);
    stack.records.push_back({from, what.target});
    keep(on, site, stack, lane);
    enter(on, site, into, lane);
    on.at[static_cast<std::size_t>(lane)] = into.entry;
  });
}

void CallStacks::leave(Warp& on, lane_mask active) {
  const Program& code = owner_.launched.code;
  for_lanes(active, [&](int lane) {
    ThreadStack& stack = stack_of(on, lane);
    const Record last = stack.records.back();
    stack.records.pop_back();
    const CallSite& site = code.call_sites[last.site];
    restore(on, site, stack, lane);
    on.values<std::uint64_t>(code.frame)[lane] -= site.frame_nbytes;
    on.at[static_cast<std::size_t>(lane)] = last.from + 1;
  });
}

}  // namespace skerry::emulation
