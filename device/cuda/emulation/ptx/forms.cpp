// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>
#include <string>

#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

void require_size(std::uint8_t of_register, std::uint8_t wanted, bool may_be_wider) {
  if (of_register != wanted && !(may_be_wider && of_register > wanted)) throw UnsupportedForm{};
}

/// The size of mov.b32 and the like, which move vectors.
[[nodiscard]] std::uint8_t size_of_bits(std::string_view opcode) {
  struct NamedSize {
    std::string_view name;
    std::uint8_t nbytes;
  };
  static constexpr auto sizes =
      std::to_array<NamedSize>({{"mov.b32", 4}, {"mov.b64", 8}, {"mov.b128", 16}});
  const auto* const found = std::ranges::find(sizes, opcode, &NamedSize::name);
  if (found == sizes.end()) throw UnsupportedForm{};
  return found->nbytes;
}

/// Which part of the time a special register has: a name of what reads it; empty if it is none.
[[nodiscard]] std::string_view part_of_clock(std::string_view name) {
  if (name == "%clock" || name == "%globaltimer_lo") return "low";
  if (name == "%clock_hi" || name == "%globaltimer_hi") return "high";
  if (name == "%clock64" || name == "%globaltimer") return "whole";
  return {};
}

}  // namespace

void KernelDecoder::set_results(Instruction& into, const Operation& form, const Statement& what,
                                std::size_t& next) {
  if (form.results.empty()) return;
  if (next >= what.operands.size()) throw UnsupportedForm{};
  const Operand& first = what.operands[next++];
  if (first.kind != OperandKind::name) throw UnsupportedForm{};
  const std::size_t given = first.second.empty() ? 1 : 2;
  if (given > form.results.size() || given + form.optional_results < form.results.size()) {
    throw UnsupportedForm{};
  }
  into.destination[0] = destination(first.text);
  if (given == 2) into.destination[1] = destination(first.second);
  for (std::size_t k = 0; k < given; ++k) {
    if (into.destination[k] == no_row) continue;
    require_size(builder_.nbytes_of(into.destination[k]), form.results[k],
                 form.may_result_be_wider);
  }
  if (into.destination[0] != no_row) {
    into.result_nbytes = builder_.nbytes_of(into.destination[0]);
  }
}

void KernelDecoder::set_arguments(Instruction& into, const Operation& form, const Statement& what,
                                  std::size_t next) {
  const std::size_t given = what.operands.size() - next;
  if (given > form.arguments.size() || given + form.optional_arguments < form.arguments.size()) {
    throw UnsupportedForm{};
  }
  for (std::size_t k = 0; k < given; ++k) {
    const Operand& from = what.operands[next + k];
    const row found = source(from, form.arguments[k]);
    require_size(builder_.nbytes_of(found), form.arguments[k], form.may_argument_be_wider);
    if (static_cast<int>(k) == form.members) {
      into.members = found;
      continue;
    }
    if (from.is_negated) {
      if (form.arguments[k] != predicate_size) throw UnsupportedForm{};
      into.negated |= static_cast<std::uint8_t>(1U << k);
    }
    into.source[k] = found;
  }
  if (into.source[0] != no_row) into.operand_nbytes = builder_.nbytes_of(into.source[0]);
}

void KernelDecoder::add_table_form(const Statement& what, const Operation& form) {
  Instruction one{.run = form.run, .immediate = form.immediate, .flow = form.flow};
  std::size_t next = 0;
  set_results(one, form, what, next);
  set_arguments(one, form, what, next);
  add(one);
}

void KernelDecoder::add_vector_move(const Statement& what, bool packs) {
  const Operand& whole = what.operands[packs ? 0 : 1];
  const Operand& list = what.operands[packs ? 1 : 0];
  const auto parts = static_cast<std::uint8_t>(list.parts.size());
  const std::uint8_t whole_nbytes = size_of_bits(what.opcode);
  if (whole.kind == OperandKind::list || parts == 0 || parts > 4) throw UnsupportedForm{};
  const auto part_nbytes = static_cast<std::uint8_t>(whole_nbytes / parts);
  const Operation* const form =
      operations().find(std::string(packs ? pack_prefix : unpack_prefix) +
                        std::to_string(whole_nbytes) + "." + std::to_string(part_nbytes));
  const row whole_row = packs ? destination(whole.text) : source(whole, whole_nbytes);
  if (form == nullptr || whole_row == no_row) throw UnsupportedForm{};
  require_size(builder_.nbytes_of(whole_row), whole_nbytes, false);
  Instruction one{.run = form->run, .flow = form->flow};
  (packs ? one.destination[0] : one.source[0]) = whole_row;
  for (std::size_t k = 0; k < parts; ++k) {
    const row part = packs ? source(list.parts[k], part_nbytes) : destination(list.parts[k].text);
    (packs ? one.source[k] : one.destination[k]) = part;
    if (part != no_row) require_size(builder_.nbytes_of(part), part_nbytes, false);
  }
  add(one);
}

void KernelDecoder::add_move(const Statement& what) {
  if (what.operands.size() != 2) throw UnsupportedForm{};
  if (what.operands[0].kind == OperandKind::list) return add_vector_move(what, false);
  if (what.operands[1].kind == OperandKind::list) return add_vector_move(what, true);
  const Operation* const form = operations().find(what.opcode);
  if (form == nullptr) throw UnsupportedForm{};
  const std::string_view part = part_of_clock(what.operands[1].text);
  if (part.empty()) return add_table_form(what, *form);
  const Operation& clock = *operations().find(std::string(clock_prefix).append(part));
  if (clock.results != form->results) throw UnsupportedForm{};
  Statement plain = what;
  plain.operands.pop_back();
  add_table_form(plain, clock);
}

void KernelDecoder::add_barrier(const Statement& what) {
  Instruction one{.flow = Control::barrier};
  std::vector<std::string_view> parts = parts_of(what.opcode);
  std::erase_if(parts, [](std::string_view part) {
    return part == "cta" || part == "aligned" || part == "relaxed" || part == "release" ||
           part == "acquire";
  });
  const auto is = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::equal(std::ranges::subrange(parts.begin() + 1, parts.end()), wanted);
  };
  const bool reduces =
      is({"red", "popc", "u32"}) || is({"red", "and", "pred"}) || is({"red", "or", "pred"});
  if (is({"cluster", "arrive"})) {
    one.barrier = BarrierKind::cluster_arrive;
  } else if (is({"cluster", "wait"})) {
    one.barrier = BarrierKind::cluster_wait;
  } else if (is({"arrive"})) {
    one.barrier = BarrierKind::arrive;
  } else if (reduces) {
    one.barrier = parts[2] == "popc"  ? BarrierKind::count
                  : parts[2] == "and" ? BarrierKind::all
                                      : BarrierKind::any;
  } else if (!is({"sync"})) {
    throw UnsupportedForm{};
  }
  std::size_t next = 0;
  std::size_t end = what.operands.size();
  if (reduces) {
    if (end < 3) throw UnsupportedForm{};
    one.destination[0] = destination(what.operands[next++].text);
    const Operand& predicate = what.operands[--end];
    one.source[2] = source(predicate, predicate_size);
    if (predicate.is_negated) one.negated = 1U << 2;
  }
  if (end - next > 2) throw UnsupportedForm{};
  for (std::size_t k = 0; next < end; ++next, ++k) one.source[k] = source(what.operands[next], 4);
  add(one);
}

}  // namespace skerry::emulation::ptx
