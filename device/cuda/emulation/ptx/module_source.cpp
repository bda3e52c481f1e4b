// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/module_source.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "device/cuda/emulation/ptx/lexer.hpp"

namespace skerry::emulation::ptx {
namespace {

[[noreturn]] void refuse(const std::string& what, std::string_view where) {
  throw ImageError(code::invalid_ptx, "PTX: " + what + ": " + std::string(where.substr(0, 80)));
}

template <class Integer>
[[nodiscard]] Integer digits(std::string_view text, int base) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) refuse("not a number", text);
  return value;
}

[[nodiscard]] std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

[[nodiscard]] std::uint32_t small_number(Lexer& from) {
  return static_cast<std::uint32_t>(parse_number(from.next().text));
}

void expect(Lexer& from, std::string_view wanted) {
  const Token found = from.next();
  if (!found.is(wanted)) refuse("expected " + std::string(wanted), found.text);
}

void skip_to(Lexer& from, std::string_view wanted) {
  for (Token t = from.next(); !t.is(wanted); t = from.next()) {
    if (t.kind == TokenKind::end) refuse("ends before " + std::string(wanted), "");
  }
}

/// An address such as `name`, `generic(name)` or `name+4`.
void parse_initial_address(Token first, Lexer& from, Declaration& into) {
  const bool is_generic = first.is("generic") && from.peek().is("(");
  if (is_generic) {
    (void)from.next();
    first = from.next();
    expect(from, ")");
  }
  // A function's address, or a variable's, has no other form here than the generic one.
  if (first.kind != TokenKind::word || first.text.starts_with('.') || into.element_nbytes != 8) {
    throw ImageError(code::not_supported,
                     "PTX: unsupported initialiser of " + std::string(into.name));
  }
  InitialAddress found{.element = into.initial.size(), .name = first.text};
  while (from.peek().is("+") || from.peek().is("-")) {
    const bool is_negative = from.next().is("-");
    const std::uint64_t value = parse_number(from.next().text);
    found.added += is_negative ? ~value + 1 : value;
  }
  into.initial.push_back(0);
  into.addresses.push_back(found);
}

void parse_initial_values(Lexer& from, Declaration& into) {
  for (Token t = from.next(); !t.is(";"); t = from.next()) {
    if (t.kind == TokenKind::end) refuse("an initialiser has no end", into.name);
    if (t.is("{") || t.is("}") || t.is(",")) continue;
    const bool is_negative = t.is("-");
    if (is_negative) t = from.next();
    if (t.kind != TokenKind::number) {
      parse_initial_address(t, from, into);
      continue;
    }
    const std::uint64_t value = parse_number(t.text, into.element_nbytes);
    into.initial.push_back(is_negative ? ~value + 1 : value);
  }
}

/// Objects that were linked declare what others of them define.
void add_variable(const Declaration& found, Variable named, ModuleSource& into) {
  const auto [number, is_new] =
      into.variable_numbers.try_emplace(found.name, into.variables.size());
  if (is_new) {
    into.variables.push_back(std::move(named));
  } else if (into.variables[number->second].is_extern) {
    into.variables[number->second] = std::move(named);
  } else {
    return;
  }
  for (const InitialAddress& one : found.addresses) {
    into.pending_addresses.emplace_back(number->second, one);
  }
}

void parse_variable(Lexer& from, std::string_view space, bool is_extern, ModuleSource& into) {
  Declaration found = parse_declaration(from, space);
  const Token after = from.next();
  if (after.is("=")) {
    parse_initial_values(from, found);
  } else if (!after.is(";")) {
    refuse("expected ; behind a variable", found.name);
  }
  if (space == ".shared") {
    into.shared.push_back(std::move(found));
    return;
  }
  Variable named{.name = std::string(found.name),
                 .nbytes = found.nbytes(),
                 .alignment = found.alignment,
                 .is_constant = space == ".const",
                 .is_extern = is_extern,
                 .initial = std::vector<std::byte>(found.nbytes())};
  if (found.initial.size() > found.count) refuse("too many values", found.name);
  for (std::size_t k = 0; k < found.initial.size(); ++k) {
    std::memcpy(named.initial.data() + k * found.element_nbytes, &found.initial[k],
                found.element_nbytes);
  }
  add_variable(found, std::move(named), into);
}

/// The addresses in initial values, when all functions and variables are known.
void resolve_addresses(ModuleSource& in) {
  for (const auto& [number, one] : in.pending_addresses) {
    Variable& of = in.variables[number];
    const std::size_t offset = one.element * sizeof(std::uint64_t);
    std::uint64_t value = one.added;
    if (const auto function = in.functions.find(one.name); function != in.functions.end()) {
      value += function->second.address;
    } else if (const auto other = in.variable_numbers.find(one.name);
               other != in.variable_numbers.end()) {
      of.addresses.push_back({offset, other->second});
    } else {
      throw ImageError(code::not_supported, "PTX: unsupported initialiser of " + of.name);
    }
    std::memcpy(of.initial.data() + offset, &value, sizeof value);
  }
}

/// A second name of a function, such as of a constructor.
void resolve_aliases(ModuleSource& in) {
  for (const auto& [name, other] : in.aliases) {
    const auto function = in.functions.find(other);
    if (function == in.functions.end()) refuse("an alias of no function", other);
    const FunctionSource what = function->second;
    in.functions[name] = what;
    in.functions[name].name = name;
  }
}

[[nodiscard]] Extent parse_extent(Lexer& from) {
  Extent found{small_number(from), 1, 1};
  for (std::uint32_t* const next : {&found.y, &found.z}) {
    if (!from.peek().is(",")) break;
    (void)from.next();
    *next = small_number(from);
  }
  return found;
}

void parse_entry(Lexer& from, ModuleSource& into) {
  EntrySource found{.name = from.next().text};
  Token t = from.next();
  if (t.is("(")) {
    for (const Declaration& one : parse_parameters(from)) {
      const auto nbytes = static_cast<std::uint32_t>(one.nbytes());
      const std::uint32_t offset = align_up(found.parameter_nbytes, one.alignment);
      found.parameters.push_back({std::string(one.name), offset, nbytes});
      found.parameter_nbytes = offset + nbytes;
    }
    t = from.next();
  }
  for (; !t.is("{"); t = from.next()) {
    if (t.kind == TokenKind::end) refuse("a kernel has no body", found.name);
    if (t.is(".maxntid") || t.is(".reqntid")) {
      found.max_threads = static_cast<std::uint32_t>(parse_extent(from).count());
    }
    if (t.is(".reqnctapercluster")) found.cluster = parse_extent(from);
    if (t.is(".maxnreg")) found.max_registers = small_number(from);
  }
  found.body = from.inside_braces();
  into.entries.push_back(std::move(found));
}

void parse_function(Lexer& from, ModuleSource& into) {
  FunctionSource found;
  Token t = from.next();
  while (t.kind == TokenKind::word && t.text.starts_with('.')) t = from.next();
  if (t.is("(")) {
    found.results = parse_parameters(from);
    t = from.next();
  }
  found.name = t.text;
  if (from.peek().is("(")) {
    (void)from.next();
    found.parameters = parse_parameters(from);
  }
  for (t = from.next(); !t.is("{") && !t.is(";"); t = from.next()) {
    if (t.kind == TokenKind::end) refuse("a function has no body", found.name);
  }
  if (t.is("{")) {
    found.body = from.inside_braces();
    found.is_defined = true;
  }
  const auto known = into.functions.find(found.name);
  found.address = known != into.functions.end() ? known->second.address
                                                : into.first_function + 16 * into.functions.size();
  if (found.is_defined || known == into.functions.end()) {
    into.functions[found.name] = std::move(found);
  }
}

void parse_version(Lexer& from, ModuleSource& into) {
  const std::string_view version = from.next().text;
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) refuse("not a version", version);
  into.version_major = digits<int>(version.substr(0, dot), 10);
  into.version_minor = digits<int>(version.substr(dot + 1), 10);
  if (std::pair(into.version_major, into.version_minor) >
      std::pair(newest_version_major, newest_version_minor)) {
    throw ImageError(code::unsupported_ptx_version, "PTX of version " + std::string(version) +
                                                        ": known up to " +
                                                        std::to_string(newest_version_major) + "." +
                                                        std::to_string(newest_version_minor));
  }
}

void parse_target(Lexer& from, ModuleSource& into) {
  std::string_view target = from.next().text;
  if (!target.starts_with("sm_")) refuse("not a target", target);
  target.remove_prefix(3);
  while (!target.empty() && target.back() >= 'a') target.remove_suffix(1);
  into.target = digits<int>(target, 10);
  (void)from.rest_of_line();
}

void parse_file(Lexer& from, ModuleSource& into) {
  const std::uint32_t number = small_number(from);
  std::string_view name = from.next().text;
  if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
  into.files[number] = name;
  (void)from.rest_of_line();
}

void parse_directive(const Token& what, Lexer& from, ModuleSource& into) {
  static constexpr std::string_view linkage[] = {".visible", ".weak", ".extern", ".common"};
  if (std::ranges::find(linkage, what.text) != std::ranges::end(linkage)) {
    into.is_extern = what.is(".extern");
    return;
  }
  const bool is_extern = std::exchange(into.is_extern, false);
  if (what.is(".version")) return parse_version(from, into);
  if (what.is(".target")) return parse_target(from, into);
  if (what.is(".entry")) return parse_entry(from, into);
  if (what.is(".func")) return parse_function(from, into);
  if (what.is(".file")) return parse_file(from, into);
  if (what.is(".global") || what.is(".const") || what.is(".shared")) {
    return parse_variable(from, what.text, is_extern, into);
  }
  if (what.is(".address_size")) {
    (void)from.next();
  } else if (what.is(".section")) {
    skip_to(from, "{");
    (void)from.inside_braces();
  } else if (what.is(".alias")) {
    const std::string_view name = from.next().text;
    expect(from, ",");
    into.aliases.emplace_back(name, from.next().text);
    expect(from, ";");
  } else if (what.is(".pragma")) {
    skip_to(from, ";");
  } else {
    refuse("unknown directive", what.text);
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
  const auto* const found = std::ranges::find(sizes, type, &NamedSize::name);
  if (found == sizes.end()) refuse("not a type", type);
  return found->nbytes;
}

std::uint64_t parse_number(std::string_view text, std::uint32_t nbytes) {
  if (text.ends_with('U')) text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '0') {
    const char form = text[1];
    if (form == 'x' || form == 'X') return digits<std::uint64_t>(text.substr(2), 16);
    if (form == 'f' || form == 'F') {
      const auto bits = digits<std::uint32_t>(text.substr(2), 16);
      return nbytes == 8 ? std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(bits)}) : bits;
    }
    if (form == 'd' || form == 'D') {
      const auto bits = digits<std::uint64_t>(text.substr(2), 16);
      return nbytes == 4
                 ? std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)))
                 : bits;
    }
    if (form == 'b' || form == 'B') return digits<std::uint64_t>(text.substr(2), 2);
    return digits<std::uint64_t>(text, 8);
  }
  if (text.find('.') != std::string_view::npos) refuse("unsupported form of a number", text);
  return digits<std::uint64_t>(text, 10);
}

std::vector<Declaration> parse_parameters(Lexer& from) {
  std::vector<Declaration> found;
  for (Token t = from.next(); !t.is(")"); t = from.next()) {
    if (t.is(",")) continue;
    if (!t.is(".param") && !t.is(".reg")) refuse("not a parameter", t.text);
    found.push_back(parse_declaration(from, t.text));
  }
  return found;
}

Declaration parse_declaration(Lexer& from, std::string_view space) {
  static constexpr std::string_view ignored[] = {".ptr",   ".global",  ".shared", ".const",
                                                 ".local", ".managed", ".weak"};
  Declaration found{.space = space};
  bool is_aligned = false;
  Token t = from.next();
  for (; t.kind == TokenKind::word && t.text.starts_with('.'); t = from.next()) {
    if (t.is(".align")) {
      // The alignment behind .ptr is that of what it points to.
      const std::uint32_t alignment = small_number(from);
      if (!is_aligned) found.alignment = alignment;
      is_aligned = true;
    } else if (t.is(".attribute")) {
      skip_to(from, ")");
    } else if (t.is(".ptr")) {
      is_aligned = true;
    } else if (std::ranges::find(ignored, t.text) == std::ranges::end(ignored)) {
      found.element_nbytes = size_of_type(t.text);
      if (!is_aligned) found.alignment = std::max(1U, found.element_nbytes);
    }
  }
  if (t.kind != TokenKind::word) refuse("expected a name", t.text);
  found.name = t.text;
  while (from.peek().is("[")) {
    (void)from.next();
    const Token count = from.next();
    if (count.is("]")) {
      found.is_unsized = true;
      found.count = 0;
    } else {
      found.count *= parse_number(count.text);
      expect(from, "]");
    }
  }
  return found;
}

void parse_module(ModuleSource& into) {
  // No memory of a process begins with these bits, and no two modules have the same addresses.
  static constinit std::atomic<std::uint64_t> next{0x7e00'0000'0000'0000};
  into.first_function = next.fetch_add(std::uint64_t{1} << 32);
  Lexer from(into.text);
  for (Token t = from.next(); t.kind != TokenKind::end; t = from.next()) {
    parse_directive(t, from, into);
  }
  resolve_aliases(into);
  resolve_addresses(into);
  if (into.version_major == 0 || into.target == 0) refuse("no version or no target", into.text);
}

}  // namespace skerry::emulation::ptx
