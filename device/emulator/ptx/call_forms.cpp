// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "device/emulator/ptx/call_graph.hpp"
#include "device/emulator/ptx/kernel_decoder.hpp"

// Calls of inlined functions, of functions with frames on a stack, and of CUDA's built-in
// functions.
namespace skerry::emulation::ptx {
namespace {

constexpr std::uint32_t parameter_alignment = 16;

[[nodiscard]] CallLayout layout_of(const std::vector<Declaration>& results,
                                   const std::vector<Declaration>& parameters) {
  CallLayout layout;
  const auto add_parameter = [&](const Declaration& one) {
    const auto nbytes = static_cast<std::uint32_t>(one.nbytes());
    // The declared alignment is not used: callers and callees may declare different ones.
    layout.nbytes =
        (layout.nbytes + parameter_alignment - 1) / parameter_alignment * parameter_alignment;
    layout.offsets.push_back(layout.nbytes);
    layout.nbytes += nbytes;
    layout.signature += std::to_string(nbytes) + " ";
  };
  std::ranges::for_each(results, add_parameter);
  layout.signature += "<- ";
  std::ranges::for_each(parameters, add_parameter);
  return layout;
}

}  // namespace

KernelDecoder::CallOperands KernelDecoder::operands_of(const Statement& statement) {
  CallOperands operands;
  for (const Operand& one : statement.operands) {
    if (one.kind == OperandKind::list) {
      (operands.function.empty() ? operands.results : operands.arguments) = &one;
    } else if (one.kind == OperandKind::name) {
      (operands.function.empty() ? operands.function : operands.label) = one.text;
    } else {
      throw UnsupportedForm{};
    }
  }
  if (operands.function.empty()) throw UnsupportedForm{};
  return operands;
}

void KernelDecoder::add_call(const Statement& statement) {
  const CallOperands operands = operands_of(statement);
  const auto function = module_source_.functions.find(operands.function);
  if (function == module_source_.functions.end()) {
    const auto prototype = prototypes_.find(operands.label);
    if (prototype == prototypes_.end()) throw UnsupportedForm{};
    return call_function(prototype->second, operands, -1);
  }
  const FunctionSource& source = function->second;
  if (!source.is_defined) return add_builtin_call(operands, source);
  if (const auto number = called_.find(operands.function); number != called_.end()) {
    return call_function({source.results, source.parameters}, operands, number->second);
  }
  if (guard_ == no_row) return inline_function(source, operands);
  // Lanes that do not call branch around the inlined body.
  is_guard_negated_ = !is_guard_negated_;
  const int label_scope = labels_.open(frame().label_scopes.back());
  labels_.refer(label_scope, "", builder_.size());
  add({.flow = Control::branch});
  guard_ = no_row;
  inline_function(source, operands);
  labels_.define(label_scope, "", builder_.size());
}

std::vector<std::shared_ptr<CallParameter>> KernelDecoder::find_call_parameters(const Operand* list,
                                                                                std::size_t count) {
  const std::size_t actual_count = list == nullptr ? 0 : list->parts.size();
  if (actual_count != count) throw UnsupportedForm{};
  std::vector<std::shared_ptr<CallParameter>> all;
  for (std::size_t k = 0; k < actual_count; ++k) {
    const auto parameter = frame().parameters.find(list->parts[k].text);
    if (parameter == frame().parameters.end()) throw UnsupportedForm{};
    all.push_back(parameter->second);
  }
  return all;
}

void KernelDecoder::pass_parameters(const std::vector<Declaration>& names, const Operand* list,
                                    BodyFrame& callee_frame) {
  const auto call_parameters = find_call_parameters(list, names.size());
  for (std::size_t k = 0; k < call_parameters.size(); ++k)
    callee_frame.parameters[names[k].name] = call_parameters[k];
}

void KernelDecoder::inline_function(const FunctionSource& function, const CallOperands& operands) {
  BodyFrame called{.is_kernel = false};
  pass_parameters(function.results, operands.results, called);
  pass_parameters(function.parameters, operands.arguments, called);
  called.scopes.emplace_back();
  called.label_scopes.push_back(labels_.open(-1));
  const int label_scope = called.label_scopes.front();
  frames_.push_back(std::move(called));
  const SourceLocation saved_location = location_;
  decode_body(function.body);
  location_ = saved_location;
  labels_.define(label_scope, "", builder_.size());
  frames_.pop_back();
}

void KernelDecoder::add_builtin_call(const CallOperands& operands, const FunctionSource& declared) {
  const Operation* const operation = operations().find("call." + std::string(declared.name));
  if (operation == nullptr) {
    throw ImageError(code::invalid_ptx, "PTX: unresolved function " + std::string(declared.name));
  }
  const auto results = find_call_parameters(operands.results, operation->results.size());
  const auto arguments = find_call_parameters(operands.arguments, operation->arguments.size());
  Instruction one{.execute = operation->execute, .flow = operation->flow};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto cell = arguments[k]->cells.find(0);
    if (cell == arguments[k]->cells.end() || cell->second.nbytes != operation->arguments[k]) {
      throw UnsupportedForm{};
    }
    one.source[k] = cell->second.register_row;
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::uint8_t nbytes = operation->results[k];
    const auto [cell, is_new] = results[k]->cells.try_emplace(0);
    if (is_new) cell->second = {builder_.new_register(nbytes), nbytes};
    if (cell->second.nbytes != nbytes) throw UnsupportedForm{};
    one.destination[k] = cell->second.register_row;
    one.result_nbytes = nbytes;
  }
  if (one.flow == Control::barrier) one.barrier = BarrierKind::grid;
  if (one.source[0] != no_row) one.operand_nbytes = builder_.nbytes_of(one.source[0]);
  add(one);
}

/// Decodes the called functions. All are registered first, since they may call each other.
void KernelDecoder::decode_functions() {
  const CallGraph graph(module_source_, entry_);
  std::vector<CalledFunction>& functions = builder_.code().functions;
  for (const std::string_view name : graph.called()) {
    const FunctionSource& function = module_source_.functions.at(name);
    called_[name] = static_cast<int>(functions.size());
    functions.push_back({.name = name,
                         .address = function.address,
                         .layout = layout_of(function.results, function.parameters)});
  }
  for (const std::string_view name : graph.called())
    decode_function(module_source_.functions.at(name));
}

void KernelDecoder::decode_function(const FunctionSource& function) {
  begin_region();
  const int label_scope = labels_.open(-1);
  BodyFrame called{.is_kernel = false, .is_called = true};
  const auto number = static_cast<std::size_t>(called_.at(function.name));
  const CallLayout layout = builder_.code().functions[number].layout;
  std::size_t next = 0;
  const auto add_parameter = [&](const Declaration& one) {
    auto parameter = std::make_shared<CallParameter>();
    parameter->frame_offset = layout.offsets[next++];
    parameter->nbytes = static_cast<std::uint32_t>(one.nbytes());
    called.parameters[one.name] = std::move(parameter);
  };
  std::ranges::for_each(function.results, add_parameter);
  std::ranges::for_each(function.parameters, add_parameter);
  called.scopes.emplace_back();
  called.label_scopes.push_back(label_scope);
  frames_.push_back(std::move(called));
  (void)take_local(layout.nbytes, 1);
  decode_body(function.body);
  location_.text = "end of a function";
  guard_ = no_row;
  add({.flow = Control::ret});
  end_region();
  frames_.pop_back();
  CalledFunction& decoded = builder_.code().functions[number];
  decoded.entry = region_begin_;
  decoded.frame_nbytes = frame_nbytes_;
}

void KernelDecoder::copy_in_frame(std::int64_t source_offset, std::int64_t destination_offset,
                                  std::uint32_t nbytes) {
  const Operation* const operation = operations().find("copy.frame");
  Instruction one{.execute = operation->execute, .immediate = source_offset};
  one.source = {builder_.special({.special_register = &frame_address}),
                builder_.constant(8, static_cast<std::uint64_t>(destination_offset)),
                builder_.constant(4, nbytes), no_row, no_row};
  one.operand_nbytes = 8;
  add(one);
}

void KernelDecoder::push_arguments(const std::vector<std::shared_ptr<CallParameter>>& arguments,
                                   const CallLayout& layout, std::size_t first) {
  const auto reaches_behind_frame = [&] { behind_frame_.push_back(builder_.size()); };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::int64_t destination_offset = layout.offsets[first + k];
    for (const auto& [offset, cell] : arguments[k]->cells) {
      reaches_behind_frame();
      store_in_frame(cell.register_row, cell.nbytes, destination_offset + offset);
    }
  }
}

/// Copies results to the caller's frame: another call may follow before they are read.
void KernelDecoder::take_results(const std::vector<std::shared_ptr<CallParameter>>& results,
                                 const CallOperands& operands, const CallLayout& layout) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    CallParameter& result = *results[k];
    if (result.frame_offset < 0) {
      // PTX declares the results of every call anew, usually with the same names: these share a
      // slot.
      auto [slot, is_new] = result_slots_.try_emplace(operands.results->parts[k].text);
      if (is_new || slot->second.nbytes < result.nbytes) {
        slot->second = {take_local(result.nbytes, std::max(8U, result.alignment)), result.nbytes};
      }
      result.frame_offset = slot->second.frame_offset;
    }
    behind_frame_.push_back(builder_.size());
    copy_in_frame(layout.offsets[k], result.frame_offset, result.nbytes);
  }
}

void KernelDecoder::call_function(const Prototype& prototype, const CallOperands& operands,
                                  int function) {
  const CallLayout layout = layout_of(prototype.results, prototype.parameters);
  const auto results = find_call_parameters(operands.results, prototype.results.size());
  const auto arguments = find_call_parameters(operands.arguments, prototype.parameters.size());
  Program& code = builder_.code();
  const bool are_cells =
      std::ranges::all_of(arguments, [](const auto& one) { return one->frame_offset < 0; });
  if (!are_cells) throw UnsupportedForm{};
  Instruction one{.target = static_cast<std::uint32_t>(code.call_sites.size()),
                  .flow = Control::call};
  if (function < 0) {
    one.source[0] = find_register(operands.function);
    if (one.source[0] == no_row || builder_.nbytes_of(one.source[0]) != 8) {
      throw UnsupportedForm{};
    }
  }
  push_arguments(arguments, layout, results.size());
  CallSite& site = code.call_sites.emplace_back();
  site.function = function;
  site.signature = layout.signature;
  code.argument_nbytes = std::max(code.argument_nbytes, layout.nbytes);
  behind_frame_.push_back(builder_.size());
  add(one);
  take_results(results, operands, layout);
}

}  // namespace skerry::emulation::ptx
