// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/access_form.hpp"

#include <algorithm>
#include <array>

#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

/// What a modifier is about. An opcode has one of each kind at most.
enum class topic : std::uint8_t {
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

struct modifier {
  std::string_view name;
  topic about;
};

constexpr auto modifiers = std::to_array<modifier>({
    {"weak", topic::order},
    {"volatile", topic::order},
    {"relaxed", topic::order},
    {"acquire", topic::order},
    {"release", topic::order},
    {"acq_rel", topic::order},
    {"mmio", topic::device_memory},
    {"cta", topic::scope},
    {"cluster", topic::scope},
    {"gpu", topic::scope},
    {"sys", topic::scope},
    {"global", topic::space},
    {"const", topic::space},
    {"shared", topic::space},
    {"shared::cta", topic::space},
    {"shared::cluster", topic::space},
    {"local", topic::space},
    {"param", topic::space},
    {"param::entry", topic::space},
    {"param::func", topic::space},
    {"ca", topic::cache},
    {"cg", topic::cache},
    {"cs", topic::cache},
    {"lu", topic::cache},
    {"cv", topic::cache},
    {"wb", topic::cache},
    {"wt", topic::cache},
    {"nc", topic::read_only},
    {"unified", topic::uniform},
    {"L1::evict_normal", topic::first_level},
    {"L1::evict_unchanged", topic::first_level},
    {"L1::evict_first", topic::first_level},
    {"L1::evict_last", topic::first_level},
    {"L1::no_allocate", topic::first_level},
    {"L2::evict_normal", topic::second_level},
    {"L2::evict_first", topic::second_level},
    {"L2::evict_last", topic::second_level},
    {"L2::64B", topic::prefetched},
    {"L2::128B", topic::prefetched},
    {"L2::256B", topic::prefetched},
    {"L2::cache_hint", topic::policy},
    {"v2", topic::vector},
    {"v4", topic::vector},
    {"add", topic::operation},
    {"min", topic::operation},
    {"max", topic::operation},
    {"inc", topic::operation},
    {"dec", topic::operation},
    {"cas", topic::operation},
    {"exch", topic::operation},
    {"and", topic::operation},
    {"or", topic::operation},
    {"xor", topic::operation},
    {"noftz", topic::rounding},
});

struct element {
  std::string_view name;
  std::uint8_t nbytes;
};

constexpr auto elements = std::to_array<element>({
    {"b8", 1},    {"u8", 1},  {"s8", 1},   {"b16", 2},   {"u16", 2},    {"s16", 2}, {"b32", 4},
    {"u32", 4},   {"s32", 4}, {"b64", 8},  {"u64", 8},   {"s64", 8},    {"f32", 4}, {"f64", 8},
    {"b128", 16}, {"f16", 2}, {"bf16", 2}, {"f16x2", 4}, {"bf16x2", 4},
});

using topics = std::uint32_t;

[[nodiscard]] constexpr topics bit(topic of) { return topics{1} << static_cast<int>(of); }
template <class... Topic>
[[nodiscard]] constexpr topics bits(Topic... of) {
  return (bit(of) | ...);
}

/// Those that an opcode has.
[[nodiscard]] topics topics_of(std::string_view opcode) {
  using enum topic;
  constexpr topics of_caches = bits(cache, first_level, second_level, prefetched, policy);
  if (opcode == "ld")
    return of_caches | bits(order, device_memory, scope, space, read_only, uniform, vector);
  if (opcode == "ldu") return bits(space, vector);
  if (opcode == "st") return of_caches | bits(order, device_memory, scope, space, vector);
  return bits(order, scope, space, policy, operation, rounding);
}

[[nodiscard]] bool is_one_of(std::string_view part, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, part) != names.end();
}

[[nodiscard]] memory_space space_of(std::string_view name) {
  if (name.starts_with("shared")) return memory_space::shared;
  if (name.starts_with("param")) return memory_space::parameter;
  return name == "local" ? memory_space::local : memory_space::global;
}

/// Orders and caches that only loads or only stores have.
[[nodiscard]] bool is_of_other_opcode(std::string_view opcode, std::string_view part) {
  if (opcode.starts_with("ld")) return is_one_of(part, {"release", "acq_rel", "wb", "wt"});
  if (opcode == "st") return is_one_of(part, {"acquire", "acq_rel", "const", "ca", "lu", "cv"});
  if (is_one_of(part, {"weak", "volatile", "const", "local"})) return true;
  return opcode == "red" && is_one_of(part, {"exch", "cas", "acquire", "acq_rel"});
}

void read_modifier(access_form& into, const modifier& what) {
  switch (what.about) {
    case topic::order:
      into.is_strong = what.name != "weak";
      into.releases = is_one_of(what.name, {"release", "acq_rel"});
      return;
    case topic::space:
      into.space = space_of(what.name);
      return;
    case topic::vector:
      into.count = what.name == "v2" ? 2 : 4;
      return;
    case topic::operation:
      into.operation = what.name;
      return;
    case topic::policy:
      into.has_cache_policy = true;
      return;
    default:
      return;
  }
}

void read_type(access_form& into, std::string_view name) {
  const auto* const found = std::ranges::find(elements, name, &element::name);
  if (found == elements.end()) throw unsupported_form{};
  into.type = found->name;
  into.nbytes = found->nbytes;
  constexpr int most = 16;
  if (into.count * into.nbytes > most) throw unsupported_form{};
}

}  // namespace

access_form read_access_form(std::string_view opcode) {
  const std::vector<std::string_view> parts = parts_of(opcode);
  const topics allowed = topics_of(parts.front());
  topics given = 0;
  access_form form;
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    const auto* const found = std::ranges::find(modifiers, parts[k], &modifier::name);
    if (found == modifiers.end() || is_of_other_opcode(parts.front(), parts[k])) {
      throw unsupported_form{};
    }
    const topics one = bit(found->about);
    if ((allowed & one) == 0 || (given & one) != 0) throw unsupported_form{};
    given |= one;
    read_modifier(form, *found);
  }
  read_type(form, parts.back());
  const bool is_half = form.type.find("f16") != std::string_view::npos;
  if (is_half != ((given & bit(topic::rounding)) != 0)) throw unsupported_form{};
  const bool is_atomic = (allowed & bit(topic::operation)) != 0;
  if (is_atomic && form.operation.empty()) throw unsupported_form{};
  return form;
}

}  // namespace skerry::emulation::ptx
