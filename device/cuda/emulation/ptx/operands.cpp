// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {

row kernel_decoder::find_register(std::string_view name) {
  for (std::size_t k = frame().scopes.size(); k-- > 0;) {
    const row found = frame().scopes[k].find(name, builder_);
    if (found != no_row) return found;
  }
  return no_row;
}

const declaration* kernel_decoder::find_shared(std::string_view name) const {
  const auto found = shared_.find(name);
  return found != shared_.end() ? &found->second : nullptr;
}

std::uint32_t kernel_decoder::place_of_shared(const declaration& what) {
  const auto [found, is_new] = shared_places_.try_emplace(what.name, 0);
  if (is_new) {
    std::uint32_t& end = builder_.code().static_shared_nbytes;
    found->second = (end + what.alignment - 1) / what.alignment * what.alignment;
    end = found->second + static_cast<std::uint32_t>(what.nbytes());
  }
  return found->second;
}

row kernel_decoder::symbol_address(std::string_view name, std::int64_t offset,
                                   std::uint8_t nbytes) {
  const auto added = static_cast<std::uint64_t>(offset);
  if (const declaration* shared = find_shared(name)) {
    if (!shared->is_unsized) return builder_.constant(nbytes, place_of_shared(*shared) + added);
    dynamic_alignment_ = std::max(dynamic_alignment_, shared->alignment);
    return builder_.dynamic_shared_address(nbytes, added);
  }
  if (const auto local = local_places_.find(name); local != local_places_.end()) {
    return local_place(local->second + added);
  }
  if (const auto variable = from_.variable_numbers.find(name);
      variable != from_.variable_numbers.end()) {
    if (from_.variables[variable->second].is_extern) {
      throw image_error(code::invalid_ptx, "PTX: unresolved variable " + std::string(name));
    }
    return builder_.special({.what = &variable_address,
                             .index = static_cast<std::uint32_t>(variable->second),
                             .offset = added});
  }
  if (const auto function = from_.functions.find(name); function != from_.functions.end()) {
    if (!function->second.is_defined) throw unsupported_form{};
    return builder_.constant(8, function->second.address + added);
  }
  if (const auto given = frame().parameters.find(name);
      given != frame().parameters.end() && given->second->place >= 0) {
    return local_place(static_cast<std::uint64_t>(given->second->place) + added);
  }
  const auto parameter = std::ranges::find(entry_.parameters, name, &parameter::name);
  if (parameter != entry_.parameters.end() && frame().is_kernel) {
    return builder_.constant(nbytes, parameter->offset + added);
  }
  throw unsupported_form{};
}

row kernel_decoder::named_source(const operand& from, std::uint8_t nbytes) {
  if (const row found = find_register(from.text); found != no_row) return found;
  if (from.text.starts_with('%')) {
    const special_register* const special = find_special_register(from.text);
    if (special == nullptr) throw unsupported_form{};
    return builder_.special({.what = special});
  }
  if (from.text == "WARP_SZ") return builder_.constant(nbytes, warp_size);
  return symbol_address(from.text, from.offset, nbytes);
}

row kernel_decoder::number_source(const operand& from, std::uint8_t nbytes) {
  const std::uint64_t value =
      parse_number(from.text, nbytes) + static_cast<std::uint64_t>(from.offset);
  return builder_.constant(nbytes, from.is_negative ? ~value + 1 : value);
}

row kernel_decoder::source(const operand& from, std::uint8_t nbytes) {
  switch (from.kind) {
    case operand_kind::number:
      return number_source(from, nbytes);
    case operand_kind::name:
      return named_source(from, nbytes);
    default:
      throw unsupported_form{};
  }
}

row kernel_decoder::destination(std::string_view name) {
  if (name == "_") return no_row;
  const row found = find_register(name);
  if (found == no_row) throw unsupported_form{};
  return found;
}

void kernel_decoder::set_address(instruction& into, const operand& from, bool is_parameter) {
  if (from.kind != operand_kind::address || !from.parts.empty()) throw unsupported_form{};
  into.immediate = from.offset;
  into.operand_nbytes = 8;
  if (from.text.empty()) {
    into.is_uniform = true;
    return;
  }
  if (const row found = find_register(from.text); found != no_row) {
    into.source[0] = found;
    into.operand_nbytes = builder_.nbytes_of(found);
    if (into.operand_nbytes != 4 && into.operand_nbytes != 8) throw unsupported_form{};
    return;
  }
  if (is_parameter) {
    const auto parameter = std::ranges::find(entry_.parameters, from.text, &parameter::name);
    if (parameter == entry_.parameters.end()) throw unsupported_form{};
    into.is_uniform = true;
    into.immediate += parameter->offset;
    return;
  }
  if (const declaration* shared = find_shared(from.text)) {
    into.is_uniform = true;
    if (shared->is_unsized) {
      dynamic_alignment_ = std::max(dynamic_alignment_, shared->alignment);
      uses_dynamic_address_ = true;
    } else {
      into.immediate += place_of_shared(*shared);
    }
    return;
  }
  into.source[0] = symbol_address(from.text, 0, 8);
}

}  // namespace skerry::emulation::ptx
