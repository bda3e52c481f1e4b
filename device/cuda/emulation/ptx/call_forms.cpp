// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "device/cuda/emulation/ptx/call_graph.hpp"
#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

// Calls: of functions that are decoded in their place, of others by frames on a stack, of those
// that CUDA has.
namespace skerry::emulation::ptx {
namespace {

constexpr std::uint32_t parameter_alignment = 16;

[[nodiscard]] CallLayout layout_of(const std::vector<Declaration>& results,
                                   const std::vector<Declaration>& parameters) {
  CallLayout layout;
  const auto place = [&](const Declaration& one) {
    const auto nbytes = static_cast<std::uint32_t>(one.nbytes());
    // Compilers give what calls and what is called different alignments, which move nothing here.
    layout.nbytes =
        (layout.nbytes + parameter_alignment - 1) / parameter_alignment * parameter_alignment;
    layout.offsets.push_back(layout.nbytes);
    layout.nbytes += nbytes;
    layout.signature += std::to_string(nbytes) + " ";
  };
  std::ranges::for_each(results, place);
  layout.signature += "<- ";
  std::ranges::for_each(parameters, place);
  return layout;
}

}  // namespace

KernelDecoder::CallOperands KernelDecoder::operands_of(const Statement& what) {
  CallOperands found;
  for (const Operand& one : what.operands) {
    if (one.kind == OperandKind::list) {
      (found.function.empty() ? found.results : found.arguments) = &one;
    } else if (one.kind == OperandKind::name) {
      (found.function.empty() ? found.function : found.label) = one.text;
    } else {
      throw UnsupportedForm{};
    }
  }
  if (found.function.empty()) throw UnsupportedForm{};
  return found;
}

void KernelDecoder::add_call(const Statement& what) {
  const CallOperands how = operands_of(what);
  const auto function = from_.functions.find(how.function);
  if (function == from_.functions.end()) {
    const auto found = prototypes_.find(how.label);
    if (found == prototypes_.end()) throw UnsupportedForm{};
    return call_function(found->second, how, -1);
  }
  const FunctionSource& source = function->second;
  if (!source.is_defined) return add_builtin_call(how, source);
  if (const auto number = called_.find(how.function); number != called_.end()) {
    return call_function({source.results, source.parameters}, how, number->second);
  }
  if (guard_ == no_row) return inline_function(source, how);
  // Lanes that don't call go around it.
  is_guard_negated_ = !is_guard_negated_;
  const int braces = labels_.open(frame().braces.back());
  labels_.refer(braces, "", builder_.size());
  add({.flow = Control::branch});
  guard_ = no_row;
  inline_function(source, how);
  labels_.define(braces, "", builder_.size());
}

std::vector<std::shared_ptr<CallParameter>> KernelDecoder::given_parameters(const Operand* list,
                                                                            std::size_t count) {
  const std::size_t given = list == nullptr ? 0 : list->parts.size();
  if (given != count) throw UnsupportedForm{};
  std::vector<std::shared_ptr<CallParameter>> all;
  for (std::size_t k = 0; k < given; ++k) {
    const auto found = frame().parameters.find(list->parts[k].text);
    if (found == frame().parameters.end()) throw UnsupportedForm{};
    all.push_back(found->second);
  }
  return all;
}

void KernelDecoder::pass_parameters(const std::vector<Declaration>& names, const Operand* list,
                                    BodyFrame& into) {
  const auto given = given_parameters(list, names.size());
  for (std::size_t k = 0; k < given.size(); ++k) into.parameters[names[k].name] = given[k];
}

void KernelDecoder::inline_function(const FunctionSource& what, const CallOperands& how) {
  BodyFrame called{.is_kernel = false};
  pass_parameters(what.results, how.results, called);
  pass_parameters(what.parameters, how.arguments, called);
  called.scopes.emplace_back();
  called.braces.push_back(labels_.open(-1));
  const int braces = called.braces.front();
  frames_.push_back(std::move(called));
  const Place before = where_;
  walk(what.body);
  where_ = before;
  labels_.define(braces, "", builder_.size());
  frames_.pop_back();
}

void KernelDecoder::add_builtin_call(const CallOperands& how, const FunctionSource& declared) {
  const Operation* const form = operations().find("call." + std::string(declared.name));
  if (form == nullptr) {
    throw ImageError(code::invalid_ptx, "PTX: unresolved function " + std::string(declared.name));
  }
  const auto results = given_parameters(how.results, form->results.size());
  const auto arguments = given_parameters(how.arguments, form->arguments.size());
  Instruction one{.run = form->run, .flow = form->flow};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto cell = arguments[k]->cells.find(0);
    if (cell == arguments[k]->cells.end() || cell->second.nbytes != form->arguments[k]) {
      throw UnsupportedForm{};
    }
    one.source[k] = cell->second.at;
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::uint8_t nbytes = form->results[k];
    const auto [cell, is_new] = results[k]->cells.try_emplace(0);
    if (is_new) cell->second = {builder_.new_register(nbytes), nbytes};
    if (cell->second.nbytes != nbytes) throw UnsupportedForm{};
    one.destination[k] = cell->second.at;
    one.result_nbytes = nbytes;
  }
  if (one.flow == Control::barrier) one.barrier = BarrierKind::grid;
  if (one.source[0] != no_row) one.operand_nbytes = builder_.nbytes_of(one.source[0]);
  add(one);
}

/// All of those that are called are known before one of them is decoded.
void KernelDecoder::decode_functions() {
  const CallGraph graph(from_, entry_);
  std::vector<CalledFunction>& functions = builder_.code().functions;
  for (const std::string_view name : graph.called()) {
    const FunctionSource& what = from_.functions.at(name);
    called_[name] = static_cast<int>(functions.size());
    functions.push_back({.name = name,
                         .address = what.address,
                         .layout = layout_of(what.results, what.parameters)});
  }
  for (const std::string_view name : graph.called()) decode_function(from_.functions.at(name));
}

void KernelDecoder::decode_function(const FunctionSource& what) {
  begin_region();
  const int braces = labels_.open(-1);
  BodyFrame called{.is_kernel = false, .is_called = true};
  const auto number = static_cast<std::size_t>(called_.at(what.name));
  const CallLayout layout = builder_.code().functions[number].layout;
  std::size_t next = 0;
  const auto place = [&](const Declaration& one) {
    auto parameter = std::make_shared<CallParameter>();
    parameter->place = layout.offsets[next++];
    parameter->nbytes = static_cast<std::uint32_t>(one.nbytes());
    called.parameters[one.name] = std::move(parameter);
  };
  std::ranges::for_each(what.results, place);
  std::ranges::for_each(what.parameters, place);
  called.scopes.emplace_back();
  called.braces.push_back(braces);
  frames_.push_back(std::move(called));
  (void)take_local(layout.nbytes, 1);
  walk(what.body);
  where_.text = "end of a function";
  guard_ = no_row;
  add({.flow = Control::leave});
  end_region();
  frames_.pop_back();
  CalledFunction& decoded = builder_.code().functions[number];
  decoded.entry = region_begin_;
  decoded.frame_nbytes = frame_nbytes_;
}

void KernelDecoder::copy_in_frame(std::int64_t from, std::int64_t to, std::uint32_t nbytes) {
  const Operation* const form = operations().find("copy.frame");
  Instruction one{.run = form->run, .immediate = from};
  one.source = {builder_.special({.what = &frame_address}),
                builder_.constant(8, static_cast<std::uint64_t>(to)), builder_.constant(4, nbytes),
                no_row, no_row};
  one.operand_nbytes = 8;
  add(one);
}

void KernelDecoder::push_arguments(const std::vector<std::shared_ptr<CallParameter>>& given,
                                   const CallLayout& layout, std::size_t first) {
  const auto reaches_behind_frame = [&] { behind_frame_.push_back(builder_.size()); };
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::int64_t to = layout.offsets[first + k];
    for (const auto& [offset, cell] : given[k]->cells) {
      reaches_behind_frame();
      store_in_frame(cell.at, cell.nbytes, to + offset);
    }
  }
}

/// They are moved into the caller's frame: another call may come before they are read.
void KernelDecoder::take_results(const std::vector<std::shared_ptr<CallParameter>>& given,
                                 const CallOperands& how, const CallLayout& layout) {
  for (std::size_t k = 0; k < given.size(); ++k) {
    CallParameter& into = *given[k];
    if (into.place < 0) {
      // Every call of a function declares the same names anew.
      auto [slot, is_new] = result_slots_.try_emplace(how.results->parts[k].text);
      if (is_new || slot->second.nbytes < into.nbytes) {
        slot->second = {take_local(into.nbytes, std::max(8U, into.alignment)), into.nbytes};
      }
      into.place = slot->second.place;
    }
    behind_frame_.push_back(builder_.size());
    copy_in_frame(layout.offsets[k], into.place, into.nbytes);
  }
}

void KernelDecoder::call_function(const Prototype& of, const CallOperands& how, int function) {
  const CallLayout layout = layout_of(of.results, of.parameters);
  const auto results = given_parameters(how.results, of.results.size());
  const auto arguments = given_parameters(how.arguments, of.parameters.size());
  Program& code = builder_.code();
  const bool are_cells =
      std::ranges::all_of(arguments, [](const auto& one) { return one->place < 0; });
  if (!are_cells) throw UnsupportedForm{};
  Instruction one{.target = static_cast<std::uint32_t>(code.call_sites.size()),
                  .flow = Control::call};
  if (function < 0) {
    one.source[0] = find_register(how.function);
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
  take_results(results, how, layout);
}

}  // namespace skerry::emulation::ptx
