// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/access_form.hpp"

#include <algorithm>
#include <array>

#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

namespace skerry::emulation::ptx {
namespace {

/// What a modifier is about. An opcode has one of each kind at most.
enum class Topic : std::uint8_t {
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
  Topic about;
};

constexpr auto modifiers = std::to_array<Modifier>({
    {"weak", Topic::order},
    {"volatile", Topic::order},
    {"relaxed", Topic::order},
    {"acquire", Topic::order},
    {"release", Topic::order},
    {"acq_rel", Topic::order},
    {"mmio", Topic::device_memory},
    {"cta", Topic::scope},
    {"cluster", Topic::scope},
    {"gpu", Topic::scope},
    {"sys", Topic::scope},
    {"global", Topic::space},
    {"const", Topic::space},
    {"shared", Topic::space},
    {"shared::cta", Topic::space},
    {"shared::cluster", Topic::space},
    {"local", Topic::space},
    {"param", Topic::space},
    {"param::entry", Topic::space},
    {"param::func", Topic::space},
    {"ca", Topic::cache},
    {"cg", Topic::cache},
    {"cs", Topic::cache},
    {"lu", Topic::cache},
    {"cv", Topic::cache},
    {"wb", Topic::cache},
    {"wt", Topic::cache},
    {"nc", Topic::read_only},
    {"unified", Topic::uniform},
    {"L1::evict_normal", Topic::first_level},
    {"L1::evict_unchanged", Topic::first_level},
    {"L1::evict_first", Topic::first_level},
    {"L1::evict_last", Topic::first_level},
    {"L1::no_allocate", Topic::first_level},
    {"L2::evict_normal", Topic::second_level},
    {"L2::evict_first", Topic::second_level},
    {"L2::evict_last", Topic::second_level},
    {"L2::64B", Topic::prefetched},
    {"L2::128B", Topic::prefetched},
    {"L2::256B", Topic::prefetched},
    {"L2::cache_hint", Topic::policy},
    {"v2", Topic::vector},
    {"v4", Topic::vector},
    {"add", Topic::operation},
    {"min", Topic::operation},
    {"max", Topic::operation},
    {"inc", Topic::operation},
    {"dec", Topic::operation},
    {"cas", Topic::operation},
    {"exch", Topic::operation},
    {"and", Topic::operation},
    {"or", Topic::operation},
    {"xor", Topic::operation},
    {"noftz", Topic::rounding},
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

using topics = std::uint32_t;

[[nodiscard]] constexpr topics bit(Topic of) { return topics{1} << static_cast<int>(of); }
template <class... Topic>
[[nodiscard]] constexpr topics bits(Topic... of) {
  return (bit(of) | ...);
}

/// Those that an opcode has.
[[nodiscard]] topics topics_of(std::string_view opcode) {
  using enum Topic;
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

[[nodiscard]] MemorySpace space_of(std::string_view name) {
  if (name.starts_with("shared")) return MemorySpace::shared;
  if (name.starts_with("param")) return MemorySpace::parameter;
  return name == "local" ? MemorySpace::local : MemorySpace::global;
}

/// Orders and caches that only loads or only stores have.
[[nodiscard]] bool is_of_other_opcode(std::string_view opcode, std::string_view part) {
  if (opcode.starts_with("ld")) return is_one_of(part, {"release", "acq_rel", "wb", "wt"});
  if (opcode == "st") return is_one_of(part, {"acquire", "acq_rel", "const", "ca", "lu", "cv"});
  if (is_one_of(part, {"weak", "volatile", "const", "local"})) return true;
  return opcode == "red" && is_one_of(part, {"exch", "cas", "acquire", "acq_rel"});
}

void read_modifier(AccessForm& into, const Modifier& what) {
  switch (what.about) {
    case Topic::order:
      into.is_strong = what.name != "weak";
      into.releases = is_one_of(what.name, {"release", "acq_rel"});
      return;
    case Topic::space:
      into.space = space_of(what.name);
      return;
    case Topic::vector:
      into.count = what.name == "v2" ? 2 : 4;
      return;
    case Topic::operation:
      into.operation = what.name;
      return;
    case Topic::policy:
      into.has_cache_policy = true;
      return;
    default:
      return;
  }
}

void read_type(AccessForm& into, std::string_view name) {
  const auto* const found = std::ranges::find(elements, name, &Element::name);
  if (found == elements.end()) throw UnsupportedForm{};
  into.type = found->name;
  into.nbytes = found->nbytes;
  constexpr int most = 16;
  if (into.count * into.nbytes > most) throw UnsupportedForm{};
}

}  // namespace

AccessForm read_access_form(std::string_view opcode) {
  const std::vector<std::string_view> parts = parts_of(opcode);
  const topics allowed = topics_of(parts.front());
  topics given = 0;
  AccessForm form;
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    const auto* const found = std::ranges::find(modifiers, parts[k], &Modifier::name);
    if (found == modifiers.end() || is_of_other_opcode(parts.front(), parts[k])) {
      throw UnsupportedForm{};
    }
    const topics one = bit(found->about);
    if ((allowed & one) == 0 || (given & one) != 0) throw UnsupportedForm{};
    given |= one;
    read_modifier(form, *found);
  }
  read_type(form, parts.back());
  const bool is_half = form.type.find("f16") != std::string_view::npos;
  if (is_half != ((given & bit(Topic::rounding)) != 0)) throw UnsupportedForm{};
  const bool is_atomic = (allowed & bit(Topic::operation)) != 0;
  if (is_atomic && form.operation.empty()) throw UnsupportedForm{};
  return form;
}

}  // namespace skerry::emulation::ptx
