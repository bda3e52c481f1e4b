// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

constexpr auto identity = [](auto a) { return a; };

void move_predicate(Warp& warp, const Instruction& instruction, lane_mask active) {
  warp.set_predicate(instruction.destination[0], warp.predicate(instruction, 0), active);
}

/// mov.b64 d, {a, b}: the first element is in the lowest bits.
template <class Whole, class Element>
void pack(Warp& warp, const Instruction& instruction, lane_mask active) {
  constexpr std::size_t count = sizeof(Whole) / sizeof(Element);
  std::array<std::array<Element, count>, warp_size> parts;
  for (std::size_t k = 0; k < count; ++k) {
    const Element* const source = warp.values<const Element>(instruction.source[k]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) parts[lane][k] = source[lane];
  }
  std::array<Whole, warp_size> wholes;
  std::memcpy(wholes.data(), parts.data(), sizeof wholes);
  blend(warp.values<Whole>(instruction.destination[0]), wholes.data(), active);
}

template <class Whole, class Element>
void unpack(Warp& warp, const Instruction& instruction, lane_mask active) {
  constexpr std::size_t count = sizeof(Whole) / sizeof(Element);
  std::array<std::array<Element, count>, warp_size> parts;
  std::memcpy(parts.data(), warp.values<const Whole>(instruction.source[0]), sizeof parts);
  for (std::size_t k = 0; k < count; ++k) {
    if (instruction.destination[k] == no_row) continue;
    std::array<Element, warp_size> elements;
    for (std::size_t lane = 0; lane < warp_size; ++lane) elements[lane] = parts[lane][k];
    blend(warp.values<Element>(instruction.destination[k]), elements.data(), active);
  }
}

/// Declares moves of vectors, which the decoder finds by these names.
template <class Whole, class Element>
void declare_parts(OperationTable& table, std::string_view name) {
  const std::vector<std::uint8_t> parts(sizeof(Whole) / sizeof(Element), sizeof(Element));
  table.add({pack_prefix, name},
            {.execute = pack<Whole, Element>, .results = {sizeof(Whole)}, .arguments = parts});
  table.add({unpack_prefix, name},
            {.execute = unpack<Whole, Element>, .results = parts, .arguments = {sizeof(Whole)}});
}

template <class T>
void declare(OperationTable& table, std::string_view suffix) {
  table.add({"mov.", suffix}, vector_op<identity, T, T>());
}

}  // namespace

void declare_moves(OperationTable& table) {
  for (const std::string_view name : {"b16", "u16", "s16"}) declare<u16>(table, name);
  for (const std::string_view name : {"b32", "u32", "s32", "f32"}) declare<u32>(table, name);
  for (const std::string_view name : {"b64", "u64", "s64", "f64"}) declare<u64>(table, name);
  table.add(
      {"mov.pred"},
      {.execute = move_predicate, .results = {predicate_nbytes}, .arguments = {predicate_nbytes}});
  table.add({"mov.b128"}, lane_op<identity, b128, b128>());
  declare_parts<u32, u16>(table, "4.2");
  declare_parts<u64, u32>(table, "8.4");
  declare_parts<u64, u16>(table, "8.2");
  declare_parts<b128, u64>(table, "16.8");
  declare_parts<b128, u32>(table, "16.4");
  // Addresses in global, local and constant memory are generic ones already.
  for (const std::string_view space : {"global", "local", "const"}) {
    table.add({"cvta.", space, ".u64"}, vector_op<identity, u64, u64>());
    table.add({"cvta.to.", space, ".u64"}, vector_op<identity, u64, u64>());
  }
}

}  // namespace skerry::emulation
