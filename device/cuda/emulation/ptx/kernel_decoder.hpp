// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/cuda/emulation/execute/operation.hpp"
#include "device/cuda/emulation/ptx/builder.hpp"
#include "device/cuda/emulation/ptx/module_source.hpp"
#include "device/cuda/emulation/ptx/scope.hpp"
#include "device/cuda/emulation/ptx/statement.hpp"

namespace skerry::emulation::ptx {

/// Thrown inside of the decoder: the instruction becomes one that stops the kernel.
struct unsupported_form {};

/// A parameter of a call, or what it returns: registers by their offset in it, or bytes of the
/// frame, where the function that is called is not decoded in the place of the call.
struct call_parameter {
  struct cell {
    row at = no_row;
    std::uint8_t nbytes = 0;  ///< in memory
  };
  std::map<std::int64_t, cell> cells;
  std::int64_t place = -1;  ///< in the frame; -1: registers
  std::int64_t spilled_at = -1;
  std::uint32_t nbytes = 0;
  std::uint32_t alignment = 1;
};

/// What a call through an address says of the function.
struct prototype {
  std::vector<declaration> results;
  std::vector<declaration> parameters;
};

/// The body of a kernel or, in its place, of a function that it calls.
struct body_frame {
  std::vector<scope> scopes{};
  std::vector<int> braces{};  ///< of label_table, in the order of the scopes
  std::unordered_map<std::string_view, std::shared_ptr<call_parameter>> parameters{};
  bool is_kernel = true;
  bool is_called = false;  ///< a function with a frame of its own
};

/// Reads a kernel's body into a builder, behind those of functions that are called; the others are
/// decoded in the place of their calls.
class kernel_decoder {
 public:
  kernel_decoder(const module_source& from, const entry_source& entry);
  /// The kernel as instructions that can be run. What is not known becomes an instruction that
  /// stops the kernel; throws image_error for what is not PTX.
  [[nodiscard]] std::unique_ptr<const program> decode();

 private:
  // kernel_decoder.cpp
  void walk(std::string_view body);
  void directive(const token& first, lexer& from);
  void add_label(std::string_view name, lexer& from);
  void declare_variable(const declaration& what);
  void add_statement(const statement& what);
  void add_instruction(const statement& what);
  void add(instruction what);
  void add_return(const statement& what);
  void add_branch(const statement& what);
  void add_branch_table(const statement& what);
  void branch_targets(std::string_view label, lexer& from);
  void call_prototype(std::string_view label, lexer& from);
  void begin_region();
  void end_region();
  [[nodiscard]] std::uint32_t take_local(std::uint32_t nbytes, std::uint32_t alignment);
  [[nodiscard]] row local_place(std::uint64_t offset);

  // call_forms.cpp
  struct call_operands {
    std::string_view function;
    std::string_view label;  ///< of a prototype
    const operand* results = nullptr;
    const operand* arguments = nullptr;
  };
  [[nodiscard]] static call_operands operands_of(const statement& what);
  void add_call(const statement& what);
  void add_builtin_call(const call_operands& how, const function_source& declared);
  void decode_functions();
  void decode_function(const function_source& what);
  void inline_function(const function_source& what, const call_operands& how);
  void call_function(const prototype& of, const call_operands& how, int function);
  void push_arguments(const std::vector<std::shared_ptr<call_parameter>>& given,
                      const call_layout& layout, std::size_t first);
  void take_results(const std::vector<std::shared_ptr<call_parameter>>& given,
                    const call_operands& how, const call_layout& layout);
  void copy_in_frame(std::int64_t from, std::int64_t to, std::uint32_t nbytes);
  [[nodiscard]] std::vector<std::shared_ptr<call_parameter>> given_parameters(const operand* list,
                                                                              std::size_t count);
  void pass_parameters(const std::vector<declaration>& names, const operand* list,
                       body_frame& into);

  // parameter_forms.cpp
  [[nodiscard]] bool add_parameter_move(const statement& what, bool is_load);
  void store_cell(call_parameter& into, std::int64_t offset, std::uint8_t nbytes,
                  const operand& from);
  void load_cell(const call_parameter::cell& from, std::string_view type, row to);
  void move_in_frame(const statement& what, const call_parameter& parameter, bool is_load);
  void add_between(std::string_view opcode, row to, row from, row second = no_row);
  void store_in_frame(row from, std::uint8_t nbytes, std::int64_t at);
  [[nodiscard]] call_parameter spilled(call_parameter& what);

  // operands.cpp
  [[nodiscard]] row find_register(std::string_view name);
  [[nodiscard]] row source(const operand& from, std::uint8_t nbytes);
  [[nodiscard]] row named_source(const operand& from, std::uint8_t nbytes);
  [[nodiscard]] row number_source(const operand& from, std::uint8_t nbytes);
  [[nodiscard]] row symbol_address(std::string_view name, std::int64_t offset, std::uint8_t nbytes);
  [[nodiscard]] row destination(std::string_view name);
  void set_address(instruction& into, const operand& from, bool is_parameter);
  [[nodiscard]] const declaration* find_shared(std::string_view name) const;
  [[nodiscard]] std::uint32_t place_of_shared(const declaration& what);

  // forms.cpp
  void add_table_form(const statement& what, const operation& form);
  void set_results(instruction& into, const operation& form, const statement& what,
                   std::size_t& next);
  void set_arguments(instruction& into, const operation& form, const statement& what,
                     std::size_t next);
  void add_move(const statement& what);
  void add_vector_move(const statement& what, bool packs);
  void add_barrier(const statement& what);

  // memory_forms.cpp
  void add_load(const statement& what);
  void add_store(const statement& what);
  void add_atomic(const statement& what, bool has_result);
  void add_cache_hint(const statement& what);
  void add_copy(const statement& what);
  void add_arrival_of_copies(const statement& what);
  void add_bulk_copy(const statement& what);
  void add_mbarrier(const statement& what);
  [[nodiscard]] std::uint8_t set_vector(const operand& from, std::array<row, 4>* destinations,
                                        std::array<row, 5>* sources, instruction& into,
                                        std::uint8_t element_nbytes);

  [[nodiscard]] body_frame& frame() { return frames_.back(); }

  const module_source& from_;
  const entry_source& entry_;
  builder builder_;
  label_table labels_;
  std::vector<body_frame> frames_;
  std::unordered_map<std::string_view, declaration> shared_;
  std::unordered_map<std::string_view, std::uint32_t> shared_places_;
  std::unordered_map<std::string_view, std::uint32_t> local_places_;
  std::unordered_map<std::string_view, std::size_t> tables_;  ///< by their label
  std::unordered_map<std::string_view, prototype> prototypes_;
  std::unordered_map<std::string_view, int> called_;  ///< program::functions by name
  std::uint32_t region_begin_ = 0;
  std::uint32_t frame_nbytes_ = 0;         ///< of what is decoded, so far
  std::vector<std::size_t> behind_frame_;  ///< instructions that access the callee's frame
  struct result_slot {
    std::uint32_t place = 0;
    std::uint32_t nbytes = 0;
  };
  std::unordered_map<std::string_view, result_slot> result_slots_;
  std::uint32_t dynamic_alignment_ = 16;
  place where_;
  row guard_ = no_row;
  bool is_guard_negated_ = false;
  bool uses_dynamic_address_ = false;
};

}  // namespace skerry::emulation::ptx
