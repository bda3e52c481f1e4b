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

/// Operand size that stands for a predicate, which has one bit per lane.
inline constexpr std::uint8_t predicate_nbytes = 0;

/// The handler of an opcode and the operands that it takes.
struct Operation {
  handler execute = nullptr;
  Control flow = Control::sequential;
  std::vector<std::uint8_t> results{};    ///< sizes of the destinations
  std::vector<std::uint8_t> arguments{};  ///< sizes of the sources
  std::size_t optional_results = 0;       ///< number of results at the end that may be omitted
  std::size_t optional_arguments = 0;
  /// Index of the argument that is the member mask of a collective; it is not a source of the
  /// handler.
  int members = -1;
  // Conversions accept registers that are wider than their types (PTX ISA, Operand Size Exceeding
  // Instruction-Type Size).
  bool may_result_be_wider = false;
  bool may_argument_be_wider = false;
  std::int64_t immediate = 0;  ///< for handlers that serve several operations
};

// Names of operations that the decoder chooses. They contain a star, which no PTX opcode does.
inline constexpr std::string_view pack_prefix = "*pack.";
inline constexpr std::string_view unpack_prefix = "*unpack.";
inline constexpr std::string_view clock_prefix = "*clock.";
/// Prefix of cache hints. Caches are not simulated, so the operands are not evaluated.
inline constexpr std::string_view hint_prefix = "*";

/// The operations of all opcodes with fixed operands, by every name that PTX has for them.
class OperationTable {
 public:
  /// Throws std::logic_error if the opcode is already declared.
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

/// Returns the table of all operations. Memory accesses are not in it: ptx/memory_forms.cpp and
/// ptx/copy_forms.cpp select their handlers.
[[nodiscard]] const OperationTable& operations();

// Each function adds the operations of the source file of that name.
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
