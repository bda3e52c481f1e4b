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

/// An element whose initial value is an address: of a variable or a function.
struct InitialAddress {
  std::size_t element = 0;
  std::string_view name{};
  std::uint64_t added = 0;
};

/// A variable as it is declared: of a module, a kernel's shared or local memory, or a parameter.
struct Declaration {
  std::string_view space{};  ///< such as ".shared"
  std::string_view name{};
  std::uint32_t alignment = 1;
  std::uint32_t element_nbytes = 1;
  std::uint64_t count = 1;
  bool is_unsized = false;               ///< `[]`: the dynamic shared memory
  std::vector<std::uint64_t> initial{};  ///< of the first elements
  std::vector<InitialAddress> addresses{};

  [[nodiscard]] std::uint64_t nbytes() const noexcept { return element_nbytes * count; }
};

/// A kernel whose body is not read yet.
struct EntrySource {
  std::string_view name{};
  std::vector<Parameter> parameters{};
  std::uint32_t parameter_nbytes = 0;
  std::uint32_t max_threads = 0;    ///< .maxntid or .reqntid; 0 if there is none
  std::uint32_t max_registers = 0;  ///< .maxnreg; 0 if there is none
  Extent cluster{0, 0, 0};          ///< .reqnctapercluster; 0 if there is none
  std::string_view body{};
};

struct FunctionSource {
  std::string_view name;
  std::vector<Declaration> results;
  std::vector<Declaration> parameters;
  std::string_view body;
  bool is_defined = false;
  std::uint64_t address = 0;  ///< unlike any other, and of no memory
};

/// PTX text, with views of what it declares.
struct ModuleSource {
  std::string text;
  int target = 0;
  int version_major = 0;
  int version_minor = 0;
  std::vector<Variable> variables;
  std::unordered_map<std::string_view, std::size_t> variable_numbers;
  /// By a variable's number: what is not known before all of the text is read.
  std::vector<std::pair<std::size_t, InitialAddress>> pending_addresses;
  std::vector<Declaration> shared;
  std::vector<EntrySource> entries;
  std::unordered_map<std::string_view, FunctionSource> functions;
  std::vector<std::pair<std::string_view, std::string_view>> aliases;  ///< and what they stand for
  std::unordered_map<std::uint32_t, std::string_view> files;
  std::uint64_t first_function = 0;  ///< the address of the first one that is declared
  bool is_extern = false;            ///< what is declared next
};

/// The newest version that is understood; a driver refuses newer ones with 222.
inline constexpr int newest_version_major = 9;
inline constexpr int newest_version_minor = 9;

/// The size of the fat binary that begins at `data`, its header included; throws ImageError(200).
[[nodiscard]] std::size_t fat_binary_size(const std::byte* data);

/// The bytes of an image that a pointer alone is given of: a fat binary says its size, text ends
/// with a zero. Throws ImageError(200).
[[nodiscard]] std::span<const std::byte> image_at(const void* data);

/// The PTX text in an image that a device of this capability would compile: see module::load.
[[nodiscard]] std::string text_of(std::span<const std::byte> image, int compute_capability);

/// Throws ImageError.
void parse_module(ModuleSource& module_source);

/// One declaration, from behind its space, such as `.align 8 .b8 name[16]`: up to what comes after
/// it, such as `;`, `=`, `,` or `)`. A list of names declares several.
class Lexer;
[[nodiscard]] Declaration parse_declaration(Lexer& lexer, std::string_view space);
/// What stands in a list such as `(.param .b64 a, .param .b32 b[4])`, from behind the first brace.
[[nodiscard]] std::vector<Declaration> parse_parameters(Lexer& lexer);
/// The size of a type such as ".b32", 0 of ".pred"; throws ImageError for what is none.
[[nodiscard]] std::uint32_t size_of_type(std::string_view type);

/// A number as PTX writes it; `nbytes` of a float that is written as a decimal.
[[nodiscard]] std::uint64_t parse_number(std::string_view text, std::uint32_t nbytes = 8);

}  // namespace skerry::emulation::ptx
