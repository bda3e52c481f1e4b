// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {

row KernelDecoder::find_register(std::string_view name) {
  for (std::size_t k = frame().scopes.size(); k-- > 0;) {
    const row found = frame().scopes[k].find(name, builder_);
    if (found != no_row) return found;
  }
  return no_row;
}

const Declaration* KernelDecoder::find_shared(std::string_view name) const {
  const auto found = shared_.find(name);
  return found != shared_.end() ? &found->second : nullptr;
}

std::uint32_t KernelDecoder::place_of_shared(const Declaration& what) {
  const auto [found, is_new] = shared_places_.try_emplace(what.name, 0);
  if (is_new) {
    std::uint32_t& end = builder_.code().static_shared_nbytes;
    found->second = (end + what.alignment - 1) / what.alignment * what.alignment;
    end = found->second + static_cast<std::uint32_t>(what.nbytes());
  }
  return found->second;
}

row KernelDecoder::symbol_address(std::string_view name, std::int64_t offset, std::uint8_t nbytes) {
  const auto added = static_cast<std::uint64_t>(offset);
  if (const Declaration* shared = find_shared(name)) {
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
      throw ImageError(code::invalid_ptx, "PTX: unresolved variable " + std::string(name));
    }
    return builder_.special({.what = &variable_address,
                             .index = static_cast<std::uint32_t>(variable->second),
                             .offset = added});
  }
  if (const auto function = from_.functions.find(name); function != from_.functions.end()) {
    if (!function->second.is_defined) throw UnsupportedForm{};
    return builder_.constant(8, function->second.address + added);
  }
  if (const auto given = frame().parameters.find(name);
      given != frame().parameters.end() && given->second->place >= 0) {
    return local_place(static_cast<std::uint64_t>(given->second->place) + added);
  }
  const auto parameter = std::ranges::find(entry_.parameters, name, &Parameter::name);
  if (parameter != entry_.parameters.end() && frame().is_kernel) {
    return builder_.constant(nbytes, parameter->offset + added);
  }
  throw UnsupportedForm{};
}

row KernelDecoder::named_source(const Operand& from, std::uint8_t nbytes) {
  if (const row found = find_register(from.text); found != no_row) return found;
  if (from.text.starts_with('%')) {
    const SpecialRegister* const special = find_special_register(from.text);
    if (special == nullptr) throw UnsupportedForm{};
    return builder_.special({.what = special});
  }
  if (from.text == "WARP_SZ") return builder_.constant(nbytes, warp_size);
  return symbol_address(from.text, from.offset, nbytes);
}

row KernelDecoder::number_source(const Operand& from, std::uint8_t nbytes) {
  const std::uint64_t value =
      parse_number(from.text, nbytes) + static_cast<std::uint64_t>(from.offset);
  return builder_.constant(nbytes, from.is_negative ? ~value + 1 : value);
}

row KernelDecoder::source(const Operand& from, std::uint8_t nbytes) {
  switch (from.kind) {
    case OperandKind::number:
      return number_source(from, nbytes);
    case OperandKind::name:
      return named_source(from, nbytes);
    default:
      throw UnsupportedForm{};
  }
}

row KernelDecoder::destination(std::string_view name) {
  if (name == "_") return no_row;
  const row found = find_register(name);
  if (found == no_row) throw UnsupportedForm{};
  return found;
}

void KernelDecoder::set_address(Instruction& into, const Operand& from, bool is_parameter) {
  if (from.kind != OperandKind::address || !from.parts.empty()) throw UnsupportedForm{};
  into.immediate = from.offset;
  into.operand_nbytes = 8;
  if (from.text.empty()) {
    into.is_uniform = true;
    return;
  }
  if (const row found = find_register(from.text); found != no_row) {
    into.source[0] = found;
    into.operand_nbytes = builder_.nbytes_of(found);
    if (into.operand_nbytes != 4 && into.operand_nbytes != 8) throw UnsupportedForm{};
    return;
  }
  if (is_parameter) {
    const auto parameter = std::ranges::find(entry_.parameters, from.text, &Parameter::name);
    if (parameter == entry_.parameters.end()) throw UnsupportedForm{};
    into.is_uniform = true;
    into.immediate += parameter->offset;
    return;
  }
  if (const Declaration* shared = find_shared(from.text)) {
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
