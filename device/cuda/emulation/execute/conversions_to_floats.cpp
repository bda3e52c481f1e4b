// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/conversions.hpp"
#include "device/cuda/emulation/execute/rounding.hpp"

namespace skerry::emulation {
namespace {

template <class D, bool Ftz, bool Sat>
struct as_float {
  template <class S>
  static D of(S a) {
    if constexpr (std::is_integral_v<S>) {
      return static_cast<D>(a);
    } else {
      return saturated<Sat>(flushed<Ftz>(canonical(static_cast<D>(flushed<Ftz>(a)))));
    }
  }
};

template <int Mode, class F, class D, class S>
void convert_in_mode(warp& on, const instruction& what, lane_mask active) {
  const rounding_mode mode(Mode);
  auto* const to = on.values<D>(what.destination[0]);
  const auto* const from = on.values<std::byte>(what.source[0]);
  for_lanes(active, [&](int lane) {
    S operand;
    std::memcpy(&operand, from + std::size_t{what.operand_nbytes} * static_cast<std::size_t>(lane),
                sizeof operand);
    to[lane] = F::of(operand);
  });
}

template <class F, class D, class S>
void declare_modes(operation_table& table, std::string_view modifiers) {
  const auto name = [&](std::string_view rounding, operation what) {
    table.add({"cvt.", rounding, modifiers, ".", type<D>::name, ".", type<S>::name},
              std::move(what));
  };
  const auto with = [](handler run) {
    return operation{.run = run,
                     .results = {sizeof(D)},
                     .arguments = {sizeof(S)},
                     .may_argument_be_wider = true};
  };
  name("rn", conversion<F, D, S>());
  name("rz", with(convert_in_mode<FE_TOWARDZERO, F, D, S>));
  name("rm", with(convert_in_mode<FE_DOWNWARD, F, D, S>));
  name("rp", with(convert_in_mode<FE_UPWARD, F, D, S>));
}

struct unchanged {
  template <class T>
  static T of(T a) {
    return a;
  }
};

template <class F>
void declare_integral(operation_table& table, std::string_view rounding) {
  table.add({"cvt", rounding, ".f32.f32"}, vectors<arithmetic<F>, f32, f32>());
  table.add({"cvt", rounding, ".ftz.f32.f32"}, vectors<arithmetic<F, true>, f32, f32>());
  table.add({"cvt", rounding, ".sat.f32.f32"}, vectors<arithmetic<F, false, true>, f32, f32>());
  table.add({"cvt", rounding, ".ftz.sat.f32.f32"}, vectors<arithmetic<F, true, true>, f32, f32>());
  table.add({"cvt", rounding, ".f64.f64"}, vectors<arithmetic<F>, f64, f64>());
  table.add({"cvt", rounding, ".sat.f64.f64"}, vectors<arithmetic<F, false, true>, f64, f64>());
}

}  // namespace

void declare_conversions_to_floats(operation_table& table) {
  for_types<u8, s8, u16, s16, u32, s32, u64, s64>([&]<class S>(type<S> /*from*/) {
    declare_modes<as_float<f32, false, false>, f32, S>(table, "");
    declare_modes<as_float<f64, false, false>, f64, S>(table, "");
  });
  declare_modes<as_float<f32, false, false>, f32, f64>(table, "");
  declare_modes<as_float<f32, true, false>, f32, f64>(table, ".ftz");
  declare_modes<as_float<f32, false, true>, f32, f64>(table, ".sat");
  declare_modes<as_float<f32, true, true>, f32, f64>(table, ".ftz.sat");
  table.add({"cvt.f64.f32"}, vectors<as_float<f64, false, false>, f64, f32>());
  table.add({"cvt.ftz.f64.f32"}, vectors<as_float<f64, true, false>, f64, f32>());
  table.add({"cvt.sat.f64.f32"}, vectors<as_float<f64, false, true>, f64, f32>());
  table.add({"cvt.ftz.sat.f64.f32"}, vectors<as_float<f64, true, true>, f64, f32>());
  declare_integral<unchanged>(table, "");
  declare_integral<to_nearest>(table, ".rni");
  declare_integral<toward_zero>(table, ".rzi");
  declare_integral<downward>(table, ".rmi");
  declare_integral<upward>(table, ".rpi");
}

}  // namespace skerry::emulation
