// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "device/emulator/execute/memory_operations.hpp"
#include "device/emulator/ptx/access_form.hpp"
#include "device/emulator/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

void require_operands(const Statement& statement, const AccessForm& access, std::size_t count) {
  if (statement.operands.size() != count + (access.has_cache_policy ? 1 : 0))
    throw UnsupportedForm{};
}

}  // namespace

std::uint8_t KernelDecoder::set_vector(const Operand& operand, std::array<row, 4>* destinations,
                                       std::array<row, 5>* sources, Instruction& instruction,
                                       std::uint8_t element_nbytes) {
  // A constant is as wide as the element, at least two bytes: there are no one-byte registers.
  const auto constant_nbytes = std::max<std::uint8_t>(element_nbytes, 2);
  std::uint8_t nbytes = 0;
  const auto take = [&](std::size_t k, const Operand& one) {
    const row element_row =
        destinations != nullptr ? destination(one.text) : source(one, constant_nbytes);
    if (destinations != nullptr) {
      (*destinations)[k] = element_row;
    } else {
      (*sources)[k + 1] = element_row;
    }
    if (element_row == no_row) return;
    const std::uint8_t width = builder_.nbytes_of(element_row);
    if (nbytes != 0 && width != nbytes) throw UnsupportedForm{};
    nbytes = width;
  };
  if (operand.kind != OperandKind::list) {
    if (instruction.count != 1) throw UnsupportedForm{};
    take(0, operand);
  } else {
    if (operand.parts.size() != instruction.count) throw UnsupportedForm{};
    for (std::size_t k = 0; k < operand.parts.size(); ++k) take(k, operand.parts[k]);
  }
  return nbytes == 0 ? constant_nbytes : nbytes;
}

void KernelDecoder::add_load(const Statement& statement) {
  AccessForm access = read_access_form(statement.opcode);
  require_operands(statement, access, 2);
  if (access.space == MemorySpace::parameter && add_parameter_move(statement, true)) return;
  // A function's own parameter, accessed by address, is in its frame.
  if (access.space == MemorySpace::parameter && !frame().is_kernel)
    access.space = MemorySpace::local;
  const bool is_parameter = access.space == MemorySpace::parameter;
  Instruction one{.count = access.count, .is_strong = access.is_strong};
  set_address(one, statement.operands[1], is_parameter);
  const std::uint8_t nbytes =
      set_vector(statement.operands[0], &one.destination, nullptr, one, access.nbytes);
  one.result_nbytes = nbytes;
  one.execute = load_operation(access.space, access.type, nbytes);
  if (one.execute == nullptr) throw UnsupportedForm{};
  add(one);
}

void KernelDecoder::add_store(const Statement& statement) {
  const AccessForm access = read_access_form(statement.opcode);
  require_operands(statement, access, 2);
  if (access.space == MemorySpace::parameter) {
    if (!add_parameter_move(statement, false)) throw UnsupportedForm{};
    return;
  }
  // Before set_address(), whose uses_dynamic_address_ applies to the next added instruction.
  if (access.releases) add({.execute = operations().find("membar.gl")->execute});
  Instruction one{.count = access.count, .is_strong = access.is_strong};
  set_address(one, statement.operands[0], false);
  const std::uint8_t nbytes =
      set_vector(statement.operands[1], nullptr, &one.source, one, access.nbytes);
  one.result_nbytes = nbytes;
  one.execute = store_operation(access.space, access.type, nbytes);
  if (one.execute == nullptr) throw UnsupportedForm{};
  add(one);
}

/// Adds a cache hint. Caches are not simulated, so only the form of the address is checked.
void KernelDecoder::add_cache_hint(const Statement& statement) {
  const Operation* const operation =
      operations().find(std::string(hint_prefix).append(statement.opcode));
  const bool has_size =
      statement.opcode.starts_with("discard") || statement.opcode.starts_with("apply");
  if (operation == nullptr || statement.operands.size() != (has_size ? 2U : 1U))
    throw UnsupportedForm{};
  if (statement.operands[0].kind != OperandKind::address) throw UnsupportedForm{};
  add({.execute = operation->execute});
}

void KernelDecoder::add_atomic(const Statement& statement, bool has_result) {
  const AccessForm access = read_access_form(statement.opcode);
  const std::size_t operands = (has_result ? 3 : 2) + (access.operation == "cas" ? 1 : 0);
  require_operands(statement, access, operands);
  Instruction one{.execute = atomic_operation(access.space, access.operation, access.type),
                  .is_strong = true};
  if (one.execute == nullptr || access.count != 1) throw UnsupportedForm{};
  if (access.releases) add({.execute = operations().find("membar.gl")->execute});
  const std::uint8_t nbytes = access.nbytes;
  std::size_t next = 0;
  if (has_result) one.destination[0] = destination(statement.operands[next++].text);
  set_address(one, statement.operands[next++], false);
  for (std::size_t k = 1; next < operands; ++k, ++next) {
    one.source[k] = source(statement.operands[next], nbytes);
    if (builder_.nbytes_of(one.source[k]) != nbytes) throw UnsupportedForm{};
  }
  if (one.destination[0] != no_row && builder_.nbytes_of(one.destination[0]) != nbytes) {
    throw UnsupportedForm{};
  }
  add(one);
}

}  // namespace skerry::emulation::ptx
