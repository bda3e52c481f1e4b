// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/emulator/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {

row KernelDecoder::find_register(std::string_view name) {
  for (std::size_t k = frame().scopes.size(); k-- > 0;) {
    const row register_row = frame().scopes[k].find(name, builder_);
    if (register_row != no_row) return register_row;
  }
  return no_row;
}

const Declaration* KernelDecoder::find_shared(std::string_view name) const {
  const auto declaration = shared_.find(name);
  return declaration != shared_.end() ? &declaration->second : nullptr;
}

std::uint32_t KernelDecoder::shared_offset_of(const Declaration& declaration) {
  const auto [shared_offset, is_new] = shared_offsets_.try_emplace(declaration.name, 0);
  if (is_new) {
    std::uint32_t& end = builder_.code().static_shared_nbytes;
    shared_offset->second =
        (end + declaration.alignment - 1) / declaration.alignment * declaration.alignment;
    end = shared_offset->second + static_cast<std::uint32_t>(declaration.nbytes());
  }
  return shared_offset->second;
}

row KernelDecoder::symbol_address(std::string_view name, std::int64_t offset, std::uint8_t nbytes) {
  const auto added = static_cast<std::uint64_t>(offset);
  if (const Declaration* shared = find_shared(name)) {
    if (!shared->is_unsized) return builder_.constant(nbytes, shared_offset_of(*shared) + added);
    dynamic_alignment_ = std::max(dynamic_alignment_, shared->alignment);
    return builder_.dynamic_shared_address(nbytes, added);
  }
  if (const auto local = local_offsets_.find(name); local != local_offsets_.end()) {
    return local_address_row(local->second + added);
  }
  if (const auto variable = module_source_.variable_numbers.find(name);
      variable != module_source_.variable_numbers.end()) {
    if (module_source_.variables[variable->second].is_extern) {
      throw ImageError(code::invalid_ptx, "PTX: unresolved variable " + std::string(name));
    }
    return builder_.special({.special_register = &variable_address,
                             .index = static_cast<std::uint32_t>(variable->second),
                             .offset = added});
  }
  if (const auto function = module_source_.functions.find(name);
      function != module_source_.functions.end()) {
    if (!function->second.is_defined) throw UnsupportedForm{};
    return builder_.constant(8, function->second.address + added);
  }
  if (const auto call_parameter = frame().parameters.find(name);
      call_parameter != frame().parameters.end() && call_parameter->second->frame_offset >= 0) {
    return local_address_row(static_cast<std::uint64_t>(call_parameter->second->frame_offset) +
                             added);
  }
  const auto parameter = std::ranges::find(entry_.parameters, name, &Parameter::name);
  if (parameter != entry_.parameters.end() && frame().is_kernel) {
    return builder_.constant(nbytes, parameter->offset + added);
  }
  throw UnsupportedForm{};
}

row KernelDecoder::named_source(const Operand& operand, std::uint8_t nbytes) {
  if (const row register_row = find_register(operand.text); register_row != no_row)
    return register_row;
  if (operand.text.starts_with('%')) {
    const SpecialRegister* const special = find_special_register(operand.text);
    if (special == nullptr) throw UnsupportedForm{};
    return builder_.special({.special_register = special});
  }
  if (operand.text == "WARP_SZ") return builder_.constant(nbytes, warp_size);
  return symbol_address(operand.text, operand.offset, nbytes);
}

row KernelDecoder::number_source(const Operand& operand, std::uint8_t nbytes) {
  const std::uint64_t value =
      parse_number(operand.text, nbytes) + static_cast<std::uint64_t>(operand.offset);
  return builder_.constant(nbytes, operand.is_negative ? ~value + 1 : value);
}

row KernelDecoder::source(const Operand& operand, std::uint8_t nbytes) {
  switch (operand.kind) {
    case OperandKind::number:
      return number_source(operand, nbytes);
    case OperandKind::name:
      return named_source(operand, nbytes);
    default:
      throw UnsupportedForm{};
  }
}

row KernelDecoder::destination(std::string_view name) {
  if (name == "_") return no_row;
  const row register_row = find_register(name);
  if (register_row == no_row) throw UnsupportedForm{};
  return register_row;
}

void KernelDecoder::set_address(Instruction& instruction, const Operand& operand,
                                bool is_parameter) {
  if (operand.kind != OperandKind::address || !operand.parts.empty()) throw UnsupportedForm{};
  instruction.immediate = operand.offset;
  instruction.operand_nbytes = 8;
  if (operand.text.empty()) {
    instruction.is_uniform = true;
    return;
  }
  if (const row register_row = find_register(operand.text); register_row != no_row) {
    instruction.source[0] = register_row;
    instruction.operand_nbytes = builder_.nbytes_of(register_row);
    if (instruction.operand_nbytes != 4 && instruction.operand_nbytes != 8) throw UnsupportedForm{};
    return;
  }
  if (is_parameter) {
    const auto parameter = std::ranges::find(entry_.parameters, operand.text, &Parameter::name);
    if (parameter == entry_.parameters.end()) throw UnsupportedForm{};
    instruction.is_uniform = true;
    instruction.immediate += parameter->offset;
    return;
  }
  if (const Declaration* shared = find_shared(operand.text)) {
    instruction.is_uniform = true;
    if (shared->is_unsized) {
      dynamic_alignment_ = std::max(dynamic_alignment_, shared->alignment);
      uses_dynamic_address_ = true;
    } else {
      instruction.immediate += shared_offset_of(*shared);
    }
    return;
  }
  instruction.source[0] = symbol_address(operand.text, 0, 8);
}

}  // namespace skerry::emulation::ptx
