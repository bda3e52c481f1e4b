// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/access_form.hpp"

#include <algorithm>
#include <array>

#include "device/emulator/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

/// Kinds of modifiers. An opcode has at most one of each kind.
enum class ModifierKind : std::uint8_t {
  order,
  device_memory,
  scope,
  space,
  cache,
  read_only,
  uniform,
  first_level,
  second_level,
  prefetched,
  policy,
  vector,
  operation,
  rounding
};

struct Modifier {
  std::string_view name;
  ModifierKind about;
};

constexpr auto modifiers = std::to_array<Modifier>({
    {"weak", ModifierKind::order},
    {"volatile", ModifierKind::order},
    {"relaxed", ModifierKind::order},
    {"acquire", ModifierKind::order},
    {"release", ModifierKind::order},
    {"acq_rel", ModifierKind::order},
    {"mmio", ModifierKind::device_memory},
    {"cta", ModifierKind::scope},
    {"cluster", ModifierKind::scope},
    {"gpu", ModifierKind::scope},
    {"sys", ModifierKind::scope},
    {"global", ModifierKind::space},
    {"const", ModifierKind::space},
    {"shared", ModifierKind::space},
    {"shared::cta", ModifierKind::space},
    {"shared::cluster", ModifierKind::space},
    {"local", ModifierKind::space},
    {"param", ModifierKind::space},
    {"param::entry", ModifierKind::space},
    {"param::func", ModifierKind::space},
    {"ca", ModifierKind::cache},
    {"cg", ModifierKind::cache},
    {"cs", ModifierKind::cache},
    {"lu", ModifierKind::cache},
    {"cv", ModifierKind::cache},
    {"wb", ModifierKind::cache},
    {"wt", ModifierKind::cache},
    {"nc", ModifierKind::read_only},
    {"unified", ModifierKind::uniform},
    {"L1::evict_normal", ModifierKind::first_level},
    {"L1::evict_unchanged", ModifierKind::first_level},
    {"L1::evict_first", ModifierKind::first_level},
    {"L1::evict_last", ModifierKind::first_level},
    {"L1::no_allocate", ModifierKind::first_level},
    {"L2::evict_normal", ModifierKind::second_level},
    {"L2::evict_first", ModifierKind::second_level},
    {"L2::evict_last", ModifierKind::second_level},
    {"L2::64B", ModifierKind::prefetched},
    {"L2::128B", ModifierKind::prefetched},
    {"L2::256B", ModifierKind::prefetched},
    {"L2::cache_hint", ModifierKind::policy},
    {"v2", ModifierKind::vector},
    {"v4", ModifierKind::vector},
    {"add", ModifierKind::operation},
    {"min", ModifierKind::operation},
    {"max", ModifierKind::operation},
    {"inc", ModifierKind::operation},
    {"dec", ModifierKind::operation},
    {"cas", ModifierKind::operation},
    {"exch", ModifierKind::operation},
    {"and", ModifierKind::operation},
    {"or", ModifierKind::operation},
    {"xor", ModifierKind::operation},
    {"noftz", ModifierKind::rounding},
});

struct Element {
  std::string_view name;
  std::uint8_t nbytes;
};

constexpr auto elements = std::to_array<Element>({
    {"b8", 1},    {"u8", 1},  {"s8", 1},   {"b16", 2},   {"u16", 2},    {"s16", 2}, {"b32", 4},
    {"u32", 4},   {"s32", 4}, {"b64", 8},  {"u64", 8},   {"s64", 8},    {"f32", 4}, {"f64", 8},
    {"b128", 16}, {"f16", 2}, {"bf16", 2}, {"f16x2", 4}, {"bf16x2", 4},
});

using modifier_kinds = std::uint32_t;

[[nodiscard]] constexpr modifier_kinds bit(ModifierKind kind) {
  return modifier_kinds{1} << static_cast<int>(kind);
}
template <class... Kinds>
[[nodiscard]] constexpr modifier_kinds bits(Kinds... kinds) {
  return (bit(kinds) | ...);
}

/// Returns the kinds of modifiers that an opcode may have.
[[nodiscard]] modifier_kinds modifier_kinds_of(std::string_view opcode) {
  using enum ModifierKind;
  constexpr modifier_kinds of_caches = bits(cache, first_level, second_level, prefetched, policy);
  if (opcode == "ld")
    return of_caches | bits(order, device_memory, scope, space, read_only, uniform, vector);
  if (opcode == "ldu") return bits(space, vector);
  if (opcode == "st") return of_caches | bits(order, device_memory, scope, space, vector);
  return bits(order, scope, space, policy, operation, rounding);
}

[[nodiscard]] bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

[[nodiscard]] MemorySpace space_of(std::string_view name) {
  if (name.starts_with("shared")) return MemorySpace::shared;
  if (name.starts_with("param")) return MemorySpace::parameter;
  return name == "local" ? MemorySpace::local : MemorySpace::global;
}

/// True for a modifier that the opcode lacks although it has others of that kind.
[[nodiscard]] bool is_of_other_opcode(std::string_view opcode, std::string_view modifier_name) {
  if (opcode.starts_with("ld")) return is_one_of(modifier_name, {"release", "acq_rel", "wb", "wt"});
  if (opcode == "st")
    return is_one_of(modifier_name, {"acquire", "acq_rel", "const", "ca", "lu", "cv"});
  if (is_one_of(modifier_name, {"weak", "volatile", "const", "local"})) return true;
  return opcode == "red" && is_one_of(modifier_name, {"exch", "cas", "acquire", "acq_rel"});
}

void read_modifier(AccessForm& access, const Modifier& modifier) {
  switch (modifier.about) {
    case ModifierKind::order:
      access.is_strong = modifier.name != "weak";
      access.releases = is_one_of(modifier.name, {"release", "acq_rel"});
      return;
    case ModifierKind::space:
      access.space = space_of(modifier.name);
      return;
    case ModifierKind::vector:
      access.count = modifier.name == "v2" ? 2 : 4;
      return;
    case ModifierKind::operation:
      access.operation = modifier.name;
      return;
    case ModifierKind::policy:
      access.has_cache_policy = true;
      return;
    default:
      return;
  }
}

void read_type(AccessForm& access, std::string_view name) {
  const auto* const element = std::ranges::find(elements, name, &Element::name);
  if (element == elements.end()) throw UnsupportedForm{};
  access.type = element->name;
  access.nbytes = element->nbytes;
  constexpr int max_nbytes = 16;
  if (access.count * access.nbytes > max_nbytes) throw UnsupportedForm{};
}

}  // namespace

AccessForm read_access_form(std::string_view opcode) {
  const std::vector<std::string_view> parts = parts_of(opcode);
  const modifier_kinds allowed = modifier_kinds_of(parts.front());
  modifier_kinds present_kinds = 0;
  AccessForm access;
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    const auto* const modifier = std::ranges::find(modifiers, parts[k], &Modifier::name);
    if (modifier == modifiers.end() || is_of_other_opcode(parts.front(), parts[k])) {
      throw UnsupportedForm{};
    }
    const modifier_kinds one = bit(modifier->about);
    if ((allowed & one) == 0 || (present_kinds & one) != 0) throw UnsupportedForm{};
    present_kinds |= one;
    read_modifier(access, *modifier);
  }
  read_type(access, parts.back());
  const bool is_half = access.type.find("f16") != std::string_view::npos;
  if (is_half != ((present_kinds & bit(ModifierKind::rounding)) != 0)) throw UnsupportedForm{};
  const bool is_atomic = (allowed & bit(ModifierKind::operation)) != 0;
  if (is_atomic && access.operation.empty()) throw UnsupportedForm{};
  return access;
}

}  // namespace skerry::emulation::ptx
