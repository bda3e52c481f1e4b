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

/// A parameter of a call: the values that are stored into it, by their offset.
using call_parameter = std::map<std::int64_t, row>;

/// The body of a kernel or, in its place, of a function that it calls.
struct body_frame {
  std::vector<scope> scopes{};
  std::vector<int> braces{};  ///< of label_table, in the order of the scopes
  std::unordered_map<std::string_view, std::shared_ptr<call_parameter>> parameters{};
  bool is_kernel = true;
};

/// Reads a kernel's body into a builder. Functions are decoded in the place of their calls: there
/// is no stack, and recursion is not supported.
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
  void declare_variable(const declaration& what);
  void add_statement(const statement& what);
  void add_instruction(const statement& what);
  void add(instruction what);
  void add_branch(const statement& what);
  void add_call(const statement& what);
  void inline_function(const function_source& what, const statement& call);
  void pass_parameters(const std::vector<declaration>& names, const operand* list,
                       body_frame& into);

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
                   std::size_t& next, bool may_be_wider);
  void set_arguments(instruction& into, const operation& form, const statement& what,
                     std::size_t next, bool may_be_wider);
  void add_move(const statement& what);
  void add_vector_move(const statement& what, bool packs);
  void add_barrier(const statement& what);

  // memory_forms.cpp
  void add_load(const statement& what);
  void add_store(const statement& what);
  void add_atomic(const statement& what, bool has_result);
  void add_copy(const statement& what);
  void add_bulk_copy(const statement& what);
  void add_mbarrier(const statement& what);
  [[nodiscard]] bool add_parameter_move(const statement& what, bool is_load);
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
  std::uint32_t dynamic_alignment_ = 16;
  place where_;
  row guard_ = no_row;
  bool is_guard_negated_ = false;
  bool uses_dynamic_address_ = false;
};

}  // namespace skerry::emulation::ptx
