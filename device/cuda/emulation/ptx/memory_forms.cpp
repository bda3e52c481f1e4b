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

void require_operands(const statement& what, const access_form& form, std::size_t count) {
  if (what.operands.size() != count + (form.has_cache_policy ? 1 : 0)) throw unsupported_form{};
}

}  // namespace

std::uint8_t kernel_decoder::set_vector(const operand& from, std::array<row, 4>* destinations,
                                        std::array<row, 5>* sources, instruction& into,
                                        std::uint8_t element_nbytes) {
  // A register for a number is as wide as the element, but there are none of a byte.
  const auto constant_nbytes = std::max<std::uint8_t>(element_nbytes, 2);
  std::uint8_t nbytes = 0;
  const auto take = [&](std::size_t k, const operand& one) {
    const row found =
        destinations != nullptr ? destination(one.text) : source(one, constant_nbytes);
    if (destinations != nullptr) {
      (*destinations)[k] = found;
    } else {
      (*sources)[k + 1] = found;
    }
    if (found == no_row) return;
    const std::uint8_t width = builder_.nbytes_of(found);
    if (nbytes != 0 && width != nbytes) throw unsupported_form{};
    nbytes = width;
  };
  if (from.kind != operand_kind::list) {
    if (into.count != 1) throw unsupported_form{};
    take(0, from);
  } else {
    if (from.parts.size() != into.count) throw unsupported_form{};
    for (std::size_t k = 0; k < from.parts.size(); ++k) take(k, from.parts[k]);
  }
  return nbytes == 0 ? constant_nbytes : nbytes;
}

void kernel_decoder::add_load(const statement& what) {
  access_form form = read_access_form(what.opcode);
  require_operands(what, form, 2);
  if (form.space == memory_space::parameter && add_parameter_move(what, true)) return;
  // By an address, a function's own parameter: it lies in its frame.
  if (form.space == memory_space::parameter && !frame().is_kernel) form.space = memory_space::local;
  const bool is_parameter = form.space == memory_space::parameter;
  instruction one{.count = form.count, .is_strong = form.is_strong};
  set_address(one, what.operands[1], is_parameter);
  const std::uint8_t nbytes =
      set_vector(what.operands[0], &one.destination, nullptr, one, form.nbytes);
  one.result_nbytes = nbytes;
  one.run = load_operation(form.space, form.type, nbytes);
  if (one.run == nullptr) throw unsupported_form{};
  add(one);
}

void kernel_decoder::add_store(const statement& what) {
  const access_form form = read_access_form(what.opcode);
  require_operands(what, form, 2);
  if (form.space == memory_space::parameter) {
    if (!add_parameter_move(what, false)) throw unsupported_form{};
    return;
  }
  // Before the address is looked at, which may concern the next instruction that is added.
  if (form.releases) add({.run = operations().find("membar.gl")->run});
  instruction one{.count = form.count, .is_strong = form.is_strong};
  set_address(one, what.operands[0], false);
  const std::uint8_t nbytes = set_vector(what.operands[1], nullptr, &one.source, one, form.nbytes);
  one.result_nbytes = nbytes;
  one.run = store_operation(form.space, form.type, nbytes);
  if (one.run == nullptr) throw unsupported_form{};
  add(one);
}

/// A hint for caches, which are not simulated: of its operands the address alone is looked at.
void kernel_decoder::add_cache_hint(const statement& what) {
  const operation* const form = operations().find(std::string(hint_prefix).append(what.opcode));
  const bool has_size = what.opcode.starts_with("discard") || what.opcode.starts_with("apply");
  if (form == nullptr || what.operands.size() != (has_size ? 2U : 1U)) throw unsupported_form{};
  if (what.operands[0].kind != operand_kind::address) throw unsupported_form{};
  add({.run = form->run});
}

void kernel_decoder::add_atomic(const statement& what, bool has_result) {
  const access_form form = read_access_form(what.opcode);
  const std::size_t operands = (has_result ? 3 : 2) + (form.operation == "cas" ? 1 : 0);
  require_operands(what, form, operands);
  instruction one{.run = atomic_operation(form.space, form.operation, form.type),
                  .is_strong = true};
  if (one.run == nullptr || form.count != 1) throw unsupported_form{};
  if (form.releases) add({.run = operations().find("membar.gl")->run});
  const std::uint8_t nbytes = form.nbytes;
  std::size_t next = 0;
  if (has_result) one.destination[0] = destination(what.operands[next++].text);
  set_address(one, what.operands[next++], false);
  for (std::size_t k = 1; next < operands; ++k, ++next) {
    one.source[k] = source(what.operands[next], nbytes);
    if (builder_.nbytes_of(one.source[k]) != nbytes) throw unsupported_form{};
  }
  if (one.destination[0] != no_row && builder_.nbytes_of(one.destination[0]) != nbytes) {
    throw unsupported_form{};
  }
  add(one);
}

}  // namespace skerry::emulation::ptx
