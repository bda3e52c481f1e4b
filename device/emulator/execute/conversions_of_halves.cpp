// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/halves.hpp"

// Conversions between float16 or bfloat16 and other types; those to integers are in
// conversions_to_integers.cpp.
namespace skerry::emulation {
namespace {

template <class Half, class Rounding, bool Ftz = false, RangeLimit Limit = RangeLimit::none>
struct AsHalf {
  template <class S>
  static Half apply(S a) {
    return half_of<Half, Rounding>(limited<Limit>(widened(flushed<Ftz>(number_of(a)))));
  }
};

/// As AsHalf, for integers: these are never subnormal.
template <class Half, class Rounding>
struct IntegerAsHalf {
  template <class S>
  static Half apply(S a) {
    return half_of<Half, Rounding>(widened(a));
  }
};

template <class D, bool Ftz, bool Sat>
struct WidenedHalf {
  template <class Half>
  static D apply(Half a) {
    return saturated<Sat>(static_cast<D>(flushed<Ftz>(number_of(a))));
  }
};

/// Calls `declare` with each rounding mode and its name.
template <class Declare>
void for_roundings(Declare&& declare) {
  declare.template operator()<ToNearest>("rn");
  declare.template operator()<TowardZero>("rz");
  declare.template operator()<Downward>("rm");
  declare.template operator()<Upward>("rp");
}

template <class Half, class S>
void declare_from_integer(OperationTable& table) {
  for_roundings([&]<class Rounding>(std::string_view rounding) {
    table.add({"cvt.", rounding, ".", type<Half>::name, ".", type<S>::name},
              conversion<IntegerAsHalf<Half, Rounding>, Half, S>());
  });
}

template <class Half, class S>
void declare_from_float(OperationTable& table) {
  for_roundings([&]<class Rounding>(std::string_view rounding) {
    const auto declare = [&](std::string_view modifiers, Operation operation) {
      table.add({"cvt.", rounding, modifiers, ".", type<Half>::name, ".", type<S>::name},
                std::move(operation));
    };
    declare("", conversion<AsHalf<Half, Rounding>, Half, S>());
    declare(".sat", conversion<AsHalf<Half, Rounding, false, RangeLimit::saturated>, Half, S>());
    if constexpr (std::is_same_v<S, f32>) {
      declare(".relu", conversion<AsHalf<Half, Rounding, false, RangeLimit::relu>, Half, S>());
      declare(".ftz", conversion<AsHalf<Half, Rounding, true>, Half, S>());
      declare(".ftz.sat",
              conversion<AsHalf<Half, Rounding, true, RangeLimit::saturated>, Half, S>());
    }
  });
}

/// Declares conversions to wider floats, which are exact.
template <class Half>
void declare_widening(OperationTable& table) {
  const std::string_view source_type = type<Half>::name;
  table.add({"cvt.f32.", source_type}, conversion<WidenedHalf<f32, false, false>, f32, Half>());
  table.add({"cvt.sat.f32.", source_type}, conversion<WidenedHalf<f32, false, true>, f32, Half>());
  table.add({"cvt.ftz.f32.", source_type}, conversion<WidenedHalf<f32, true, false>, f32, Half>());
  table.add({"cvt.ftz.sat.f32.", source_type},
            conversion<WidenedHalf<f32, true, true>, f32, Half>());
  table.add({"cvt.f64.", source_type}, conversion<WidenedHalf<f64, false, false>, f64, Half>());
  table.add({"cvt.sat.f64.", source_type}, conversion<WidenedHalf<f64, false, true>, f64, Half>());
}

/// Rounds to an integral value of the same type.
template <class Rounding>
struct IntegralHalf {
  template <class Half>
  static Half apply(Half a) {
    return half_of<Half, ToNearest>(Rounding::apply(number_of(a)));
  }
};

template <class Half>
void declare_integral(OperationTable& table) {
  const auto declare = [&]<class Rounding>(std::string_view rounding) {
    table.add({"cvt.", rounding, ".", type<Half>::name, ".", type<Half>::name},
              conversion<IntegralHalf<Rounding>, Half, Half>());
  };
  declare.template operator()<ToNearest>("rni");
  declare.template operator()<TowardZero>("rzi");
  declare.template operator()<Downward>("rmi");
  declare.template operator()<Upward>("rpi");
}

}  // namespace

void declare_conversions_of_halves(OperationTable& table) {
  for_types<f16, bf16>([&]<class Half>(type<Half> /*type_tag*/) {
    for_types<u8, s8, u16, s16, u32, s32, u64, s64>(
        [&]<class S>(type<S> /*source*/) { declare_from_integer<Half, S>(table); });
    declare_from_float<Half, f32>(table);
    declare_from_float<Half, f64>(table);
    declare_widening<Half>(table);
    declare_integral<Half>(table);
  });
  declare_from_float<bf16, f16>(table);
  declare_from_float<f16, bf16>(table);
}

}  // namespace skerry::emulation
