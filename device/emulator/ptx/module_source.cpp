// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/module_source.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "device/emulator/ptx/lexer.hpp"

namespace skerry::emulation::ptx {
namespace {

[[noreturn]] void reject(const std::string& message, std::string_view excerpt) {
  throw ImageError(code::invalid_ptx,
                   "PTX: " + message + ": " + std::string(excerpt.substr(0, 80)));
}

template <class Integer>
[[nodiscard]] Integer digits(std::string_view text, int base) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) reject("not a number", text);
  return value;
}

[[nodiscard]] std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

[[nodiscard]] std::uint32_t small_number(Lexer& lexer) {
  return static_cast<std::uint32_t>(parse_number(lexer.next().text));
}

void expect(Lexer& lexer, std::string_view expected) {
  const Token token = lexer.next();
  if (!token.is(expected)) reject("expected " + std::string(expected), token.text);
}

void skip_to(Lexer& lexer, std::string_view delimiter) {
  for (Token t = lexer.next(); !t.is(delimiter); t = lexer.next()) {
    if (t.kind == TokenKind::end) reject("end of text before " + std::string(delimiter), "");
  }
}

/// Parses an address such as `name`, `generic(name)` or `name+4`.
void parse_initial_address(Token first, Lexer& lexer, Declaration& declaration) {
  const bool is_generic = first.is("generic") && lexer.peek().is("(");
  if (is_generic) {
    (void)lexer.next();
    first = lexer.next();
    expect(lexer, ")");
  }
  // Addresses of functions and variables are always generic here.
  if (first.kind != TokenKind::word || first.text.starts_with('.') ||
      declaration.element_nbytes != 8) {
    throw ImageError(code::not_supported,
                     "PTX: unsupported initialiser of " + std::string(declaration.name));
  }
  InitialAddress address{.element = declaration.initial.size(), .name = first.text};
  while (lexer.peek().is("+") || lexer.peek().is("-")) {
    const bool is_negative = lexer.next().is("-");
    const std::uint64_t value = parse_number(lexer.next().text);
    address.added += is_negative ? ~value + 1 : value;
  }
  declaration.initial.push_back(0);
  declaration.addresses.push_back(address);
}

void parse_initial_values(Lexer& lexer, Declaration& declaration) {
  for (Token t = lexer.next(); !t.is(";"); t = lexer.next()) {
    if (t.kind == TokenKind::end) reject("unterminated initialiser", declaration.name);
    if (t.is("{") || t.is("}") || t.is(",")) continue;
    const bool is_negative = t.is("-");
    if (is_negative) t = lexer.next();
    if (t.kind != TokenKind::number) {
      parse_initial_address(t, lexer, declaration);
      continue;
    }
    const std::uint64_t value = parse_number(t.text, declaration.element_nbytes);
    declaration.initial.push_back(is_negative ? ~value + 1 : value);
  }
}

/// Adds a variable or replaces its .extern declaration: linked objects may contain both.
void add_variable(const Declaration& declaration, Variable named, ModuleSource& module_source) {
  const auto [number, is_new] =
      module_source.variable_numbers.try_emplace(declaration.name, module_source.variables.size());
  if (is_new) {
    module_source.variables.push_back(std::move(named));
  } else if (module_source.variables[number->second].is_extern) {
    module_source.variables[number->second] = std::move(named);
  } else {
    return;
  }
  for (const InitialAddress& one : declaration.addresses) {
    module_source.pending_addresses.emplace_back(number->second, one);
  }
}

void parse_variable(Lexer& lexer, std::string_view space, bool is_extern,
                    ModuleSource& module_source) {
  Declaration declaration = parse_declaration(lexer, space);
  const Token token = lexer.next();
  if (token.is("=")) {
    parse_initial_values(lexer, declaration);
  } else if (!token.is(";")) {
    reject("expected ; after a variable", declaration.name);
  }
  if (space == ".shared") {
    module_source.shared.push_back(std::move(declaration));
    return;
  }
  Variable named{.name = std::string(declaration.name),
                 .nbytes = declaration.nbytes(),
                 .alignment = declaration.alignment,
                 .is_constant = space == ".const",
                 .is_extern = is_extern,
                 .initial = std::vector<std::byte>(declaration.nbytes())};
  if (declaration.initial.size() > declaration.count) reject("too many values", declaration.name);
  for (std::size_t k = 0; k < declaration.initial.size(); ++k) {
    std::memcpy(named.initial.data() + k * declaration.element_nbytes, &declaration.initial[k],
                declaration.element_nbytes);
  }
  add_variable(declaration, std::move(named), module_source);
}

/// Resolves addresses in initial values, once all functions and variables are known.
void resolve_addresses(ModuleSource& in) {
  for (const auto& [number, one] : in.pending_addresses) {
    Variable& variable = in.variables[number];
    const std::size_t offset = one.element * sizeof(std::uint64_t);
    std::uint64_t value = one.added;
    if (const auto function = in.functions.find(one.name); function != in.functions.end()) {
      value += function->second.address;
    } else if (const auto other = in.variable_numbers.find(one.name);
               other != in.variable_numbers.end()) {
      variable.addresses.push_back({offset, other->second});
    } else {
      throw ImageError(code::not_supported, "PTX: unsupported initialiser of " + variable.name);
    }
    std::memcpy(variable.initial.data() + offset, &value, sizeof value);
  }
}

/// Resolves aliases of functions, such as of constructors.
void resolve_aliases(ModuleSource& in) {
  for (const auto& [name, other] : in.aliases) {
    const auto function = in.functions.find(other);
    if (function == in.functions.end()) reject("alias of an undefined function", other);
    const FunctionSource source = function->second;
    in.functions[name] = source;
    in.functions[name].name = name;
  }
}

[[nodiscard]] Extent parse_extent(Lexer& lexer) {
  Extent extent{small_number(lexer), 1, 1};
  for (std::uint32_t* const next : {&extent.y, &extent.z}) {
    if (!lexer.peek().is(",")) break;
    (void)lexer.next();
    *next = small_number(lexer);
  }
  return extent;
}

void parse_entry(Lexer& lexer, ModuleSource& module_source) {
  EntrySource entry{.name = lexer.next().text};
  Token t = lexer.next();
  if (t.is("(")) {
    for (const Declaration& one : parse_parameters(lexer)) {
      const auto nbytes = static_cast<std::uint32_t>(one.nbytes());
      const std::uint32_t offset = align_up(entry.parameter_nbytes, one.alignment);
      entry.parameters.push_back({std::string(one.name), offset, nbytes});
      entry.parameter_nbytes = offset + nbytes;
    }
    t = lexer.next();
  }
  for (; !t.is("{"); t = lexer.next()) {
    if (t.kind == TokenKind::end) reject("a kernel has no body", entry.name);
    if (t.is(".maxntid") || t.is(".reqntid")) {
      entry.max_threads = static_cast<std::uint32_t>(parse_extent(lexer).count());
    }
    if (t.is(".reqnctapercluster")) entry.cluster = parse_extent(lexer);
    if (t.is(".maxnreg")) entry.max_registers = small_number(lexer);
  }
  entry.body = lexer.read_body();
  module_source.entries.push_back(std::move(entry));
}

void parse_function(Lexer& lexer, ModuleSource& module_source) {
  FunctionSource function;
  Token t = lexer.next();
  while (t.kind == TokenKind::word && t.text.starts_with('.')) t = lexer.next();
  if (t.is("(")) {
    function.results = parse_parameters(lexer);
    t = lexer.next();
  }
  function.name = t.text;
  if (lexer.peek().is("(")) {
    (void)lexer.next();
    function.parameters = parse_parameters(lexer);
  }
  for (t = lexer.next(); !t.is("{") && !t.is(";"); t = lexer.next()) {
    if (t.kind == TokenKind::end) reject("a function has no body", function.name);
  }
  if (t.is("{")) {
    function.body = lexer.read_body();
    function.is_defined = true;
  }
  const auto existing_function = module_source.functions.find(function.name);
  function.address = existing_function != module_source.functions.end()
                         ? existing_function->second.address
                         : module_source.first_function + 16 * module_source.functions.size();
  if (function.is_defined || existing_function == module_source.functions.end()) {
    module_source.functions[function.name] = std::move(function);
  }
}

void parse_version(Lexer& lexer, ModuleSource& module_source) {
  const std::string_view version = lexer.next().text;
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) reject("not a version", version);
  module_source.version_major = digits<int>(version.substr(0, dot), 10);
  module_source.version_minor = digits<int>(version.substr(dot + 1), 10);
  if (std::pair(module_source.version_major, module_source.version_minor) >
      std::pair(newest_version_major, newest_version_minor)) {
    throw ImageError(code::unsupported_ptx_version, "PTX of version " + std::string(version) +
                                                        ": supported up to " +
                                                        std::to_string(newest_version_major) + "." +
                                                        std::to_string(newest_version_minor));
  }
}

void parse_target(Lexer& lexer, ModuleSource& module_source) {
  std::string_view target = lexer.next().text;
  if (!target.starts_with("sm_")) reject("not a target", target);
  target.remove_prefix(3);
  while (!target.empty() && target.back() >= 'a') target.remove_suffix(1);
  module_source.target = digits<int>(target, 10);
  (void)lexer.rest_of_line();
}

void parse_file(Lexer& lexer, ModuleSource& module_source) {
  const std::uint32_t number = small_number(lexer);
  std::string_view name = lexer.next().text;
  if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
  module_source.files[number] = name;
  (void)lexer.rest_of_line();
}

void parse_directive(const Token& directive, Lexer& lexer, ModuleSource& module_source) {
  static constexpr std::string_view linkage[] = {".visible", ".weak", ".extern", ".common"};
  if (std::ranges::find(linkage, directive.text) != std::ranges::end(linkage)) {
    module_source.is_extern = directive.is(".extern");
    return;
  }
  const bool is_extern = std::exchange(module_source.is_extern, false);
  if (directive.is(".version")) return parse_version(lexer, module_source);
  if (directive.is(".target")) return parse_target(lexer, module_source);
  if (directive.is(".entry")) return parse_entry(lexer, module_source);
  if (directive.is(".func")) return parse_function(lexer, module_source);
  if (directive.is(".file")) return parse_file(lexer, module_source);
  if (directive.is(".global") || directive.is(".const") || directive.is(".shared")) {
    return parse_variable(lexer, directive.text, is_extern, module_source);
  }
  if (directive.is(".address_size")) {
    (void)lexer.next();
  } else if (directive.is(".section")) {
    skip_to(lexer, "{");
    (void)lexer.read_body();
  } else if (directive.is(".alias")) {
    const std::string_view name = lexer.next().text;
    expect(lexer, ",");
    module_source.aliases.emplace_back(name, lexer.next().text);
    expect(lexer, ";");
  } else if (directive.is(".pragma")) {
    skip_to(lexer, ";");
  } else {
    reject("unknown directive", directive.text);
  }
}

}  // namespace

std::uint32_t size_of_type(std::string_view type) {
  struct NamedSize {
    std::string_view name;
    std::uint32_t nbytes;
  };
  static constexpr auto sizes = std::to_array<NamedSize>(
      {{".pred", 0}, {".b8", 1},  {".u8", 1},  {".s8", 1},    {".b16", 2},
       {".u16", 2},  {".s16", 2}, {".f16", 2}, {".bf16", 2},  {".b32", 4},
       {".u32", 4},  {".s32", 4}, {".f32", 4}, {".f16x2", 4}, {".bf16x2", 4},
       {".b64", 8},  {".u64", 8}, {".s64", 8}, {".f64", 8},   {".b128", 16}});
  const auto* const named_size = std::ranges::find(sizes, type, &NamedSize::name);
  if (named_size == sizes.end()) reject("not a type", type);
  return named_size->nbytes;
}

std::uint64_t parse_number(std::string_view text, std::uint32_t nbytes) {
  if (text.ends_with('U')) text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '0') {
    const char encoding = text[1];
    if (encoding == 'x' || encoding == 'X') return digits<std::uint64_t>(text.substr(2), 16);
    if (encoding == 'f' || encoding == 'F') {
      const auto bits = digits<std::uint32_t>(text.substr(2), 16);
      return nbytes == 8 ? std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(bits)}) : bits;
    }
    if (encoding == 'd' || encoding == 'D') {
      const auto bits = digits<std::uint64_t>(text.substr(2), 16);
      return nbytes == 4
                 ? std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)))
                 : bits;
    }
    if (encoding == 'b' || encoding == 'B') return digits<std::uint64_t>(text.substr(2), 2);
    return digits<std::uint64_t>(text, 8);
  }
  if (text.find('.') != std::string_view::npos) reject("unsupported form of a number", text);
  return digits<std::uint64_t>(text, 10);
}

std::vector<Declaration> parse_parameters(Lexer& lexer) {
  std::vector<Declaration> parameters;
  for (Token t = lexer.next(); !t.is(")"); t = lexer.next()) {
    if (t.is(",")) continue;
    if (!t.is(".param") && !t.is(".reg")) reject("not a parameter", t.text);
    parameters.push_back(parse_declaration(lexer, t.text));
  }
  return parameters;
}

Declaration parse_declaration(Lexer& lexer, std::string_view space) {
  static constexpr std::string_view ignored[] = {".ptr",   ".global",  ".shared", ".const",
                                                 ".local", ".managed", ".weak"};
  Declaration declaration{.space = space};
  bool is_aligned = false;
  Token t = lexer.next();
  for (; t.kind == TokenKind::word && t.text.starts_with('.'); t = lexer.next()) {
    if (t.is(".align")) {
      // The alignment after .ptr is that of the pointed-to memory.
      const std::uint32_t alignment = small_number(lexer);
      if (!is_aligned) declaration.alignment = alignment;
      is_aligned = true;
    } else if (t.is(".attribute")) {
      skip_to(lexer, ")");
    } else if (t.is(".ptr")) {
      is_aligned = true;
    } else if (std::ranges::find(ignored, t.text) == std::ranges::end(ignored)) {
      declaration.element_nbytes = size_of_type(t.text);
      if (!is_aligned) declaration.alignment = std::max(1U, declaration.element_nbytes);
    }
  }
  if (t.kind != TokenKind::word) reject("expected a name", t.text);
  declaration.name = t.text;
  while (lexer.peek().is("[")) {
    (void)lexer.next();
    const Token count = lexer.next();
    if (count.is("]")) {
      declaration.is_unsized = true;
      declaration.count = 0;
    } else {
      declaration.count *= parse_number(count.text);
      expect(lexer, "]");
    }
  }
  return declaration;
}

void parse_module(ModuleSource& module_source) {
  // No memory of a process has addresses with these upper bits, and every module gets its own
  // range.
  static constinit std::atomic<std::uint64_t> next{0x7e00'0000'0000'0000};
  module_source.first_function = next.fetch_add(std::uint64_t{1} << 32);
  Lexer lexer(module_source.text);
  for (Token t = lexer.next(); t.kind != TokenKind::end; t = lexer.next()) {
    parse_directive(t, lexer, module_source);
  }
  resolve_aliases(module_source);
  resolve_addresses(module_source);
  if (module_source.version_major == 0 || module_source.target == 0)
    reject("no version or no target", module_source.text);
}

}  // namespace skerry::emulation::ptx
