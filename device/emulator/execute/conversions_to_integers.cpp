// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/halves.hpp"

namespace skerry::emulation {
namespace {

template <class D>
struct Truncated {
  template <class S>
  static D apply(S a) {
    return static_cast<D>(a);
  }
};

template <class D>
struct Clamped {
  template <class S>
  static D apply(S a) {
    using limits = std::numeric_limits<D>;
    if (std::is_signed_v<S> && static_cast<s64>(a) < static_cast<s64>(limits::min()) &&
        (std::is_signed_v<D> || a < 0)) {
      return limits::min();
    }
    return (!std::is_signed_v<S> || a > 0) && static_cast<u64>(a) > static_cast<u64>(limits::max())
               ? limits::max()
               : static_cast<D>(a);
  }
};

/// Converts an integral value, saturating. NaN becomes 0, or the value with only the top bit set if
/// either type has 64 bits (PTX ISA, cvt).
template <class D, class S>
[[nodiscard]] D nearest_integer(S a) {
  constexpr int bits = std::numeric_limits<D>::digits;
  constexpr S end = bits < 64 ? static_cast<S>(u64{1} << (bits % 64)) : S{18446744073709551616.0};
  constexpr S begin = std::is_signed_v<D> ? -end : S{0};
  constexpr D for_nan = std::is_same_v<S, f64> || sizeof(D) == 8
                            ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1))
                            : D{0};
  if (a != a) return for_nan;
  if (a <= begin) return std::numeric_limits<D>::min();
  if (a >= end) return std::numeric_limits<D>::max();
  return static_cast<D>(a);
}

template <class D, class Rounding, bool Ftz>
struct RoundedInteger {
  template <class S>
  static D apply(S a) {
    return nearest_integer<D>(Rounding::apply(flushed<Ftz>(number_of(a))));
  }
};

template <class Rounding, class D, class S>
void declare_rounding(OperationTable& table, std::string_view rounding) {
  // .sat changes nothing: conversion of floats to integers always saturates.
  for (const std::string_view saturation : {"", ".sat"}) {
    table.add({"cvt.", rounding, saturation, ".", type<D>::name, ".", type<S>::name},
              conversion<RoundedInteger<D, Rounding, false>, D, S>());
    if constexpr (std::is_same_v<S, f32>) {
      table.add({"cvt.", rounding, ".ftz", saturation, ".", type<D>::name, ".f32"},
                conversion<RoundedInteger<D, Rounding, true>, D, S>());
    }
  }
}

template <class D>
void declare_from_integers(OperationTable& table) {
  for_types<u8, s8, u16, s16, u32, s32, u64, s64>([&]<class S>(type<S> type_tag) {
    table.add({"cvt.", type<D>::name, ".", type_tag.name}, conversion<Truncated<D>, D, S>());
    table.add({"cvt.sat.", type<D>::name, ".", type_tag.name}, conversion<Clamped<D>, D, S>());
  });
}

}  // namespace

void declare_conversions_to_integers(OperationTable& table) {
  for_types<u8, s8, u16, s16, u32, s32, u64, s64>([&]<class D>(type<D> /*destination*/) {
    declare_from_integers<D>(table);
    for_types<f16, bf16, f32, f64>([&]<class S>(type<S> /*source*/) {
      declare_rounding<ToNearest, D, S>(table, "rni");
      declare_rounding<TowardZero, D, S>(table, "rzi");
      declare_rounding<Downward, D, S>(table, "rmi");
      declare_rounding<Upward, D, S>(table, "rpi");
    });
  });
}

}  // namespace skerry::emulation
