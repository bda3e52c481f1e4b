// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/cuda/emulation/execute/memory_operations.hpp"
#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

// Parameters of calls, and what functions return.
namespace skerry::emulation::ptx {
namespace {

/// The last part of an opcode, such as ".u32".
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

/// There are no registers of a byte.
[[nodiscard]] std::uint8_t register_size(std::uint8_t nbytes) {
  return std::max<std::uint8_t>(nbytes, 2);
}

[[nodiscard]] std::string bits(std::uint8_t nbytes) { return std::to_string(8 * nbytes); }

/// Such as cvt.u32.u16.
[[nodiscard]] std::string conversion(std::string_view sign, std::uint8_t to, std::uint8_t from) {
  std::string name = "cvt.";
  name.append(sign).append(bits(to)).append(".").append(sign).append(bits(from));
  return name;
}

}  // namespace

/// The instruction of that name, between registers.
void KernelDecoder::add_between(std::string_view opcode, row to, row from, row second) {
  const Operation* const form = operations().find(opcode);
  if (form == nullptr) throw UnsupportedForm{};
  Instruction one{.run = form->run};
  one.destination[0] = to;
  one.source[0] = from;
  one.source[1] = second;
  one.operand_nbytes = builder_.nbytes_of(from);
  one.result_nbytes = builder_.nbytes_of(to);
  add(one);
}

void KernelDecoder::store_cell(CallParameter& into, std::int64_t offset, std::uint8_t nbytes,
                               const Operand& from) {
  const row given = source(from, register_size(nbytes));
  const std::uint8_t width = builder_.nbytes_of(given);
  const std::uint8_t wanted = register_size(nbytes);
  if (width < wanted) throw UnsupportedForm{};
  auto [found, is_new] = into.cells.try_emplace(offset, CallParameter::Cell{no_row, nbytes});
  CallParameter::Cell& cell = found->second;
  if (is_new) cell.at = builder_.new_register(wanted);
  if (cell.nbytes != nbytes) throw UnsupportedForm{};
  add_between(width > wanted ? conversion("u", wanted, width) : "mov.b" + bits(wanted), cell.at,
              given);
  if (nbytes == 1) add_between("and.b16", cell.at, cell.at, builder_.constant(2, 0xff));
}

void KernelDecoder::load_cell(const CallParameter::Cell& from, std::string_view type, row to) {
  if (to == no_row) return;
  const std::uint8_t width = builder_.nbytes_of(to);
  const std::uint8_t had = builder_.nbytes_of(from.at);
  if (width < had) throw UnsupportedForm{};
  if (width == had && (from.nbytes != 1 || type[1] != 's')) {
    return add_between("mov.b" + bits(width), to, from.at);
  }
  add_between(conversion(type[1] == 's' ? "s" : "u", width, from.nbytes), to, from.at);
}

/// A register into bytes of the frame.
void KernelDecoder::store_in_frame(row from, std::uint8_t nbytes, std::int64_t at) {
  const std::uint8_t width = builder_.nbytes_of(from);
  Instruction one{.run = store_operation(MemorySpace::local, 'b' + bits(nbytes), width),
                  .immediate = at};
  one.source[0] = builder_.special({.what = &frame_address});
  one.source[1] = from;
  one.operand_nbytes = 8;
  one.result_nbytes = width;
  // Checks know by the text which way an access goes.
  const Place before = where_;
  where_.text = "st.local (a parameter)";
  add(one);
  where_ = before;
}

/// The same parameter in memory: it is read in other parts than it was written. Other ways through
/// the code may not come here, so that each reader writes it anew.
CallParameter KernelDecoder::spilled(CallParameter& what) {
  if (what.spilled_at < 0) {
    what.spilled_at = take_local(what.nbytes, std::max(8U, what.alignment));
  }
  for (const auto& [offset, cell] : what.cells) {
    store_in_frame(cell.at, cell.nbytes, what.spilled_at + offset);
  }
  CallParameter found;
  found.place = what.spilled_at;
  return found;
}

void KernelDecoder::move_in_frame(const Statement& what, const CallParameter& parameter,
                                  bool is_load) {
  const Operand& address = what.operands[is_load ? 1 : 0];
  const Operand& value = what.operands[is_load ? 0 : 1];
  const std::string_view type = type_of(what.opcode);
  Instruction one{.immediate = parameter.place + address.offset};
  if (value.kind == OperandKind::list) one.count = static_cast<std::uint8_t>(value.parts.size());
  one.source[0] = builder_.special({.what = &frame_address});
  one.operand_nbytes = 8;
  const std::uint8_t nbytes = set_vector(value, is_load ? &one.destination : nullptr,
                                         is_load ? nullptr : &one.source, one, size_of(type));
  one.result_nbytes = nbytes;
  one.run = is_load ? load_operation(MemorySpace::local, type.substr(1), nbytes)
                    : store_operation(MemorySpace::local, type.substr(1), nbytes);
  if (one.run == nullptr) throw UnsupportedForm{};
  add(one);
}

/// False if it is the kernel's.
bool KernelDecoder::add_parameter_move(const Statement& what, bool is_load) {
  const Operand& address = what.operands[is_load ? 1 : 0];
  const Operand& value = what.operands[is_load ? 0 : 1];
  const auto found = frame().parameters.find(address.text);
  if (address.kind != OperandKind::address || found == frame().parameters.end()) return false;
  CallParameter& parameter = *found->second;
  const std::string_view type = type_of(what.opcode);
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
  bool has_cells = parameter.place < 0;
  for (std::size_t k = 0; is_load && k < count; ++k) has_cells = has_cells && is_cell(k);
  if (!has_cells) {
    move_in_frame(what, parameter.place < 0 ? spilled(parameter) : parameter, is_load);
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
