// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/emulator/execute/operation.hpp"
#include "device/emulator/ptx/builder.hpp"
#include "device/emulator/ptx/module_source.hpp"
#include "device/emulator/ptx/scope.hpp"
#include "device/emulator/ptx/statement.hpp"

namespace skerry::emulation::ptx {

/// Thrown inside the decoder. The instruction then becomes one that fails the kernel when it is
/// executed.
struct UnsupportedForm {};

/// A parameter or result of a call: registers by their offset, or bytes of the frame if the
/// function is called rather than inlined.
struct CallParameter {
  struct Cell {
    row register_row = no_row;
    std::uint8_t nbytes = 0;  ///< in memory
  };
  std::map<std::int64_t, Cell> cells;
  std::int64_t frame_offset = -1;  ///< position in the frame; -1: in registers
  std::int64_t spill_offset = -1;
  std::uint32_t nbytes = 0;
  std::uint32_t alignment = 1;
};

/// The prototype of a call through an address.
struct Prototype {
  std::vector<Declaration> results;
  std::vector<Declaration> parameters;
};

/// The body that is being decoded: of a kernel or of a function that it calls.
struct BodyFrame {
  std::vector<Scope> scopes{};
  std::vector<int> label_scopes{};  ///< of LabelTable, parallel to `scopes`
  std::unordered_map<std::string_view, std::shared_ptr<CallParameter>> parameters{};
  bool is_kernel = true;
  bool is_called = false;  ///< a function that is called, with its own frame
};

/// Decodes a kernel's body into a Builder, after the functions that it calls; other functions are
/// inlined.
class KernelDecoder {
 public:
  KernelDecoder(const ModuleSource& module_source, const EntrySource& entry);
  /// Decodes the kernel. Unknown instructions become ones that fail the kernel; throws ImageError
  /// if the text is not PTX.
  [[nodiscard]] std::unique_ptr<const Program> decode();

 private:
  // kernel_decoder.cpp
  void decode_body(std::string_view body);
  void directive(const Token& first, Lexer& lexer);
  void add_label(std::string_view name, Lexer& lexer);
  void declare_variable(const Declaration& declaration);
  void add_statement(const Statement& statement);
  void add_instruction(const Statement& statement);
  void add(Instruction instruction);
  void add_return(const Statement& statement);
  void add_branch(const Statement& statement);
  void add_branch_table(const Statement& statement);
  void branch_targets(std::string_view label, Lexer& lexer);
  void call_prototype(std::string_view label, Lexer& lexer);
  void begin_region();
  void end_region();
  [[nodiscard]] std::uint32_t take_local(std::uint32_t nbytes, std::uint32_t alignment);
  [[nodiscard]] row local_address_row(std::uint64_t offset);

  // call_forms.cpp
  struct CallOperands {
    std::string_view function;
    std::string_view label;  ///< of a prototype
    const Operand* results = nullptr;
    const Operand* arguments = nullptr;
  };
  [[nodiscard]] static CallOperands operands_of(const Statement& statement);
  void add_call(const Statement& statement);
  void add_builtin_call(const CallOperands& operands, const FunctionSource& declared);
  void decode_functions();
  void decode_function(const FunctionSource& function);
  void inline_function(const FunctionSource& function, const CallOperands& operands);
  void call_function(const Prototype& prototype, const CallOperands& operands, int function);
  void push_arguments(const std::vector<std::shared_ptr<CallParameter>>& arguments,
                      const CallLayout& layout, std::size_t first);
  void take_results(const std::vector<std::shared_ptr<CallParameter>>& results,
                    const CallOperands& operands, const CallLayout& layout);
  void copy_in_frame(std::int64_t source_offset, std::int64_t destination_offset,
                     std::uint32_t nbytes);
  [[nodiscard]] std::vector<std::shared_ptr<CallParameter>> find_call_parameters(
      const Operand* list, std::size_t count);
  void pass_parameters(const std::vector<Declaration>& names, const Operand* list,
                       BodyFrame& callee_frame);

  // parameter_forms.cpp
  [[nodiscard]] bool add_parameter_move(const Statement& statement, bool is_load);
  void store_cell(CallParameter& parameter, std::int64_t offset, std::uint8_t nbytes,
                  const Operand& operand);
  void load_cell(const CallParameter::Cell& cell, std::string_view type, row destination_row);
  void move_in_frame(const Statement& statement, const CallParameter& parameter, bool is_load);
  void add_between(std::string_view opcode, row destination_row, row source_row,
                   row second = no_row);
  void store_in_frame(row source_row, std::uint8_t nbytes, std::int64_t frame_offset);
  [[nodiscard]] CallParameter spilled(CallParameter& parameter);

  // operands.cpp
  [[nodiscard]] row find_register(std::string_view name);
  [[nodiscard]] row source(const Operand& operand, std::uint8_t nbytes);
  [[nodiscard]] row named_source(const Operand& operand, std::uint8_t nbytes);
  [[nodiscard]] row number_source(const Operand& operand, std::uint8_t nbytes);
  [[nodiscard]] row symbol_address(std::string_view name, std::int64_t offset, std::uint8_t nbytes);
  [[nodiscard]] row destination(std::string_view name);
  void set_address(Instruction& instruction, const Operand& operand, bool is_parameter);
  [[nodiscard]] const Declaration* find_shared(std::string_view name) const;
  [[nodiscard]] std::uint32_t shared_offset_of(const Declaration& declaration);

  // forms.cpp
  void add_table_form(const Statement& statement, const Operation& operation);
  void set_results(Instruction& instruction, const Operation& operation, const Statement& statement,
                   std::size_t& next);
  void set_arguments(Instruction& instruction, const Operation& operation,
                     const Statement& statement, std::size_t next);
  void add_move(const Statement& statement);
  void add_vector_move(const Statement& statement, bool packs);
  void add_barrier(const Statement& statement);

  // memory_forms.cpp and copy_forms.cpp
  void add_load(const Statement& statement);
  void add_store(const Statement& statement);
  void add_atomic(const Statement& statement, bool has_result);
  void add_cache_hint(const Statement& statement);
  void add_copy(const Statement& statement);
  void add_arrival_of_copies(const Statement& statement);
  void add_bulk_copy(const Statement& statement);
  void add_mbarrier(const Statement& statement);
  [[nodiscard]] std::uint8_t set_vector(const Operand& operand, std::array<row, 4>* destinations,
                                        std::array<row, 5>* sources, Instruction& instruction,
                                        std::uint8_t element_nbytes);

  [[nodiscard]] BodyFrame& frame() { return frames_.back(); }

  const ModuleSource& module_source_;
  const EntrySource& entry_;
  Builder builder_;
  LabelTable labels_;
  std::vector<BodyFrame> frames_;
  std::unordered_map<std::string_view, Declaration> shared_;
  std::unordered_map<std::string_view, std::uint32_t> shared_offsets_;
  std::unordered_map<std::string_view, std::uint32_t> local_offsets_;
  std::unordered_map<std::string_view, std::size_t> tables_;  ///< index by label
  std::unordered_map<std::string_view, Prototype> prototypes_;
  std::unordered_map<std::string_view, int> called_;  ///< index into Program::functions by name
  std::uint32_t region_begin_ = 0;
  std::uint32_t frame_nbytes_ = 0;         ///< of the current function, so far
  std::vector<std::size_t> behind_frame_;  ///< instructions that access the callee's frame
  struct ResultSlot {
    std::uint32_t frame_offset = 0;
    std::uint32_t nbytes = 0;
  };
  std::unordered_map<std::string_view, ResultSlot> result_slots_;
  std::uint32_t dynamic_alignment_ = 16;
  SourceLocation location_;
  row guard_ = no_row;
  bool is_guard_negated_ = false;
  bool uses_dynamic_address_ = false;
};

}  // namespace skerry::emulation::ptx
