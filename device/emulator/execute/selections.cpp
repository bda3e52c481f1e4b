// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/floats.hpp"

// Selection of one of two values by a predicate, or by the sign of a third value.
namespace skerry::emulation {
namespace {

template <class T>
void select(Warp& warp, const Instruction& instruction, lane_mask active) {
  const lane_mask selected_lanes = warp.predicate(instruction, 2);
  T* const destination = warp.values<T>(instruction.destination[0]);
  const T* const first = warp.values<const T>(instruction.source[0]);
  const T* const second = warp.values<const T>(instruction.source[1]);
  if (active == all_lanes) return choose(destination, selected_lanes, first, second);
  std::array<T, warp_size> values;
  choose(values.data(), selected_lanes, first, second);
  blend(destination, values.data(), active);
}

/// Returns a if c is not negative, else b; b if c is NaN.
template <bool Ftz>
constexpr auto by_sign = []<class T, class S>(T a, T b, S c) {
  if constexpr (std::is_floating_point_v<S>) return flushed<Ftz>(c) >= 0 ? a : b;
  return c >= 0 ? a : b;
};

template <class T>
void declare(OperationTable& table, std::string_view name) {
  table.add({"selp.", name}, {.execute = select<T>,
                              .results = {sizeof(T)},
                              .arguments = {sizeof(T), sizeof(T), predicate_nbytes}});
  table.add({"slct.", name, ".s32"}, vector_op<by_sign<false>, T, T, T, s32>());
  table.add({"slct.", name, ".f32"}, vector_op<by_sign<false>, T, T, T, f32>());
  table.add({"slct.ftz.", name, ".f32"}, vector_op<by_sign<true>, T, T, T, f32>());
}

}  // namespace

void declare_selections(OperationTable& table) {
  for (const std::string_view name : {"b16", "u16", "s16"}) declare<u16>(table, name);
  for (const std::string_view name : {"b32", "u32", "s32", "f32"}) declare<u32>(table, name);
  for (const std::string_view name : {"b64", "u64", "s64", "f64"}) declare<u64>(table, name);
}

}  // namespace skerry::emulation
