// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/emulator/execute/program.hpp"

namespace skerry::emulation {

/// The size of an operand for each lane; a predicate has a bit.
inline constexpr std::uint8_t predicate_nbytes = 0;

/// What an opcode does, and which operands it has.
struct Operation {
  handler execute = nullptr;
  Control flow = Control::sequential;
  std::vector<std::uint8_t> results{};    ///< sizes of destinations
  std::vector<std::uint8_t> arguments{};  ///< sizes of sources
  std::size_t optional_results = 0;       ///< how many of the last ones may be left out
  std::size_t optional_arguments = 0;
  /// The argument that names the members of a collective; it is none of the handler's sources.
  int members = -1;
  // Conversions take registers that are wider than their types (PTX ISA, operand size exceeding).
  bool may_result_be_wider = false;
  bool may_argument_be_wider = false;
  std::int64_t immediate = 0;  ///< of its instructions, for handlers that serve several operations
};

// Operations that the decoder chooses have names that no PTX can have: none of its words has a
// star.
inline constexpr std::string_view pack_prefix = "*pack.";
inline constexpr std::string_view unpack_prefix = "*unpack.";
inline constexpr std::string_view clock_prefix = "*clock.";
/// Hints for caches, which are not simulated: their operands are not looked at.
inline constexpr std::string_view hint_prefix = "*";

/// Every opcode with fixed operands, under each name that PTX has for it.
class OperationTable {
 public:
  /// Each opcode is declared once: throws logic_error for a second time.
  void add(std::initializer_list<std::string_view> parts, Operation operation);
  [[nodiscard]] const Operation* find(std::string_view opcode) const noexcept;
  [[nodiscard]] std::vector<std::string_view> opcodes() const;

 private:
  struct hash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>()(name);
    }
  };
  std::unordered_map<std::string, Operation, hash, std::equal_to<>> operations_;
};

/// All of them; what accesses memory by address is chosen by ptx/memory_forms.cpp.
[[nodiscard]] const OperationTable& operations();

// What each file of operations declares.
void declare_integer_arithmetic(OperationTable& table);
void declare_narrow_integers(OperationTable& table);
void declare_bits(OperationTable& table);
void declare_floating_arithmetic(OperationTable& table);
void declare_half_arithmetic(OperationTable& table);
void declare_half_choices(OperationTable& table);
void declare_approximations(OperationTable& table);
void declare_comparisons(OperationTable& table);
void declare_half_comparisons(OperationTable& table);
void declare_selections(OperationTable& table);
void declare_conversions_to_integers(OperationTable& table);
void declare_conversions_to_floats(OperationTable& table);
void declare_conversions_of_halves(OperationTable& table);
void declare_conversions_to_pairs(OperationTable& table);
void declare_moves(OperationTable& table);
void declare_collectives(OperationTable& table);
void declare_control(OperationTable& table);
void declare_builtins(OperationTable& table);
void declare_fences(OperationTable& table);
void declare_address_spaces(OperationTable& table);
void declare_clusters(OperationTable& table);

}  // namespace skerry::emulation
