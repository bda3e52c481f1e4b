// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/module_source.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "device/cuda/emulation/ptx/lexer.hpp"

namespace skerry::emulation::ptx {
namespace {

[[noreturn]] void refuse(const std::string& what, std::string_view where) {
  throw image_error(code::invalid_ptx, "PTX: " + what + ": " + std::string(where.substr(0, 80)));
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

[[nodiscard]] std::uint32_t small_number(lexer& from) {
  return static_cast<std::uint32_t>(parse_number(from.next().text));
}

void expect(lexer& from, std::string_view wanted) {
  const token found = from.next();
  if (!found.is(wanted)) refuse("expected " + std::string(wanted), found.text);
}

void skip_to(lexer& from, std::string_view wanted) {
  for (token t = from.next(); !t.is(wanted); t = from.next()) {
    if (t.kind == token_kind::end) refuse("ends before " + std::string(wanted), "");
  }
}

/// What stands in a list such as `(.param .b64 a, .param .b32 b[4])`, from behind the first brace.
[[nodiscard]] std::vector<declaration> parse_list(lexer& from) {
  std::vector<declaration> found;
  for (token t = from.next(); !t.is(")"); t = from.next()) {
    if (t.is(",")) continue;
    if (!t.is(".param") && !t.is(".reg")) refuse("not a parameter", t.text);
    found.push_back(parse_declaration(from, t.text));
  }
  return found;
}

void parse_initial_values(lexer& from, declaration& into) {
  for (token t = from.next(); !t.is(";"); t = from.next()) {
    if (t.kind == token_kind::end) refuse("an initialiser has no end", into.name);
    if (t.is("{") || t.is("}") || t.is(",")) continue;
    const bool is_negative = t.is("-");
    if (is_negative) t = from.next();
    if (t.kind != token_kind::number) {
      throw image_error(code::not_supported,
                        "PTX: unsupported initialiser of " + std::string(into.name));
    }
    const std::uint64_t value = parse_number(t.text, into.element_nbytes);
    into.initial.push_back(is_negative ? ~value + 1 : value);
  }
}

void parse_variable(lexer& from, std::string_view space, module_source& into) {
  declaration found = parse_declaration(from, space);
  const token after = from.next();
  if (after.is("=")) {
    parse_initial_values(from, found);
  } else if (!after.is(";")) {
    refuse("expected ; behind a variable", found.name);
  }
  if (space == ".shared") {
    into.shared.push_back(std::move(found));
    return;
  }
  variable named{.name = std::string(found.name),
                 .nbytes = found.nbytes(),
                 .alignment = found.alignment,
                 .is_constant = space == ".const",
                 .initial = std::vector<std::byte>(found.nbytes())};
  if (found.initial.size() > found.count) refuse("too many values", found.name);
  for (std::size_t k = 0; k < found.initial.size(); ++k) {
    std::memcpy(named.initial.data() + k * found.element_nbytes, &found.initial[k],
                found.element_nbytes);
  }
  into.variables.push_back(std::move(named));
}

[[nodiscard]] std::uint32_t parse_threads(lexer& from) {
  std::uint32_t threads = small_number(from);
  while (from.peek().is(",")) {
    (void)from.next();
    threads *= small_number(from);
  }
  return threads;
}

void parse_entry(lexer& from, module_source& into) {
  entry_source found{.name = from.next().text};
  token t = from.next();
  if (t.is("(")) {
    for (const declaration& one : parse_list(from)) {
      const auto nbytes = static_cast<std::uint32_t>(one.nbytes());
      const std::uint32_t offset = align_up(found.parameter_nbytes, one.alignment);
      found.parameters.push_back({std::string(one.name), offset, nbytes});
      found.parameter_nbytes = offset + nbytes;
    }
    t = from.next();
  }
  for (; !t.is("{"); t = from.next()) {
    if (t.kind == token_kind::end) refuse("a kernel has no body", found.name);
    if (t.is(".maxntid") || t.is(".reqntid")) found.max_threads = parse_threads(from);
  }
  found.body = from.inside_braces();
  into.entries.push_back(std::move(found));
}

void parse_function(lexer& from, module_source& into) {
  function_source found;
  token t = from.next();
  while (t.kind == token_kind::word && t.text.starts_with('.')) t = from.next();
  if (t.is("(")) {
    found.results = parse_list(from);
    t = from.next();
  }
  found.name = t.text;
  if (from.peek().is("(")) {
    (void)from.next();
    found.parameters = parse_list(from);
  }
  for (t = from.next(); !t.is("{") && !t.is(";"); t = from.next()) {
    if (t.kind == token_kind::end) refuse("a function has no body", found.name);
  }
  if (t.is("{")) {
    found.body = from.inside_braces();
    found.is_defined = true;
  }
  if (found.is_defined || !into.functions.contains(found.name)) {
    into.functions[found.name] = std::move(found);
  }
}

void parse_version(lexer& from, module_source& into) {
  const std::string_view version = from.next().text;
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) refuse("not a version", version);
  into.version_major = digits<int>(version.substr(0, dot), 10);
  into.version_minor = digits<int>(version.substr(dot + 1), 10);
  if (std::pair(into.version_major, into.version_minor) >
      std::pair(newest_version_major, newest_version_minor)) {
    throw image_error(code::unsupported_ptx_version,
                      "PTX of version " + std::string(version) + ": known up to " +
                          std::to_string(newest_version_major) + "." +
                          std::to_string(newest_version_minor));
  }
}

void parse_target(lexer& from, module_source& into) {
  std::string_view target = from.next().text;
  if (!target.starts_with("sm_")) refuse("not a target", target);
  target.remove_prefix(3);
  while (!target.empty() && target.back() >= 'a') target.remove_suffix(1);
  into.target = digits<int>(target, 10);
  (void)from.rest_of_line();
}

void parse_file(lexer& from, module_source& into) {
  const std::uint32_t number = small_number(from);
  std::string_view name = from.next().text;
  if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
  into.files[number] = name;
  (void)from.rest_of_line();
}

void parse_directive(const token& what, lexer& from, module_source& into) {
  static constexpr std::string_view linkage[] = {".visible", ".weak", ".extern", ".common"};
  if (std::ranges::find(linkage, what.text) != std::ranges::end(linkage)) return;
  if (what.is(".version")) return parse_version(from, into);
  if (what.is(".target")) return parse_target(from, into);
  if (what.is(".entry")) return parse_entry(from, into);
  if (what.is(".func")) return parse_function(from, into);
  if (what.is(".file")) return parse_file(from, into);
  if (what.is(".global") || what.is(".const") || what.is(".shared")) {
    return parse_variable(from, what.text, into);
  }
  if (what.is(".address_size")) {
    (void)from.next();
  } else if (what.is(".section")) {
    skip_to(from, "{");
    (void)from.inside_braces();
  } else if (what.is(".alias") || what.is(".pragma")) {
    skip_to(from, ";");
  } else {
    refuse("unknown directive", what.text);
  }
}

}  // namespace

std::uint32_t size_of_type(std::string_view type) {
  if (type == ".pred") return 0;
  const std::size_t digit = type.find_first_of("0123456789");
  if (type.size() < 3 || digit != 2) refuse("not a type", type);
  return digits<std::uint32_t>(type.substr(digit), 10) / 8;
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

declaration parse_declaration(lexer& from, std::string_view space) {
  static constexpr std::string_view ignored[] = {".ptr",   ".global",  ".shared", ".const",
                                                 ".local", ".managed", ".weak"};
  declaration found{.space = space};
  bool is_aligned = false;
  token t = from.next();
  for (; t.kind == token_kind::word && t.text.starts_with('.'); t = from.next()) {
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
  if (t.kind != token_kind::word) refuse("expected a name", t.text);
  found.name = t.text;
  while (from.peek().is("[")) {
    (void)from.next();
    const token count = from.next();
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

void parse_module(module_source& into) {
  lexer from(into.text);
  for (token t = from.next(); t.kind != token_kind::end; t = from.next()) {
    parse_directive(t, from, into);
  }
  if (into.version_major == 0 || into.target == 0) refuse("no version or no target", into.text);
}

}  // namespace skerry::emulation::ptx
