// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/emulator/extent.hpp"
#include "device/emulator/ptx/module.hpp"

namespace skerry::emulation::ptx {

/// An element that is initialized with the address of a variable or function.
struct InitialAddress {
  std::size_t element = 0;
  std::string_view name{};
  std::uint64_t added = 0;
};

/// A declaration of a variable of a module, of a kernel's shared or local memory, or of a
/// parameter.
struct Declaration {
  std::string_view space{};  ///< such as ".shared"
  std::string_view name{};
  std::uint32_t alignment = 1;
  std::uint32_t element_nbytes = 1;
  std::uint64_t count = 1;
  bool is_unsized = false;               ///< `[]`: dynamic shared memory
  std::vector<std::uint64_t> initial{};  ///< of the first elements; the others are zero
  std::vector<InitialAddress> addresses{};

  [[nodiscard]] std::uint64_t nbytes() const noexcept { return element_nbytes * count; }
};

/// A kernel whose body has not been decoded yet.
struct EntrySource {
  std::string_view name{};
  std::vector<Parameter> parameters{};
  std::uint32_t parameter_nbytes = 0;
  std::uint32_t max_threads = 0;    ///< .maxntid or .reqntid; 0 if absent
  std::uint32_t max_registers = 0;  ///< .maxnreg; 0 if absent
  Extent cluster{0, 0, 0};          ///< .reqnctapercluster; 0 if absent
  std::string_view body{};
};

struct FunctionSource {
  std::string_view name;
  std::vector<Declaration> results;
  std::vector<Declaration> parameters;
  std::string_view body;
  bool is_defined = false;
  std::uint64_t address = 0;  ///< unique, and not mapped to memory
};

/// PTX text, and views of its declarations.
struct ModuleSource {
  std::string text;
  int target = 0;
  int version_major = 0;
  int version_minor = 0;
  std::vector<Variable> variables;
  std::unordered_map<std::string_view, std::size_t> variable_numbers;
  /// Initial addresses by variable, resolved after the whole text is read.
  std::vector<std::pair<std::size_t, InitialAddress>> pending_addresses;
  std::vector<Declaration> shared;
  std::vector<EntrySource> entries;
  std::unordered_map<std::string_view, FunctionSource> functions;
  std::vector<std::pair<std::string_view, std::string_view>> aliases;  ///< alias and target
  std::unordered_map<std::uint32_t, std::string_view> files;
  std::uint64_t first_function = 0;  ///< address of the first declared function
  bool is_extern = false;            ///< the next declaration is .extern
};

/// The newest supported version of PTX; newer ones are rejected with 222, as by a driver.
inline constexpr int newest_version_major = 9;
inline constexpr int newest_version_minor = 9;

/// Returns the size of the fat binary at `data`, including its header; throws ImageError(200).
[[nodiscard]] std::size_t fat_binary_size(const std::byte* data);

/// Returns the bytes of an image from a pointer: a fat binary contains its size, text ends with a
/// zero. Throws ImageError(200).
[[nodiscard]] std::span<const std::byte> image_at(const void* data);

/// Returns the PTX text of an image that a device of this capability would compile: see
/// Module::load.
[[nodiscard]] std::string text_of(std::span<const std::byte> image, int compute_capability);

/// Parses module_source.text; throws ImageError.
void parse_module(ModuleSource& module_source);

class Lexer;
/// Parses a declaration after its state space, such as `.align 8 .b8 name[16]`, up to the token
/// that follows it: `;`, `=`, `,` or `)`. The next names of a list are separate declarations.
[[nodiscard]] Declaration parse_declaration(Lexer& lexer, std::string_view space);
/// Parses a list such as `(.param .b64 a, .param .b32 b[4])`, after the opening parenthesis.
[[nodiscard]] std::vector<Declaration> parse_parameters(Lexer& lexer);
/// Returns the size of a type such as ".b32", or 0 for ".pred"; throws ImageError if it is not a
/// type.
[[nodiscard]] std::uint32_t size_of_type(std::string_view type);

/// Parses a PTX number literal; `nbytes` is the size of a floating-point one.
[[nodiscard]] std::uint64_t parse_number(std::string_view text, std::uint32_t nbytes = 8);

}  // namespace skerry::emulation::ptx
