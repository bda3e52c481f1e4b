// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/config.hpp"
#include "device/emulator/execute/operation.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
/// Two halves in a 32-bit register, the first in the lower bits.
template <class Half>
struct Packed {
  Half low;
  Half high;
};
using f16x2 = Packed<f16>;
using bf16x2 = Packed<bf16>;
struct b128 {
  u64 low;
  u64 high;
};

template <class T>
[[nodiscard]] constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, u8>) return "u8";
  if constexpr (std::is_same_v<T, u16>) return "u16";
  if constexpr (std::is_same_v<T, u32>) return "u32";
  if constexpr (std::is_same_v<T, u64>) return "u64";
  if constexpr (std::is_same_v<T, s8>) return "s8";
  if constexpr (std::is_same_v<T, s16>) return "s16";
  if constexpr (std::is_same_v<T, s32>) return "s32";
  if constexpr (std::is_same_v<T, s64>) return "s64";
  if constexpr (std::is_same_v<T, f16>) return "f16";
  if constexpr (std::is_same_v<T, bf16>) return "bf16";
  if constexpr (std::is_same_v<T, f16x2>) return "f16x2";
  if constexpr (std::is_same_v<T, bf16x2>) return "bf16x2";
  if constexpr (std::is_same_v<T, f32>) return "f32";
  if constexpr (std::is_same_v<T, f64>) return "f64";
}

/// A tag that passes a type, and its name in PTX, to a function.
template <class T>
struct type {
  static constexpr std::string_view name = type_name<T>();
};
/// Calls `declare` with a tag of each type: `for_types<u16, u32>([&]<class T>(type<T>) { ... })`.
template <class... T, class Declare>
void for_types(Declare&& declare) {
  (declare(type<T>()), ...);
}

/// Selects `first` in `selected_lanes` and `second` in the other lanes. Two-byte lanes are
/// processed in halves of 16, since a 16-bit lane holds only 16 bits of the mask; so the compiler
/// vectorizes every size.
template <class T>
inline void choose(T* destination, lane_mask selected_lanes, const T* first,
                   const T* second) noexcept {
  using bits =
      std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;
  constexpr int mask_width = sizeof(T) <= 2 ? 16 : 32;
  for (int begin = 0; begin < warp_size; begin += mask_width) {
    const auto mask = static_cast<bits>(selected_lanes >> begin);
    // Lanes are independent, even if the destination is also a source.
    SKERRY_IVDEP
    for (int k = 0; k < mask_width; ++k) {
      const auto bit = static_cast<bits>(bits{1} << k);
      const T one = first[begin + k];
      const T other = second[begin + k];
      destination[begin + k] = (mask & bit) != 0 ? one : other;
    }
  }
}

/// Writes the values of the active lanes.
template <class T>
inline void blend(T* destination, const T* values, lane_mask active) noexcept {
  if (active == all_lanes) {
    std::copy_n(values, warp_size, destination);
  } else if constexpr (sizeof(T) == 16) {
    for_lanes(active, [&](int lane) { destination[lane] = values[lane]; });
  } else {
    choose(destination, active, values, destination);
  }
}

/// Writes the same value to the active lanes.
template <class T>
inline void fill(T* destination, T value, lane_mask active) noexcept {
  if (active == all_lanes) {
    std::fill_n(destination, warp_size, value);
  } else {
    for_lanes(active, [&](int lane) { destination[lane] = value; });
  }
}

/// Calls `function` with the destination row and the source rows.
template <class D, class... A, class Function>
inline void with_rows(Warp& warp, const Instruction& instruction, Function&& function) {
  [&]<std::size_t... k>(std::index_sequence<k...> /*sources*/) {
    function(warp.values<D>(instruction.destination[0]),
             warp.values<const A>(instruction.source[k])...);
  }(std::index_sequence_for<A...>());
}

/// Wraps a function or a function object in a class for the loops below.
template <auto Function>
struct Applied {
  static auto apply(auto... operands) { return Function(operands...); }
};

/// Applies F::apply to every lane, inactive ones too, so F must not trap.
template <class F, class D, class... A>
struct Elementwise {
  static void run(Warp& warp, const Instruction& instruction, lane_mask active) {
    with_rows<D, A...>(warp, instruction, [&](D* destination, const A*... sources) {
      if (active == all_lanes) {
        // Lanes are independent, even if the destination is also a source.
        SKERRY_IVDEP
        for (int lane = 0; lane < warp_size; ++lane) destination[lane] = F::apply(sources[lane]...);
      } else {
        std::array<D, warp_size> values;
        for (std::size_t lane = 0; lane < warp_size; ++lane)
          values[lane] = F::apply(sources[lane]...);
        blend(destination, values.data(), active);
      }
    });
  }
};

/// Applies F::apply to the active lanes only: for functions that are slow or may trap.
template <class F, class D, class... A>
struct LaneByLane {
  static void run(Warp& warp, const Instruction& instruction, lane_mask active) {
    with_rows<D, A...>(warp, instruction, [&](D* destination, const A*... sources) {
      for_lanes(active, [&](int lane) { destination[lane] = F::apply(sources[lane]...); });
    });
  }
};

template <class Loop, class D, class... A>
[[nodiscard]] Operation with_loop() {
  return {.execute = Loop::run, .results = {sizeof(D)}, .arguments = {sizeof(A)...}};
}
template <class F, class D, class... A>
[[nodiscard]] Operation vector_op() {
  return with_loop<Elementwise<F, D, A...>, D, A...>();
}
template <class F, class D, class... A>
[[nodiscard]] Operation lane_op() {
  return with_loop<LaneByLane<F, D, A...>, D, A...>();
}
template <auto F, class D, class... A>
[[nodiscard]] Operation vector_op() {
  return vector_op<Applied<F>, D, A...>();
}
template <auto F, class D, class... A>
[[nodiscard]] Operation lane_op() {
  return lane_op<Applied<F>, D, A...>();
}

}  // namespace skerry::emulation
