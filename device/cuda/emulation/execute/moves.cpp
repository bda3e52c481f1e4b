// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

constexpr auto same = [](auto a) { return a; };

void move_predicate(Warp& on, const Instruction& what, lane_mask active) {
  on.set_predicate(what.destination[0], on.predicate(what, 0), active);
}

/// mov.b64 d, {a, b}: the first element is the lowest.
template <class Whole, class Part>
void pack(Warp& on, const Instruction& what, lane_mask active) {
  constexpr std::size_t count = sizeof(Whole) / sizeof(Part);
  std::array<std::array<Part, count>, warp_size> parts;
  for (std::size_t k = 0; k < count; ++k) {
    const Part* const from = on.values<const Part>(what.source[k]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) parts[lane][k] = from[lane];
  }
  std::array<Whole, warp_size> wholes;
  std::memcpy(wholes.data(), parts.data(), sizeof wholes);
  blend(on.values<Whole>(what.destination[0]), wholes.data(), active);
}

template <class Whole, class Part>
void unpack(Warp& on, const Instruction& what, lane_mask active) {
  constexpr std::size_t count = sizeof(Whole) / sizeof(Part);
  std::array<std::array<Part, count>, warp_size> parts;
  std::memcpy(parts.data(), on.values<const Whole>(what.source[0]), sizeof parts);
  for (std::size_t k = 0; k < count; ++k) {
    if (what.destination[k] == no_row) continue;
    std::array<Part, warp_size> part;
    for (std::size_t lane = 0; lane < warp_size; ++lane) part[lane] = parts[lane][k];
    blend(on.values<Part>(what.destination[k]), part.data(), active);
  }
}

/// Under names that the decoder gives to moves of vectors.
template <class Whole, class Part>
void declare_parts(OperationTable& table, std::string_view name) {
  const std::vector<std::uint8_t> parts(sizeof(Whole) / sizeof(Part), sizeof(Part));
  table.add({pack_prefix, name},
            {.run = pack<Whole, Part>, .results = {sizeof(Whole)}, .arguments = parts});
  table.add({unpack_prefix, name},
            {.run = unpack<Whole, Part>, .results = parts, .arguments = {sizeof(Whole)}});
}

template <class T>
void declare(OperationTable& table, std::string_view suffix) {
  table.add({"mov.", suffix}, vectors<same, T, T>());
}

}  // namespace

void declare_moves(OperationTable& table) {
  for (const std::string_view name : {"b16", "u16", "s16"}) declare<u16>(table, name);
  for (const std::string_view name : {"b32", "u32", "s32", "f32"}) declare<u32>(table, name);
  for (const std::string_view name : {"b64", "u64", "s64", "f64"}) declare<u64>(table, name);
  table.add({"mov.pred"},
            {.run = move_predicate, .results = {predicate_size}, .arguments = {predicate_size}});
  table.add({"mov.b128"}, scalars<same, b128, b128>());
  declare_parts<u32, u16>(table, "4.2");
  declare_parts<u64, u32>(table, "8.4");
  declare_parts<u64, u16>(table, "8.2");
  declare_parts<b128, u64>(table, "16.8");
  declare_parts<b128, u32>(table, "16.4");
  // Global and local memory have the generic addresses; the others have their own.
  for (const std::string_view space : {"global", "local", "const"}) {
    table.add({"cvta.", space, ".u64"}, vectors<same, u64, u64>());
    table.add({"cvta.to.", space, ".u64"}, vectors<same, u64, u64>());
  }
}

}  // namespace skerry::emulation
