// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/undefined_values.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "device/cuda/emulation/check/findings.hpp"
#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

constexpr std::byte undefined{0xff};

void report(const Warp& on, const Instruction& what, lane_mask lanes, const char* use) {
  const std::uint32_t at = place_of(on, what);
  if (!is_worth_telling(on, at, FailureKind::uninitialised)) return;
  tell(on, at,
       {.code = code::launch_failure,
        .lane = std::countr_zero(lanes),
        .what = std::string("use of an uninitialised value: ") + use,
        .kind = FailureKind::uninitialised});
}

[[nodiscard]] bool accesses_memory(UndefinedFlow flow) {
  return flow == UndefinedFlow::load || flow == UndefinedFlow::store ||
         flow == UndefinedFlow::atomic || flow == UndefinedFlow::exchange ||
         flow == UndefinedFlow::addresses;
}

}  // namespace

UndefinedValues::UndefinedValues(Block& of)
    : owner_(of),
      rules_(of.launched.watched->rules),
      registers_nbytes_(of.launched.code.register_nbytes),
      registers_(registers_nbytes_ * of.warps.size()),
      computed_(registers_.size() / 64),
      shared_(of.shared.size()),
      local_(of.warps.size() * warp_size * of.launched.local_nbytes) {}

void UndefinedValues::start() {
  std::ranges::fill(registers_, std::byte{});
  std::ranges::fill(computed_, 0);
  std::ranges::fill(shared_, undefined);
  std::ranges::fill(local_, undefined);
  for (std::size_t k = 0; k < owner_.warps.size(); ++k) {
    for (const UndefinedRow& one : owner_.launched.code.undefined) {
      std::memset(registers_.data() + k * registers_nbytes_ + one.offset, 0xff, one.nbytes);
    }
  }
}

const UndefinedRule& UndefinedValues::rule_of(const Instruction& what) const {
  const Instruction* const begin = owner_.launched.code.code.data();
  return rules_[static_cast<std::size_t>(&what - begin)];
}

std::byte* UndefinedValues::bits(const Warp& on, row of) noexcept {
  if ((of & 1) != 0) return defined_.data();
  return registers_.data() + on.number * registers_nbytes_ + of;
}

lane_mask& UndefinedValues::lanes_of(const Warp& on, row predicate) noexcept {
  return *reinterpret_cast<lane_mask*>(bits(on, predicate));
}

lane_mask& UndefinedValues::computed(const Warp& on, row of) noexcept {
  return computed_[(on.number * registers_nbytes_ + static_cast<std::size_t>(of)) / 64];
}

std::uint64_t UndefinedValues::value_bits(const Warp& on, row of, std::size_t nbytes, int lane) {
  std::uint64_t value = 0;
  if (of == no_row || nbytes == 0) return 0;
  std::memcpy(&value, bits(on, of) + nbytes * static_cast<std::size_t>(lane),
              std::min<std::size_t>(nbytes, 8));
  return value;
}

lane_mask UndefinedValues::undefined_lanes(const Warp& on, row of, std::uint8_t nbytes,
                                           lane_mask among) {
  if (of == no_row || (of & 1) != 0) return 0;
  if (nbytes == 0) return lanes_of(on, of) & among;
  const std::byte* const from = bits(on, of);
  lane_mask found = 0;
  for_lanes(among, [&](int lane) {
    const std::byte* const begin = from + std::size_t{nbytes} * static_cast<std::size_t>(lane);
    const bool any =
        std::any_of(begin, begin + nbytes, [](std::byte b) { return b != std::byte{}; });
    found |= lane_mask{any} << lane;
  });
  return found;
}

lane_mask UndefinedValues::undefined_sources(const Warp& on, const Instruction& what,
                                             const UndefinedRule& rule, lane_mask among,
                                             std::uint32_t sources) {
  lane_mask found = 0;
  for (std::size_t k = 0; k < what.source.size(); ++k) {
    if ((sources >> k & 1) == 0) continue;
    found |= undefined_lanes(on, what.source[k], rule.source_nbytes[k], among);
  }
  return found;
}

/// Null where all bytes are defined.
std::byte* UndefinedValues::memory_bits(const std::byte* at) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(at);
  const auto offset_in = [&](const std::byte* begin) {
    return address - reinterpret_cast<std::uint64_t>(begin);
  };
  if (const std::uint64_t k = offset_in(owner_.shared.data()); k < shared_.size()) {
    return shared_.data() + k;
  }
  for (const Block* const peer : owner_.launched.peers) {
    if (const std::uint64_t k = offset_in(peer->shared.data()); k < peer->shared.size()) {
      return peer->undefined->shared_.data() + k;
    }
  }
  if (owner_.warps.empty()) return nullptr;
  if (const std::uint64_t k = offset_in(owner_.warps.front().local); k < local_.size()) {
    return local_.data() + k;
  }
  const auto& parameters = owner_.launched.parameters;
  if (offset_in(parameters.data()) < parameters.size()) return nullptr;
  return owner_.launched.memory.undefined_bits(address);
}

void UndefinedValues::copied(const std::byte* to, const std::byte* from, std::uint32_t nbytes) {
  std::byte* const into = memory_bits(to);
  if (into == nullptr || nbytes == 0) return;
  if (const std::byte* const of = memory_bits(from)) {
    std::memmove(into, of, nbytes);
  } else {
    std::memset(into, 0, nbytes);
  }
}

void UndefinedValues::filled(const std::byte* to, std::uint32_t nbytes) {
  if (std::byte* const into = memory_bits(to); into != nullptr) std::memset(into, 0, nbytes);
}

void UndefinedValues::forget(const std::byte* to, std::uint32_t nbytes) {
  if (std::byte* const into = memory_bits(to); into != nullptr) std::memset(into, 0xff, nbytes);
}

void UndefinedValues::keep(const Warp& on, std::span<const KeptRow> rows, int lane,
                           std::vector<std::byte>& stack) {
  for (const KeptRow& one : rows) {
    const auto of = static_cast<row>(one.offset);
    const auto bit_of = [&](lane_mask lanes) { return std::byte{(lanes >> lane & 1) != 0}; };
    stack.push_back(bit_of(computed(on, of)));
    if (one.nbytes == 0) {
      stack.push_back(bit_of(lanes_of(on, of)));
    } else {
      const std::byte* const from = bits(on, of) + one.nbytes * static_cast<std::size_t>(lane);
      stack.insert(stack.end(), from, from + one.nbytes);
    }
  }
}

void UndefinedValues::restore(const Warp& on, std::span<const KeptRow> rows, int lane,
                              std::vector<std::byte>& stack) {
  for (std::size_t k = rows.size(); k-- > 0;) {
    const auto of = static_cast<row>(rows[k].offset);
    const std::size_t nbytes = rows[k].nbytes;
    const lane_mask bit = lane_mask{1} << lane;
    const auto set = [&](lane_mask& lanes) {
      lanes = stack.back() != std::byte{} ? lanes | bit : lanes & ~bit;
      stack.pop_back();
    };
    if (nbytes == 0) {
      set(lanes_of(on, of));
    } else {
      std::memcpy(bits(on, of) + nbytes * static_cast<std::size_t>(lane),
                  stack.data() + stack.size() - nbytes, nbytes);
      stack.resize(stack.size() - nbytes);
    }
    set(computed(on, of));
  }
}

void UndefinedValues::check_operands(const Warp& on, const Instruction& what,
                                     const UndefinedRule& rule, lane_mask active) {
  if (!accesses_memory(rule.flow)) return;
  const bool is_copy = rule.flow == UndefinedFlow::addresses;
  if (const lane_mask lanes = undefined_sources(on, what, rule, active, is_copy ? ~0U : 1U)) {
    report(on, what, lanes, "an address");
  }
  if (rule.flow == UndefinedFlow::atomic) {
    const lane_mask lanes = undefined_sources(on, what, rule, active, 6);
    if (lanes != 0) report(on, what, lanes, "the operand of an atomic operation");
  }
}

void UndefinedValues::run(Warp& on, const Instruction& what, lane_mask lanes) {
  const UndefinedRule& rule = rules_[place_of(on, what)];
  lane_mask active = lanes;
  lane_mask unsure = 0;
  if (rule.guard != no_row) {
    const lane_mask guard = on.predicate(rule.guard);
    active &= rule.is_guard_negated ? ~guard : guard;
    unsure = undefined_lanes(on, rule.guard, 0, lanes);
    if (unsure != 0 && accesses_memory(rule.flow))
      report(on, what, unsure, "whether memory is accessed");
  }
  const std::size_t copies = on.copies.size();
  const std::size_t loads = owner_.loads.size();
  if (active != 0) {
    check_operands(on, what, rule, active);
    derive(on, what, rule, active);
    access_ = {};
    rule.run(on, what, active);
    if (rule.flow == UndefinedFlow::load) load(on, what, rule, active);
    if (rule.flow == UndefinedFlow::store) store(on, what, rule, active);
    if (rule.flow == UndefinedFlow::atomic || rule.flow == UndefinedFlow::exchange) {
      update(on, what, rule, active);
    }
  }
  if (unsure != 0) {
    derive_all(rule, unsure);
    write_results(on, what, rule, unsure, unsure);
  }
  // What a copy will bring is not there before somebody has waited for it.
  const auto begin = [&](const std::byte* to, std::uint32_t nbytes) {
    if (std::byte* const into = memory_bits(to)) std::memset(into, 0xff, nbytes);
  };
  for (std::size_t k = copies; k < on.copies.size(); ++k) {
    begin(on.copies[k].to, on.copies[k].nbytes + on.copies[k].filled);
  }
  for (std::size_t k = loads; k < owner_.loads.size(); ++k) {
    begin(owner_.loads[k].to, owner_.loads[k].nbytes);
  }
}

void UndefinedValues::run_collective(Warp& on, const Instruction& what, lane_mask members) {
  derive(on, what, rule_of(what), members);
  rule_of(what).run(on, what, members);
}

void UndefinedValues::check_control(Warp& on, const Instruction& what, lane_mask lanes) {
  if (const lane_mask unsure = undefined_lanes(on, what.guard, 0, lanes)) {
    report(on, what, unsure,
           what.flow == Control::branch ? "where a branch goes" : "what a thread does next");
  }
  if (const lane_mask unsure = undefined_lanes(on, what.members, 4, lanes)) {
    report(on, what, unsure, "the members of a collective");
  }
  if (what.flow == Control::table || what.flow == Control::call) {
    const std::uint8_t nbytes = what.flow == Control::table ? 4 : 8;
    if (const lane_mask unsure = undefined_lanes(on, what.source[0], nbytes, lanes)) {
      report(on, what, unsure, "where a branch goes");
    }
  }
  if (what.flow == Control::barrier) {
    const lane_mask unsure = undefined_lanes(on, what.source[0], 4, lanes) |
                             undefined_lanes(on, what.source[1], 4, lanes) |
                             undefined_lanes(on, what.source[2], 0, lanes);
    if (unsure != 0) report(on, what, unsure, "an operand of a barrier");
  }
  if (what.flow != Control::barrier && what.flow != Control::yielding) return;
  const UndefinedRule rule{
      .result_nbytes = {what.barrier == BarrierKind::count && what.flow == Control::barrier
                            ? std::uint8_t{4}
                            : std::uint8_t{0}}};
  derive_all(rule, 0);
  write_results(on, what, rule, lanes, 0);
}

void UndefinedValues::load(const Warp& on, const Instruction& what, const UndefinedRule& rule,
                           lane_mask active) {
  derive_all(rule, 0);
  const std::size_t element = access_.nbytes / what.count;
  const std::size_t width = rule.result_nbytes[0];
  for_lanes(access_.nbytes == 0 ? 0 : active, [&](int lane) {
    const std::byte* const from = memory_bits(at_.of(lane));
    if (from == nullptr) return;
    for (std::size_t k = 0; k < what.count; ++k) {
      std::byte* const to = scratch_[k].data() + width * static_cast<std::size_t>(lane);
      std::memcpy(to, from + k * element, element);
      const bool extends = rule.extends_sign && (to[element - 1] & std::byte{0x80}) != std::byte{};
      if (extends) std::memset(to + element, 0xff, width - element);
    }
  });
  write_results(on, what, rule, active, 0);
}

void UndefinedValues::store(const Warp& on, const Instruction& what, const UndefinedRule& rule,
                            lane_mask active) {
  const std::size_t element = access_.nbytes / what.count;
  const std::size_t width = rule.source_nbytes[1];
  const std::byte* const local = owner_.warps.front().local;
  for_lanes(active, [&](int lane) {
    std::byte* const to = memory_bits(at_.of(lane));
    const auto is_own = [&](const std::byte* begin, std::size_t nbytes) {
      return static_cast<std::size_t>(at_.of(lane) - begin) < nbytes;
    };
    const bool is_seen =
        !is_own(owner_.shared.data(), shared_.size()) && !is_own(local, local_.size());
    for (std::size_t k = 0; k < what.count; ++k) {
      const row value = what.source[1 + k];
      const std::byte* const from = bits(on, value) + width * static_cast<std::size_t>(lane);
      const bool is_computed = (value & 1) == 0 && (computed(on, value) >> lane & 1) != 0;
      const bool any =
          std::any_of(from, from + element, [](std::byte b) { return b != std::byte{}; });
      if (any && is_seen && is_computed) {
        report(on, what, lane_mask{1} << lane, "a result in global memory was computed from it");
      }
      if (to != nullptr) std::memcpy(to + k * element, from, element);
    }
  });
}

void UndefinedValues::update(const Warp& on, const Instruction& what, const UndefinedRule& rule,
                             lane_mask active) {
  const std::size_t width = rule.source_nbytes[1];
  derive_all(rule, 0);
  for_lanes(active, [&](int lane) {
    std::byte* const to = memory_bits(at_.of(lane));
    if (to == nullptr) return;
    const bool any = std::any_of(to, to + width, [](std::byte b) { return b != std::byte{}; });
    if (rule.flow == UndefinedFlow::atomic) {
      if (any) report(on, what, lane_mask{1} << lane, "an atomic operation reads it in memory");
      std::memset(to, 0, width);
      return;
    }
    std::memcpy(scratch_[0].data() + width * static_cast<std::size_t>(lane), to, width);
    std::memcpy(to, bits(on, what.source[1]) + width * static_cast<std::size_t>(lane), width);
  });
  write_results(on, what, rule, active, 0);
}

}  // namespace skerry::emulation
