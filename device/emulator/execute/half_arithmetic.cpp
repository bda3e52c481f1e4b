// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "device/emulator/execute/halves.hpp"

// Arithmetic of float16 and bfloat16.
namespace skerry::emulation {
namespace {

constexpr auto sum = [](f64 a, f64 b) { return fused_halves(a, 1, b); };
constexpr auto difference = [](f64 a, f64 b) { return fused_halves(a, 1, -b); };
constexpr auto product = [](f64 a, f64 b) { return a * b; };
constexpr auto sum_of_product = [](f64 a, f64 b, f64 c) { return fused_halves(a, b, c); };
constexpr auto power_of_two = [](f64 a) { return std::exp2(a); };
constexpr auto hyperbolic_tangent = [](f64 a) { return std::tanh(a); };

// These change only the sign bit, of NaNs too.
template <bool Ftz>
struct Negation {
  template <class Half>
  static Half apply(Half a) {
    return {static_cast<u16>(flushed_half<Ftz>(a).bits ^ 0x8000U)};
  }
};
template <bool Ftz>
struct Magnitude {
  template <class Half>
  static Half apply(Half a) {
    return {static_cast<u16>(flushed_half<Ftz>(a).bits & 0x7fffU)};
  }
};

/// Declares the forms of float16, with .ftz and .sat, which bfloat16 lacks.
template <auto Exact, class... A>
void declare_nearest(OperationTable& table, std::string_view opcode, std::string_view rounding) {
  const std::string whole = std::string(opcode).append(rounding);
  declare_halves<HalfArithmetic<f16, Exact>, f16, A...>(table, whole, "");
  declare_halves<HalfArithmetic<f16, Exact, true>, f16, A...>(table, whole, ".ftz");
  declare_halves<HalfArithmetic<f16, Exact, false, RangeLimit::saturated>, f16, A...>(table, whole,
                                                                                      ".sat");
  declare_halves<HalfArithmetic<f16, Exact, true, RangeLimit::saturated>, f16, A...>(table, whole,
                                                                                     ".ftz.sat");
}

template <auto Exact>
void declare_sum(OperationTable& table, std::string_view opcode) {
  for (const std::string_view rounding : {"", ".rn"}) {
    declare_nearest<Exact, f16, f16>(table, opcode, rounding);
    declare_halves<HalfArithmetic<bf16, Exact>, bf16, bf16, bf16>(table, opcode, rounding);
  }
}

}  // namespace

void declare_half_arithmetic(OperationTable& table) {
  declare_sum<sum>(table, "add");
  declare_sum<difference>(table, "sub");
  declare_sum<product>(table, "mul");
  declare_nearest<sum_of_product, f16, f16, f16>(table, "fma", ".rn");
  declare_halves<HalfArithmetic<f16, sum_of_product, false, RangeLimit::relu>, f16, f16, f16, f16>(
      table, "fma.rn", ".relu");
  declare_halves<HalfArithmetic<f16, sum_of_product, true, RangeLimit::relu>, f16, f16, f16, f16>(
      table, "fma.rn", ".ftz.relu");
  declare_halves<HalfArithmetic<bf16, sum_of_product>, bf16, bf16, bf16, bf16>(table, "fma.rn", "");
  declare_halves<HalfArithmetic<bf16, sum_of_product, false, RangeLimit::relu>, bf16, bf16, bf16,
                 bf16>(table, "fma.rn", ".relu");
  for_types<f16, bf16>([&]<class Half>(type<Half> /*type_tag*/) {
    declare_halves<Negation<false>, Half, Half>(table, "neg", "");
    declare_halves<Magnitude<false>, Half, Half>(table, "abs", "");
    declare_halves<HalfArithmetic<Half, hyperbolic_tangent>, Half, Half>(table, "tanh.approx", "");
  });
  declare_halves<Negation<true>, f16, f16>(table, "neg", ".ftz");
  declare_halves<Magnitude<true>, f16, f16>(table, "abs", ".ftz");
  declare_halves<HalfArithmetic<f16, power_of_two>, f16, f16>(table, "ex2.approx", "");
  declare_halves<HalfArithmetic<bf16, power_of_two, true>, bf16, bf16>(table, "ex2.approx", ".ftz");
}

}  // namespace skerry::emulation
