// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "device/cuda/emulation/execute/memory_operations.hpp"
#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

/// What the modifiers of an access say.
struct access_form {
  memory_space space = memory_space::generic;
  std::string_view type;
  std::string_view operation;  ///< of an atomic
  std::uint8_t count = 1;
  bool is_strong = false;
  bool releases = false;
  bool has_cache_policy = false;  ///< as the last operand
};

template <std::size_t N>
[[nodiscard]] bool is_one_of(std::string_view part, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, part) != names.end();
}

constexpr std::array<std::string_view, 5> orders = {"volatile", "relaxed", "acquire", "release",
                                                    "acq_rel"};
constexpr std::array<std::string_view, 14> hints = {"weak",    "nc",  "ca",  "cg",     "cs",
                                                    "lu",      "cv",  "wb",  "wt",     "cta",
                                                    "cluster", "gpu", "sys", "unified"};
constexpr std::array<std::string_view, 10> atomics = {"add", "min",  "max", "inc", "dec",
                                                      "cas", "exch", "and", "or",  "xor"};

[[nodiscard]] bool read_space(std::string_view part, access_form& into) {
  if (part == "global" || part == "const") {
    into.space = memory_space::global;
  } else if (part == "shared" || part == "shared::cta" || part == "shared::cluster") {
    into.space = memory_space::shared;
  } else if (part == "local") {
    into.space = memory_space::local;
  } else if (part == "param" || part == "param::entry" || part == "param::func") {
    into.space = memory_space::parameter;
  } else {
    return false;
  }
  return true;
}

[[nodiscard]] access_form read_form(std::string_view opcode) {
  access_form form;
  const std::vector<std::string_view> parts = parts_of(opcode);
  if (parts.size() < 2) throw unsupported_form{};
  form.type = parts.back();
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    const std::string_view part = parts[k];
    if (read_space(part, form) || is_one_of(part, hints)) continue;
    if (part == "v2" || part == "v4") {
      form.count = part == "v2" ? 2 : 4;
    } else if (is_one_of(part, orders)) {
      form.is_strong = true;
      form.releases = part == "release" || part == "acq_rel";
    } else if (is_one_of(part, atomics) && form.operation.empty()) {
      form.operation = part;
    } else if (part == "L2::cache_hint") {
      form.has_cache_policy = true;
    } else if (!part.starts_with("L1::") && !part.starts_with("L2::")) {
      throw unsupported_form{};
    }
  }
  return form;
}

[[nodiscard]] std::uint8_t size_of(std::string_view type) {
  int bits = 0;
  if (type.size() < 2) throw unsupported_form{};
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  if (error != std::errc() || end != type.data() + type.size()) throw unsupported_form{};
  return static_cast<std::uint8_t>(bits / 8);
}

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
  const access_form form = read_form(what.opcode);
  require_operands(what, form, 2);
  const bool is_parameter = form.space == memory_space::parameter;
  if (is_parameter && add_parameter_move(what, true)) return;
  instruction one{.count = form.count, .is_strong = form.is_strong};
  set_address(one, what.operands[1], is_parameter);
  const std::uint8_t nbytes =
      set_vector(what.operands[0], &one.destination, nullptr, one, size_of(form.type));
  one.result_nbytes = nbytes;
  one.run = load_operation(form.space, form.type, nbytes);
  if (one.run == nullptr) throw unsupported_form{};
  add(one);
}

void kernel_decoder::add_store(const statement& what) {
  const access_form form = read_form(what.opcode);
  require_operands(what, form, 2);
  if (form.space == memory_space::parameter) {
    if (!add_parameter_move(what, false)) throw unsupported_form{};
    return;
  }
  instruction one{.count = form.count, .is_strong = form.is_strong};
  set_address(one, what.operands[0], false);
  const std::uint8_t nbytes =
      set_vector(what.operands[1], nullptr, &one.source, one, size_of(form.type));
  one.result_nbytes = nbytes;
  one.run = store_operation(form.space, form.type, nbytes);
  if (one.run == nullptr) throw unsupported_form{};
  if (form.releases) add({.run = operations().find("membar.gl")->run});
  add(one);
}

/// A parameter of a call, which is a register here, or more than one. False if it is the kernel's.
bool kernel_decoder::add_parameter_move(const statement& what, bool is_load) {
  const operand& address = what.operands[is_load ? 1 : 0];
  const operand& value = what.operands[is_load ? 0 : 1];
  const auto found = frame().parameters.find(address.text);
  if (address.kind != operand_kind::address || found == frame().parameters.end()) return false;
  const access_form form = read_form(what.opcode);
  const std::uint8_t nbytes = size_of(form.type);
  const auto move = [&](std::int64_t offset, const operand& one) {
    const row given = is_load ? destination(one.text) : source(one, nbytes);
    auto [cell, is_new] = found->second->try_emplace(offset, no_row);
    if (is_new) cell->second = builder_.new_register(nbytes);
    if (builder_.nbytes_of(cell->second) != nbytes || builder_.nbytes_of(given) != nbytes) {
      throw unsupported_form{};
    }
    instruction moved{.run = operations().find("mov.b" + std::to_string(8 * nbytes))->run};
    moved.destination[0] = is_load ? given : cell->second;
    moved.source[0] = is_load ? cell->second : given;
    add(moved);
  };
  if (nbytes != 2 && nbytes != 4 && nbytes != 8) throw unsupported_form{};
  if (value.kind != operand_kind::list) {
    move(address.offset, value);
    return true;
  }
  for (std::size_t k = 0; k < value.parts.size(); ++k) {
    move(address.offset + static_cast<std::int64_t>(k) * nbytes, value.parts[k]);
  }
  return true;
}

void kernel_decoder::add_atomic(const statement& what, bool has_result) {
  const access_form form = read_form(what.opcode);
  const std::size_t operands = (has_result ? 3 : 2) + (form.operation == "cas" ? 1 : 0);
  require_operands(what, form, operands);
  instruction one{.run = atomic_operation(form.space, form.operation, form.type),
                  .is_strong = true};
  if (one.run == nullptr || form.count != 1) throw unsupported_form{};
  const std::uint8_t nbytes = size_of(form.type);
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
  if (form.releases) add({.run = operations().find("membar.gl")->run});
  add(one);
}

}  // namespace skerry::emulation::ptx
