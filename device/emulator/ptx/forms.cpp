// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>
#include <string>

#include "device/emulator/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

void require_size(std::uint8_t of_register, std::uint8_t required_nbytes, bool may_be_wider) {
  if (of_register != required_nbytes && !(may_be_wider && of_register > required_nbytes))
    throw UnsupportedForm{};
}

/// Returns the operand size of a mov that packs or unpacks a vector.
[[nodiscard]] std::uint8_t size_of_bits(std::string_view opcode) {
  struct NamedSize {
    std::string_view name;
    std::uint8_t nbytes;
  };
  static constexpr auto sizes =
      std::to_array<NamedSize>({{"mov.b32", 4}, {"mov.b64", 8}, {"mov.b128", 16}});
  const auto* const named_size = std::ranges::find(sizes, opcode, &NamedSize::name);
  if (named_size == sizes.end()) throw UnsupportedForm{};
  return named_size->nbytes;
}

/// Returns which part of the clock a special register reads; empty if it is not a clock register.
[[nodiscard]] std::string_view part_of_clock(std::string_view name) {
  if (name == "%clock" || name == "%globaltimer_lo") return "low";
  if (name == "%clock_hi" || name == "%globaltimer_hi") return "high";
  if (name == "%clock64" || name == "%globaltimer") return "whole";
  return {};
}

}  // namespace

void KernelDecoder::set_results(Instruction& instruction, const Operation& operation,
                                const Statement& statement, std::size_t& next) {
  if (operation.results.empty()) return;
  if (next >= statement.operands.size()) throw UnsupportedForm{};
  const Operand& first = statement.operands[next++];
  if (first.kind != OperandKind::name) throw UnsupportedForm{};
  const std::size_t result_count = first.second.empty() ? 1 : 2;
  if (result_count > operation.results.size() ||
      result_count + operation.optional_results < operation.results.size()) {
    throw UnsupportedForm{};
  }
  instruction.destination[0] = destination(first.text);
  if (result_count == 2) instruction.destination[1] = destination(first.second);
  for (std::size_t k = 0; k < result_count; ++k) {
    if (instruction.destination[k] == no_row) continue;
    require_size(builder_.nbytes_of(instruction.destination[k]), operation.results[k],
                 operation.may_result_be_wider);
  }
  if (instruction.destination[0] != no_row) {
    instruction.result_nbytes = builder_.nbytes_of(instruction.destination[0]);
  }
}

void KernelDecoder::set_arguments(Instruction& instruction, const Operation& operation,
                                  const Statement& statement, std::size_t next) {
  const std::size_t argument_count = statement.operands.size() - next;
  if (argument_count > operation.arguments.size() ||
      argument_count + operation.optional_arguments < operation.arguments.size()) {
    throw UnsupportedForm{};
  }
  for (std::size_t k = 0; k < argument_count; ++k) {
    const Operand& operand = statement.operands[next + k];
    const row source_row = source(operand, operation.arguments[k]);
    require_size(builder_.nbytes_of(source_row), operation.arguments[k],
                 operation.may_argument_be_wider);
    if (static_cast<int>(k) == operation.members) {
      instruction.members = source_row;
      continue;
    }
    if (operand.is_negated) {
      if (operation.arguments[k] != predicate_nbytes) throw UnsupportedForm{};
      instruction.negated |= static_cast<std::uint8_t>(1U << k);
    }
    instruction.source[k] = source_row;
  }
  if (instruction.source[0] != no_row)
    instruction.operand_nbytes = builder_.nbytes_of(instruction.source[0]);
}

void KernelDecoder::add_table_form(const Statement& statement, const Operation& operation) {
  Instruction one{
      .execute = operation.execute, .immediate = operation.immediate, .flow = operation.flow};
  std::size_t next = 0;
  set_results(one, operation, statement, next);
  set_arguments(one, operation, statement, next);
  add(one);
}

void KernelDecoder::add_vector_move(const Statement& statement, bool packs) {
  const Operand& whole = statement.operands[packs ? 0 : 1];
  const Operand& list = statement.operands[packs ? 1 : 0];
  const auto parts = static_cast<std::uint8_t>(list.parts.size());
  const std::uint8_t whole_nbytes = size_of_bits(statement.opcode);
  if (whole.kind == OperandKind::list || parts == 0 || parts > 4) throw UnsupportedForm{};
  const auto part_nbytes = static_cast<std::uint8_t>(whole_nbytes / parts);
  const Operation* const operation =
      operations().find(std::string(packs ? pack_prefix : unpack_prefix) +
                        std::to_string(whole_nbytes) + "." + std::to_string(part_nbytes));
  const row whole_row = packs ? destination(whole.text) : source(whole, whole_nbytes);
  if (operation == nullptr || whole_row == no_row) throw UnsupportedForm{};
  require_size(builder_.nbytes_of(whole_row), whole_nbytes, false);
  Instruction one{.execute = operation->execute, .flow = operation->flow};
  (packs ? one.destination[0] : one.source[0]) = whole_row;
  for (std::size_t k = 0; k < parts; ++k) {
    const row part_row =
        packs ? source(list.parts[k], part_nbytes) : destination(list.parts[k].text);
    (packs ? one.source[k] : one.destination[k]) = part_row;
    if (part_row != no_row) require_size(builder_.nbytes_of(part_row), part_nbytes, false);
  }
  add(one);
}

void KernelDecoder::add_move(const Statement& statement) {
  if (statement.operands.size() != 2) throw UnsupportedForm{};
  if (statement.operands[0].kind == OperandKind::list) return add_vector_move(statement, false);
  if (statement.operands[1].kind == OperandKind::list) return add_vector_move(statement, true);
  const Operation* const operation = operations().find(statement.opcode);
  if (operation == nullptr) throw UnsupportedForm{};
  const std::string_view clock_part = part_of_clock(statement.operands[1].text);
  if (clock_part.empty()) return add_table_form(statement, *operation);
  const Operation& clock = *operations().find(std::string(clock_prefix).append(clock_part));
  if (clock.results != operation->results) throw UnsupportedForm{};
  Statement clock_statement = statement;
  clock_statement.operands.pop_back();
  add_table_form(clock_statement, clock);
}

void KernelDecoder::add_barrier(const Statement& statement) {
  Instruction one{.flow = Control::barrier};
  std::vector<std::string_view> parts = parts_of(statement.opcode);
  std::erase_if(parts, [](std::string_view modifier) {
    return modifier == "cta" || modifier == "aligned" || modifier == "relaxed" ||
           modifier == "release" || modifier == "acquire";
  });
  const auto is = [&](std::initializer_list<std::string_view> modifiers) {
    return std::ranges::equal(std::ranges::subrange(parts.begin() + 1, parts.end()), modifiers);
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
  std::size_t end = statement.operands.size();
  if (reduces) {
    if (end < 3) throw UnsupportedForm{};
    one.destination[0] = destination(statement.operands[next++].text);
    const Operand& predicate = statement.operands[--end];
    one.source[2] = source(predicate, predicate_nbytes);
    if (predicate.is_negated) one.negated = 1U << 2;
  }
  if (end - next > 2) throw UnsupportedForm{};
  for (std::size_t k = 0; next < end; ++next, ++k)
    one.source[k] = source(statement.operands[next], 4);
  add(one);
}

}  // namespace skerry::emulation::ptx
