// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/floats.hpp"

// One of two values, by a predicate or by the sign of a third one.
namespace skerry::emulation {
namespace {

template <class T>
void select(Warp& on, const Instruction& what, lane_mask active) {
  const lane_mask chosen = on.predicate(what, 2);
  T* const to = on.values<T>(what.destination[0]);
  const T* const first = on.values<const T>(what.source[0]);
  const T* const second = on.values<const T>(what.source[1]);
  if (active == all_lanes) return choose(to, chosen, first, second);
  std::array<T, warp_size> values;
  choose(values.data(), chosen, first, second);
  blend(to, values.data(), active);
}

/// The first one where the third is not negative; NaN chooses the second.
template <bool Ftz>
constexpr auto by_sign = []<class T, class S>(T a, T b, S c) {
  if constexpr (std::is_floating_point_v<S>) return flushed<Ftz>(c) >= 0 ? a : b;
  return c >= 0 ? a : b;
};

template <class T>
void declare(OperationTable& table, std::string_view name) {
  table.add({"selp.", name}, {.run = select<T>,
                              .results = {sizeof(T)},
                              .arguments = {sizeof(T), sizeof(T), predicate_size}});
  table.add({"slct.", name, ".s32"}, vectors<by_sign<false>, T, T, T, s32>());
  table.add({"slct.", name, ".f32"}, vectors<by_sign<false>, T, T, T, f32>());
  table.add({"slct.ftz.", name, ".f32"}, vectors<by_sign<true>, T, T, T, f32>());
}

}  // namespace

void declare_selections(OperationTable& table) {
  for (const std::string_view name : {"b16", "u16", "s16"}) declare<u16>(table, name);
  for (const std::string_view name : {"b32", "u32", "s32", "f32"}) declare<u32>(table, name);
  for (const std::string_view name : {"b64", "u64", "s64", "f64"}) declare<u64>(table, name);
}

}  // namespace skerry::emulation
