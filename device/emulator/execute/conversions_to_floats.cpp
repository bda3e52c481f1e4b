// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/conversions.hpp"
#include "device/emulator/execute/rounding.hpp"

namespace skerry::emulation {
namespace {

template <class D, bool Ftz, bool Sat>
struct AsFloat {
  template <class S>
  static D apply(S a) {
    if constexpr (std::is_integral_v<S>) {
      return static_cast<D>(a);
    } else {
      return saturated<Sat>(flushed<Ftz>(canonical(static_cast<D>(flushed<Ftz>(a)))));
    }
  }
};

template <int Mode, class F, class D, class S>
void convert_in_mode(Warp& warp, const Instruction& instruction, lane_mask active) {
  const RoundingMode mode(Mode);
  auto* const destination = warp.values<D>(instruction.destination[0]);
  const auto* const source = warp.values<std::byte>(instruction.source[0]);
  for_lanes(active, [&](int lane) {
    S operand;
    std::memcpy(&operand,
                source + std::size_t{instruction.operand_nbytes} * static_cast<std::size_t>(lane),
                sizeof operand);
    destination[lane] = F::apply(operand);
  });
}

template <class F, class D, class S>
void declare_modes(OperationTable& table, std::string_view modifiers) {
  const auto name = [&](std::string_view rounding, Operation operation) {
    table.add({"cvt.", rounding, modifiers, ".", type<D>::name, ".", type<S>::name},
              std::move(operation));
  };
  const auto make_operation = [](handler function) {
    return Operation{.execute = function,
                     .results = {sizeof(D)},
                     .arguments = {sizeof(S)},
                     .may_argument_be_wider = true};
  };
  name("rn", conversion<F, D, S>());
  name("rz", make_operation(convert_in_mode<FE_TOWARDZERO, F, D, S>));
  name("rm", make_operation(convert_in_mode<FE_DOWNWARD, F, D, S>));
  name("rp", make_operation(convert_in_mode<FE_UPWARD, F, D, S>));
}

struct Unchanged {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

template <class F>
void declare_integral(OperationTable& table, std::string_view rounding) {
  table.add({"cvt", rounding, ".f32.f32"}, vector_op<Arithmetic<F>, f32, f32>());
  table.add({"cvt", rounding, ".ftz.f32.f32"}, vector_op<Arithmetic<F, true>, f32, f32>());
  table.add({"cvt", rounding, ".sat.f32.f32"}, vector_op<Arithmetic<F, false, true>, f32, f32>());
  table.add({"cvt", rounding, ".ftz.sat.f32.f32"},
            vector_op<Arithmetic<F, true, true>, f32, f32>());
  table.add({"cvt", rounding, ".f64.f64"}, vector_op<Arithmetic<F>, f64, f64>());
  table.add({"cvt", rounding, ".sat.f64.f64"}, vector_op<Arithmetic<F, false, true>, f64, f64>());
}

}  // namespace

void declare_conversions_to_floats(OperationTable& table) {
  for_types<u8, s8, u16, s16, u32, s32, u64, s64>([&]<class S>(type<S> /*source*/) {
    declare_modes<AsFloat<f32, false, false>, f32, S>(table, "");
    declare_modes<AsFloat<f64, false, false>, f64, S>(table, "");
  });
  declare_modes<AsFloat<f32, false, false>, f32, f64>(table, "");
  declare_modes<AsFloat<f32, true, false>, f32, f64>(table, ".ftz");
  declare_modes<AsFloat<f32, false, true>, f32, f64>(table, ".sat");
  declare_modes<AsFloat<f32, true, true>, f32, f64>(table, ".ftz.sat");
  table.add({"cvt.f64.f32"}, vector_op<AsFloat<f64, false, false>, f64, f32>());
  table.add({"cvt.ftz.f64.f32"}, vector_op<AsFloat<f64, true, false>, f64, f32>());
  table.add({"cvt.sat.f64.f32"}, vector_op<AsFloat<f64, false, true>, f64, f32>());
  table.add({"cvt.ftz.sat.f64.f32"}, vector_op<AsFloat<f64, true, true>, f64, f32>());
  declare_integral<Unchanged>(table, "");
  declare_integral<ToNearest>(table, ".rni");
  declare_integral<TowardZero>(table, ".rzi");
  declare_integral<Downward>(table, ".rmi");
  declare_integral<Upward>(table, ".rpi");
}

}  // namespace skerry::emulation
