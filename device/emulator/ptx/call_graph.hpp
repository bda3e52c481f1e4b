// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device/emulator/ptx/module_source.hpp"

namespace skerry::emulation::ptx {

/// The functions that a kernel calls. Most are inlined at each of their calls, which is fastest.
/// The others are decoded once, and a call of them creates a frame on a stack.
class CallGraph {
 public:
  CallGraph(const ModuleSource& module_source, const EntrySource& entry);

  /// Returns the functions that are not inlined: recursive ones, ones whose address is taken or
  /// that take the address of a parameter, and large ones that are called from several places.
  [[nodiscard]] const std::vector<std::string_view>& called() const noexcept { return called_; }

 private:
  struct BodyAttributes {
    std::vector<std::string_view> calls;
    std::vector<std::string_view> addresses;  ///< functions that are named but not called
    bool calls_addresses = false;
    bool takes_parameter_address = false;
    std::size_t statements = 0;
  };

  [[nodiscard]] BodyAttributes attributes_of(std::string_view body,
                                             const FunctionSource* function) const;
  /// Returns the number of statements that a call of the function becomes.
  std::size_t visit(std::string_view function);
  std::size_t visit_calls(const BodyAttributes& attributes);
  void visit_addresses();
  void call(std::string_view function);

  const ModuleSource& module_source_;
  std::vector<std::string_view> called_;
  std::unordered_set<std::string_view> is_called_;
  std::unordered_set<std::string_view> path_;
  std::unordered_map<std::string_view, std::size_t> sizes_;
  std::unordered_map<std::string_view, std::size_t> callers_;
  bool calls_addresses_ = false;
};

}  // namespace skerry::emulation::ptx
