// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "device/cuda/emulation/execute/memory_operations.hpp"
#include "device/cuda/emulation/ptx/access_form.hpp"
#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

void require_operands(const Statement& what, const AccessForm& form, std::size_t count) {
  if (what.operands.size() != count + (form.has_cache_policy ? 1 : 0)) throw UnsupportedForm{};
}

}  // namespace

std::uint8_t KernelDecoder::set_vector(const Operand& from, std::array<row, 4>* destinations,
                                       std::array<row, 5>* sources, Instruction& into,
                                       std::uint8_t element_nbytes) {
  // A register for a number is as wide as the element, but there are none of a byte.
  const auto constant_nbytes = std::max<std::uint8_t>(element_nbytes, 2);
  std::uint8_t nbytes = 0;
  const auto take = [&](std::size_t k, const Operand& one) {
    const row found =
        destinations != nullptr ? destination(one.text) : source(one, constant_nbytes);
    if (destinations != nullptr) {
      (*destinations)[k] = found;
    } else {
      (*sources)[k + 1] = found;
    }
    if (found == no_row) return;
    const std::uint8_t width = builder_.nbytes_of(found);
    if (nbytes != 0 && width != nbytes) throw UnsupportedForm{};
    nbytes = width;
  };
  if (from.kind != OperandKind::list) {
    if (into.count != 1) throw UnsupportedForm{};
    take(0, from);
  } else {
    if (from.parts.size() != into.count) throw UnsupportedForm{};
    for (std::size_t k = 0; k < from.parts.size(); ++k) take(k, from.parts[k]);
  }
  return nbytes == 0 ? constant_nbytes : nbytes;
}

void KernelDecoder::add_load(const Statement& what) {
  AccessForm form = read_access_form(what.opcode);
  require_operands(what, form, 2);
  if (form.space == MemorySpace::parameter && add_parameter_move(what, true)) return;
  // By an address, a function's own parameter: it lies in its frame.
  if (form.space == MemorySpace::parameter && !frame().is_kernel) form.space = MemorySpace::local;
  const bool is_parameter = form.space == MemorySpace::parameter;
  Instruction one{.count = form.count, .is_strong = form.is_strong};
  set_address(one, what.operands[1], is_parameter);
  const std::uint8_t nbytes =
      set_vector(what.operands[0], &one.destination, nullptr, one, form.nbytes);
  one.result_nbytes = nbytes;
  one.run = load_operation(form.space, form.type, nbytes);
  if (one.run == nullptr) throw UnsupportedForm{};
  add(one);
}

void KernelDecoder::add_store(const Statement& what) {
  const AccessForm form = read_access_form(what.opcode);
  require_operands(what, form, 2);
  if (form.space == MemorySpace::parameter) {
    if (!add_parameter_move(what, false)) throw UnsupportedForm{};
    return;
  }
  // Before the address is looked at, which may concern the next instruction that is added.
  if (form.releases) add({.run = operations().find("membar.gl")->run});
  Instruction one{.count = form.count, .is_strong = form.is_strong};
  set_address(one, what.operands[0], false);
  const std::uint8_t nbytes = set_vector(what.operands[1], nullptr, &one.source, one, form.nbytes);
  one.result_nbytes = nbytes;
  one.run = store_operation(form.space, form.type, nbytes);
  if (one.run == nullptr) throw UnsupportedForm{};
  add(one);
}

/// A hint for caches, which are not simulated: of its operands the address alone is looked at.
void KernelDecoder::add_cache_hint(const Statement& what) {
  const Operation* const form = operations().find(std::string(hint_prefix).append(what.opcode));
  const bool has_size = what.opcode.starts_with("discard") || what.opcode.starts_with("apply");
  if (form == nullptr || what.operands.size() != (has_size ? 2U : 1U)) throw UnsupportedForm{};
  if (what.operands[0].kind != OperandKind::address) throw UnsupportedForm{};
  add({.run = form->run});
}

void KernelDecoder::add_atomic(const Statement& what, bool has_result) {
  const AccessForm form = read_access_form(what.opcode);
  const std::size_t operands = (has_result ? 3 : 2) + (form.operation == "cas" ? 1 : 0);
  require_operands(what, form, operands);
  Instruction one{.run = atomic_operation(form.space, form.operation, form.type),
                  .is_strong = true};
  if (one.run == nullptr || form.count != 1) throw UnsupportedForm{};
  if (form.releases) add({.run = operations().find("membar.gl")->run});
  const std::uint8_t nbytes = form.nbytes;
  std::size_t next = 0;
  if (has_result) one.destination[0] = destination(what.operands[next++].text);
  set_address(one, what.operands[next++], false);
  for (std::size_t k = 1; next < operands; ++k, ++next) {
    one.source[k] = source(what.operands[next], nbytes);
    if (builder_.nbytes_of(one.source[k]) != nbytes) throw UnsupportedForm{};
  }
  if (one.destination[0] != no_row && builder_.nbytes_of(one.destination[0]) != nbytes) {
    throw UnsupportedForm{};
  }
  add(one);
}

}  // namespace skerry::emulation::ptx
