// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/undefined_values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "device/emulator/check/findings.hpp"
#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {
namespace {

constexpr std::byte undefined_byte{0xff};

[[nodiscard]] bool accesses_memory(Propagation flow) {
  return flow == Propagation::load || flow == Propagation::store || flow == Propagation::atomic ||
         flow == Propagation::exchange || flow == Propagation::addresses;
}

}  // namespace

UndefinedValues::UndefinedValues(Block& block)
    : owner_(block),
      rules_(block.launch_state.instrumented->rules),
      registers_nbytes_(block.launch_state.program.register_nbytes),
      registers_(registers_nbytes_ * block.warps.size()),
      computed_(registers_.size() / 64),
      may_be_undefined_(std::make_unique<bool[]>(computed_.size())),
      shared_(block.shared.size()),
      local_(block.warps.size() * warp_size * block.launch_state.local_nbytes) {}

void UndefinedValues::start() {
  if (has_undefined_rows_) {
    std::ranges::fill(registers_, std::byte{});
    std::ranges::fill(computed_, 0);
    std::fill_n(may_be_undefined_.get(), computed_.size(), false);
    origins_.clear();
  }
  std::ranges::fill(shared_, undefined_byte);
  std::ranges::fill(local_, undefined_byte);
  const auto& undefined_rows = owner_.launch_state.program.undefined_rows;
  has_undefined_rows_ = !undefined_rows.empty();
  for (const Warp& warp : owner_.warps) {
    for (const UndefinedRow& one : undefined_rows) {
      std::memset(registers_.data() + warp.number * registers_nbytes_ + one.offset, 0xff,
                  one.nbytes);
      may_be_undefined(warp, one.offset) = true;
    }
  }
}

const PropagationRule& UndefinedValues::rule_of(const Instruction& instruction) const {
  const Instruction* const begin = owner_.launch_state.program.instructions.data();
  return rules_[static_cast<std::size_t>(&instruction - begin)];
}

std::byte* UndefinedValues::row_shadow(const Warp& warp, row register_row) noexcept {
  if ((register_row & 1) != 0) return defined_row_shadow_.data();
  return registers_.data() + warp.number * registers_nbytes_ + register_row;
}

lane_mask& UndefinedValues::predicate_shadow(const Warp& warp, row predicate) noexcept {
  return *reinterpret_cast<lane_mask*>(row_shadow(warp, predicate));
}

lane_mask& UndefinedValues::computed(const Warp& warp, row register_row) noexcept {
  return computed_[(warp.number * registers_nbytes_ + static_cast<std::size_t>(register_row)) / 64];
}

bool& UndefinedValues::may_be_undefined(const Warp& warp, std::uint32_t register_row) noexcept {
  return may_be_undefined_[(warp.number * registers_nbytes_ + register_row) / 64];
}

bool UndefinedValues::are_defined(const Warp& warp, const PropagationRule& rule) noexcept {
  bool any = owner_.launch_state.device.checks_single_lanes;
  for (std::size_t k = 0; k < rule.row_count; ++k) any |= may_be_undefined(warp, rule.rows[k]);
  return !any;
}

std::uint64_t UndefinedValues::lane_shadow(const Warp& warp, row register_row, std::size_t nbytes,
                                           int lane) {
  std::uint64_t value = 0;
  if (register_row == no_row || nbytes == 0) return 0;
  std::memcpy(&value, row_shadow(warp, register_row) + nbytes * static_cast<std::size_t>(lane),
              std::min<std::size_t>(nbytes, 8));
  return value;
}

lane_mask UndefinedValues::undefined_lanes(const Warp& warp, row register_row, std::uint8_t nbytes,
                                           lane_mask lanes) {
  if (register_row == no_row || (register_row & 1) != 0) return 0;
  if (!owner_.launch_state.device.checks_single_lanes &&
      !may_be_undefined(warp, static_cast<std::uint32_t>(register_row)))
    return 0;
  if (nbytes == 0) return predicate_shadow(warp, register_row) & lanes;
  const std::byte* const shadow = row_shadow(warp, register_row);
  lane_mask mask = 0;
  for_lanes(lanes, [&](int lane) {
    const std::byte* const begin = shadow + std::size_t{nbytes} * static_cast<std::size_t>(lane);
    const bool any =
        std::any_of(begin, begin + nbytes, [](std::byte b) { return b != std::byte{}; });
    mask |= lane_mask{any} << lane;
  });
  return mask;
}

lane_mask UndefinedValues::undefined_sources(const Warp& warp, const Instruction& instruction,
                                             const PropagationRule& rule, lane_mask lanes,
                                             std::uint32_t sources) {
  lane_mask mask = 0;
  for (std::size_t k = 0; k < instruction.source.size(); ++k) {
    if ((sources >> k & 1) == 0) continue;
    mask |= undefined_lanes(warp, instruction.source[k], rule.source_nbytes[k], lanes);
  }
  return mask;
}

void UndefinedValues::save(const Warp& warp, std::span<const SavedRow> rows, int lane,
                           std::vector<std::byte>& stack) {
  for (const SavedRow& one : rows) {
    const auto register_row = static_cast<row>(one.offset);
    const auto bit_of = [&](lane_mask lanes) { return std::byte{(lanes >> lane & 1) != 0}; };
    stack.push_back(bit_of(computed(warp, register_row)));
    if (one.nbytes == 0) {
      stack.push_back(bit_of(predicate_shadow(warp, register_row)));
    } else {
      const std::byte* const shadow =
          row_shadow(warp, register_row) + one.nbytes * static_cast<std::size_t>(lane);
      stack.insert(stack.end(), shadow, shadow + one.nbytes);
    }
  }
}

void UndefinedValues::restore(const Warp& warp, std::span<const SavedRow> rows, int lane,
                              std::vector<std::byte>& stack) {
  for (std::size_t k = rows.size(); k-- > 0;) {
    const auto register_row = static_cast<row>(rows[k].offset);
    const std::size_t nbytes = rows[k].nbytes;
    const lane_mask bit = lane_mask{1} << lane;
    const auto set = [&](lane_mask& lanes) {
      lanes = stack.back() != std::byte{} ? lanes | bit : lanes & ~bit;
      stack.pop_back();
    };
    if (nbytes == 0) {
      set(predicate_shadow(warp, register_row));
    } else {
      std::memcpy(row_shadow(warp, register_row) + nbytes * static_cast<std::size_t>(lane),
                  stack.data() + stack.size() - nbytes, nbytes);
      stack.resize(stack.size() - nbytes);
    }
    set(computed(warp, register_row));
    may_be_undefined(warp, rows[k].offset) = has_undefined_rows_ = true;
  }
}

void UndefinedValues::report(const Warp& warp, const Instruction& instruction, lane_mask lanes,
                             std::uint64_t origin, const char* use) {
  const std::uint32_t pc = pc_of(warp, instruction);
  if (!is_reportable(warp, pc, FailureKind::uninitialised)) return;
  report_fault(warp, pc,
               {.code = code::launch_failure,
                .lane = std::countr_zero(lanes),
                .summary = std::string("use of an uninitialised value: ") + use,
                .kind = FailureKind::uninitialised,
                .memory = origin != 0 ? owner_.launch_state.nearest(origin) : MemoryNear{}});
}

void UndefinedValues::check_operands(const Warp& warp, const Instruction& instruction,
                                     const PropagationRule& rule, lane_mask active) {
  if (!accesses_memory(rule.flow)) return;
  const bool is_copy = rule.flow == Propagation::addresses;
  if (const lane_mask lanes =
          undefined_sources(warp, instruction, rule, active, is_copy ? ~0U : 1U)) {
    report(warp, instruction, lanes,
           origin_of_sources(warp, instruction, rule, std::countr_zero(lanes)), "an address");
  }
  if (rule.flow == Propagation::atomic) {
    const lane_mask lanes = undefined_sources(warp, instruction, rule, active, 6);
    if (lanes != 0) {
      report(warp, instruction, lanes,
             origin_of_sources(warp, instruction, rule, std::countr_zero(lanes)),
             "the operand of an atomic operation");
    }
  }
}

void UndefinedValues::run(Warp& warp, const Instruction& instruction, lane_mask lanes) {
  const PropagationRule& rule = rules_[pc_of(warp, instruction)];
  lane_mask active = lanes;
  if (are_defined(warp, rule)) {
    if (rule.guard != no_row) {
      const lane_mask guard = warp.predicate(rule.guard);
      active &= rule.is_guard_negated ? ~guard : guard;
    }
    if (active == 0 || run_defined(warp, instruction, rule, active)) return;
    if (rule.flow == Propagation::load) return load(warp, instruction, rule, active);
    active = lanes;
  }
  lane_mask unsure = 0;
  if (rule.guard != no_row) {
    const lane_mask guard = warp.predicate(rule.guard);
    active &= rule.is_guard_negated ? ~guard : guard;
    unsure = undefined_lanes(warp, rule.guard, 0, lanes);
    if (unsure != 0 && accesses_memory(rule.flow))
      report(warp, instruction, unsure, origin_of(warp, rule.guard, std::countr_zero(unsure)),
             "the guard of a memory access");
  }
  const std::size_t copies = warp.copies.size();
  const std::size_t loads = owner_.loads.size();
  if (active != 0) {
    check_operands(warp, instruction, rule, active);
    propagate(warp, instruction, rule, active);
    access_ = {};
    rule.execute(warp, instruction, active);
    if (rule.flow == Propagation::load) load(warp, instruction, rule, active);
    if (rule.flow == Propagation::store) store(warp, instruction, rule, active);
    if (rule.flow == Propagation::atomic || rule.flow == Propagation::exchange) {
      update(warp, instruction, rule, active);
    }
  }
  if (unsure != 0) {
    for_lanes(unsure, [&](int lane) {
      set_origins(warp, instruction, lane, origin_of(warp, rule.guard, lane));
    });
    set_result_shadows(rule, unsure);
    write_results(warp, instruction, rule, unsure, unsure);
  }
  // The destination of an asynchronous copy is undefined until a thread waits for the copy.
  const auto begin = [&](const std::byte* destination, std::uint32_t nbytes) {
    if (std::byte* const shadow = memory_shadow(destination)) std::memset(shadow, 0xff, nbytes);
  };
  for (std::size_t k = copies; k < warp.copies.size(); ++k) {
    begin(warp.copies[k].destination, warp.copies[k].nbytes + warp.copies[k].filled);
  }
  for (std::size_t k = loads; k < owner_.loads.size(); ++k) {
    begin(owner_.loads[k].destination, owner_.loads[k].nbytes);
  }
}

bool UndefinedValues::run_defined(Warp& warp, const Instruction& instruction,
                                  const PropagationRule& rule, lane_mask active) {
  switch (rule.flow) {
    case Propagation::atomic:
    case Propagation::exchange:
    case Propagation::addresses:
      return false;
    case Propagation::load:
      access_ = {};
      rule.execute(warp, instruction, active);
      return is_accessed_memory_defined(active);
    case Propagation::store:
      access_ = {};
      rule.execute(warp, instruction, active);
      define_accessed_memory(active);
      return true;
    default:
      rule.execute(warp, instruction, active);
      return true;
  }
}

void UndefinedValues::run_collective(Warp& warp, const Instruction& instruction,
                                     lane_mask members) {
  const PropagationRule& rule = rule_of(instruction);
  if (are_defined(warp, rule)) return rule.execute(warp, instruction, members);
  const lane_mask unsure = undefined_sources(warp, instruction, rule, members, 31);
  const std::uint64_t origin =
      unsure != 0 ? origin_of_sources(warp, instruction, rule, std::countr_zero(unsure)) : 0;
  propagate(warp, instruction, rule, members);
  // Members receive values of other lanes: all have the origin of the first undefined one.
  if (unsure != 0)
    for_lanes(members, [&](int lane) { set_origins(warp, instruction, lane, origin); });
  rule_of(instruction).execute(warp, instruction, members);
}

void UndefinedValues::check_control(Warp& warp, const Instruction& instruction, lane_mask lanes) {
  const auto report_row = [&](row register_row, lane_mask unsure, const char* use) {
    report(warp, instruction, unsure, origin_of(warp, register_row, std::countr_zero(unsure)), use);
  };
  if (const lane_mask unsure = undefined_lanes(warp, instruction.guard, 0, lanes)) {
    report_row(instruction.guard, unsure,
               instruction.flow == Control::branch ? "a branch depends on it"
                                                   : "control flow depends on it");
  }
  if (const lane_mask unsure = undefined_lanes(warp, instruction.members, 4, lanes)) {
    report_row(instruction.members, unsure, "the member mask of a collective");
  }
  if (instruction.flow == Control::table || instruction.flow == Control::call) {
    const std::uint8_t nbytes = instruction.flow == Control::table ? 4 : 8;
    if (const lane_mask unsure = undefined_lanes(warp, instruction.source[0], nbytes, lanes)) {
      report_row(instruction.source[0], unsure, "a branch depends on it");
    }
  }
  if (instruction.flow == Control::barrier) {
    const PropagationRule operands{.source_nbytes = {4, 4, 0}};
    if (const lane_mask unsure = undefined_sources(warp, instruction, operands, lanes, 7)) {
      report(warp, instruction, unsure,
             origin_of_sources(warp, instruction, operands, std::countr_zero(unsure)),
             "an operand of a barrier");
    }
  }
  if (instruction.flow != Control::barrier && instruction.flow != Control::yielding) return;
  if (std::ranges::all_of(instruction.destination, [](row one) { return one == no_row; })) return;
  const PropagationRule rule{.result_nbytes = {instruction.barrier == BarrierKind::count &&
                                                       instruction.flow == Control::barrier
                                                   ? std::uint8_t{4}
                                                   : std::uint8_t{0}}};
  set_result_shadows(rule, 0);
  write_results(warp, instruction, rule, lanes, 0);
}

}  // namespace skerry::emulation
