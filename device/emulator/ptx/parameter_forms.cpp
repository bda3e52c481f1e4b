// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/emulator/execute/memory_operations.hpp"
#include "device/emulator/ptx/kernel_decoder.hpp"

// Parameters and results of calls.
namespace skerry::emulation::ptx {
namespace {

/// Returns the last part of an opcode, such as ".u32".
[[nodiscard]] std::string_view type_of(std::string_view opcode) {
  const std::size_t dot = opcode.rfind('.');
  if (dot == std::string_view::npos) throw UnsupportedForm{};
  return opcode.substr(dot);
}

[[nodiscard]] std::uint8_t size_of(std::string_view type) {
  const std::uint32_t nbytes = size_of_type(type);
  if (nbytes != 1 && nbytes != 2 && nbytes != 4 && nbytes != 8) throw UnsupportedForm{};
  return static_cast<std::uint8_t>(nbytes);
}

/// One-byte values use two-byte registers.
[[nodiscard]] std::uint8_t register_size(std::uint8_t nbytes) {
  return std::max<std::uint8_t>(nbytes, 2);
}

[[nodiscard]] std::string bits(std::uint8_t nbytes) { return std::to_string(8 * nbytes); }

/// Returns e.g. cvt.u32.u16.
[[nodiscard]] std::string conversion(std::string_view sign, std::uint8_t destination_nbytes,
                                     std::uint8_t source_nbytes) {
  std::string name = "cvt.";
  name.append(sign)
      .append(bits(destination_nbytes))
      .append(".")
      .append(sign)
      .append(bits(source_nbytes));
  return name;
}

}  // namespace

/// Adds the instruction `opcode` with register operands.
void KernelDecoder::add_between(std::string_view opcode, row destination_row, row source_row,
                                row second) {
  const Operation* const operation = operations().find(opcode);
  if (operation == nullptr) throw UnsupportedForm{};
  Instruction one{.execute = operation->execute};
  one.destination[0] = destination_row;
  one.source[0] = source_row;
  one.source[1] = second;
  one.operand_nbytes = builder_.nbytes_of(source_row);
  one.result_nbytes = builder_.nbytes_of(destination_row);
  add(one);
}

void KernelDecoder::store_cell(CallParameter& parameter, std::int64_t offset, std::uint8_t nbytes,
                               const Operand& operand) {
  const row source_row = source(operand, register_size(nbytes));
  const std::uint8_t width = builder_.nbytes_of(source_row);
  const std::uint8_t required_width = register_size(nbytes);
  if (width < required_width) throw UnsupportedForm{};
  auto [cell_entry, is_new] =
      parameter.cells.try_emplace(offset, CallParameter::Cell{no_row, nbytes});
  CallParameter::Cell& cell = cell_entry->second;
  if (is_new) cell.register_row = builder_.new_register(required_width);
  if (cell.nbytes != nbytes) throw UnsupportedForm{};
  add_between(width > required_width ? conversion("u", required_width, width)
                                     : "mov.b" + bits(required_width),
              cell.register_row, source_row);
  if (nbytes == 1)
    add_between("and.b16", cell.register_row, cell.register_row, builder_.constant(2, 0xff));
}

void KernelDecoder::load_cell(const CallParameter::Cell& cell, std::string_view type,
                              row destination_row) {
  if (destination_row == no_row) return;
  const std::uint8_t width = builder_.nbytes_of(destination_row);
  const std::uint8_t had = builder_.nbytes_of(cell.register_row);
  if (width < had) throw UnsupportedForm{};
  if (width == had && (cell.nbytes != 1 || type[1] != 's')) {
    return add_between("mov.b" + bits(width), destination_row, cell.register_row);
  }
  add_between(conversion(type[1] == 's' ? "s" : "u", width, cell.nbytes), destination_row,
              cell.register_row);
}

/// Emits an instruction that stores a register in the frame.
void KernelDecoder::store_in_frame(row source_row, std::uint8_t nbytes, std::int64_t frame_offset) {
  const std::uint8_t width = builder_.nbytes_of(source_row);
  Instruction one{.execute = store_operation(MemorySpace::local, 'b' + bits(nbytes), width),
                  .immediate = frame_offset};
  one.source[0] = builder_.special({.special_register = &frame_address});
  one.source[1] = source_row;
  one.operand_nbytes = 8;
  one.result_nbytes = width;
  // The check for undefined values distinguishes loads from stores by this text.
  const SourceLocation saved_location = location_;
  location_.text = "st.local (a parameter)";
  add(one);
  location_ = saved_location;
}

/// Emits stores of the parameter's registers to the frame, for a load that does not match a
/// register's offset and size. Returns the parameter as it is in the frame. The stores are emitted
/// again for each such load, as control flow may have bypassed earlier ones.
CallParameter KernelDecoder::spilled(CallParameter& parameter) {
  if (parameter.spill_offset < 0) {
    parameter.spill_offset = take_local(parameter.nbytes, std::max(8U, parameter.alignment));
  }
  for (const auto& [offset, cell] : parameter.cells) {
    store_in_frame(cell.register_row, cell.nbytes, parameter.spill_offset + offset);
  }
  CallParameter spilled_parameter;
  spilled_parameter.frame_offset = parameter.spill_offset;
  return spilled_parameter;
}

void KernelDecoder::move_in_frame(const Statement& statement, const CallParameter& parameter,
                                  bool is_load) {
  const Operand& address = statement.operands[is_load ? 1 : 0];
  const Operand& value = statement.operands[is_load ? 0 : 1];
  const std::string_view type = type_of(statement.opcode);
  Instruction one{.immediate = parameter.frame_offset + address.offset};
  if (value.kind == OperandKind::list) one.count = static_cast<std::uint8_t>(value.parts.size());
  one.source[0] = builder_.special({.special_register = &frame_address});
  one.operand_nbytes = 8;
  const std::uint8_t nbytes = set_vector(value, is_load ? &one.destination : nullptr,
                                         is_load ? nullptr : &one.source, one, size_of(type));
  one.result_nbytes = nbytes;
  one.execute = is_load ? load_operation(MemorySpace::local, type.substr(1), nbytes)
                        : store_operation(MemorySpace::local, type.substr(1), nbytes);
  if (one.execute == nullptr) throw UnsupportedForm{};
  add(one);
}

/// Adds a load or store of a parameter of a call; false if the address does not name one.
bool KernelDecoder::add_parameter_move(const Statement& statement, bool is_load) {
  const Operand& address = statement.operands[is_load ? 1 : 0];
  const Operand& value = statement.operands[is_load ? 0 : 1];
  const auto parameter_entry = frame().parameters.find(address.text);
  if (address.kind != OperandKind::address || parameter_entry == frame().parameters.end())
    return false;
  CallParameter& parameter = *parameter_entry->second;
  const std::string_view type = type_of(statement.opcode);
  const std::uint8_t nbytes = size_of(type);
  const bool is_list = value.kind == OperandKind::list;
  const std::size_t count = is_list ? value.parts.size() : 1;
  const auto offset_of = [&](std::size_t k) {
    return address.offset + static_cast<std::int64_t>(k * nbytes);
  };
  const auto is_cell = [&](std::size_t k) {
    const auto cell = parameter.cells.find(offset_of(k));
    return cell != parameter.cells.end() && cell->second.nbytes == nbytes;
  };
  bool has_cells = parameter.frame_offset < 0;
  for (std::size_t k = 0; is_load && k < count; ++k) has_cells = has_cells && is_cell(k);
  if (!has_cells) {
    move_in_frame(statement, parameter.frame_offset < 0 ? spilled(parameter) : parameter, is_load);
    return true;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Operand& one = is_list ? value.parts[k] : value;
    if (is_load) {
      load_cell(parameter.cells.at(offset_of(k)), type, destination(one.text));
    } else {
      store_cell(parameter, offset_of(k), nbytes, one);
    }
  }
  return true;
}

}  // namespace skerry::emulation::ptx
