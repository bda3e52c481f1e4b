// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/choices.hpp"
#include "device/emulator/execute/rounding.hpp"

namespace skerry::emulation {
namespace {

// GPUs implement these by adding zero: a NaN gives the canonical NaN, as measured on an H100.
template <bool Ftz>
constexpr auto negation = [](auto a) { return a == a ? -flushed<Ftz>(a) : canonical(a); };
template <bool Ftz>
constexpr auto magnitude =
    [](auto a) { return a == a ? std::fabs(flushed<Ftz>(a)) : canonical(a); };
/// Changes only the sign bit, of NaNs too.
constexpr auto sign_of_first = [](auto a, auto b) { return std::copysign(b, a); };

/// Declares the operation with rounding to nearest, and without a rounding modifier if that is the
/// default.
template <auto Exact, class... A>
void declare_nearest(OperationTable& table, std::string_view opcode, bool has_default) {
  const auto named = [&]<bool Ftz, bool Sat>(std::string_view rounding,
                                             std::string_view modifiers) {
    table.add({opcode, rounding, modifiers, ".f32"},
              vector_op<Arithmetic<Applied<Exact>, Ftz, Sat>, f32, decltype(f32(A{}))...>());
  };
  for (const std::string_view rounding : {".rn", ""}) {
    if (rounding.empty() && !has_default) continue;
    named.template operator()<false, false>(rounding, "");
    named.template operator()<true, false>(rounding, ".ftz");
    named.template operator()<false, true>(rounding, ".sat");
    named.template operator()<true, true>(rounding, ".ftz.sat");
    table.add({opcode, rounding, ".f64"},
              vector_op<Arithmetic<Applied<Exact>>, f64, decltype(f64(A{}))...>());
  }
}

/// As declare_nearest(), for operations without .sat.
template <auto Exact>
void declare_nearest_unary(OperationTable& table, std::string_view opcode) {
  table.add({opcode, ".rn.f32"}, vector_op<Arithmetic<Applied<Exact>>, f32, f32>());
  table.add({opcode, ".rn.ftz.f32"}, vector_op<Arithmetic<Applied<Exact>, true>, f32, f32>());
  table.add({opcode, ".rn.f64"}, vector_op<Arithmetic<Applied<Exact>>, f64, f64>());
}

template <template <bool, bool> class Choice>
void declare_choice(OperationTable& table, std::string_view opcode) {
  const auto declare = [&]<bool Nan, bool Xor>(std::string_view modifiers) {
    table.add({opcode, modifiers, ".f32"},
              vector_op<Arithmetic<Choice<Nan, Xor>>, f32, f32, f32>());
    table.add({opcode, ".ftz", modifiers, ".f32"},
              vector_op<Arithmetic<Choice<Nan, Xor>, true>, f32, f32, f32>());
  };
  declare.template operator()<false, false>("");
  declare.template operator()<true, false>(".NaN");
  declare.template operator()<false, true>(".xorsign.abs");
  declare.template operator()<true, true>(".NaN.xorsign.abs");
  table.add({opcode, ".f64"}, vector_op<Choice<false, false>, f64, f64, f64>());
}

/// Arithmetic in another rounding mode, set once for all lanes.
template <class F, int Mode, class D, class... A>
struct InMode {
  static void run(Warp& warp, const Instruction& instruction, lane_mask active) {
    const RoundingMode mode(Mode);
    Elementwise<F, D, A...>::run(warp, instruction, active);
  }
};

template <class F, class T, class... A>
void declare_in_modes(OperationTable& table, std::string_view opcode, std::string_view modifiers) {
  table.add({opcode, ".rz", modifiers, ".", type<T>::name},
            with_loop<InMode<F, FE_TOWARDZERO, T, A...>, T, A...>());
  table.add({opcode, ".rm", modifiers, ".", type<T>::name},
            with_loop<InMode<F, FE_DOWNWARD, T, A...>, T, A...>());
  table.add({opcode, ".rp", modifiers, ".", type<T>::name},
            with_loop<InMode<F, FE_UPWARD, T, A...>, T, A...>());
}

template <auto Exact, class T, class... A>
void declare_rounded(OperationTable& table, std::string_view opcode) {
  declare_in_modes<Arithmetic<Applied<Exact>>, T, A...>(table, opcode, "");
  if constexpr (std::is_same_v<T, f32>) {
    declare_in_modes<Arithmetic<Applied<Exact>, true>, T, A...>(table, opcode, ".ftz");
  }
}

/// As declare_rounded(), for operations that also have .sat.
template <auto Exact, class T, class... A>
void declare_saturating(OperationTable& table, std::string_view opcode) {
  declare_rounded<Exact, T, A...>(table, opcode);
  if constexpr (std::is_same_v<T, f32>) {
    declare_in_modes<Arithmetic<Applied<Exact>, false, true>, T, A...>(table, opcode, ".sat");
    declare_in_modes<Arithmetic<Applied<Exact>, true, true>, T, A...>(table, opcode, ".ftz.sat");
  }
}

}  // namespace

void declare_floating_arithmetic(OperationTable& table) {
  declare_nearest<std::plus<>{}, int, int>(table, "add", true);
  declare_nearest<std::minus<>{}, int, int>(table, "sub", true);
  declare_nearest<std::multiplies<>{}, int, int>(table, "mul", true);
  declare_nearest<fused_product, int, int, int>(table, "fma", false);
  declare_nearest<fused_product, int, int, int>(table, "mad", false);
  for_types<f32, f64>([&]<class T>(type<T> /*type_tag*/) {
    declare_saturating<std::plus<>{}, T, T, T>(table, "add");
    declare_saturating<std::minus<>{}, T, T, T>(table, "sub");
    declare_saturating<std::multiplies<>{}, T, T, T>(table, "mul");
    declare_saturating<fused_product, T, T, T, T>(table, "fma");
    declare_saturating<fused_product, T, T, T, T>(table, "mad");
    declare_rounded<std::divides<>{}, T, T, T>(table, "div");
    declare_rounded<reciprocal, T, T>(table, "rcp");
    declare_rounded<square_root, T, T>(table, "sqrt");
  });
  table.add({"div.rn.f32"}, vector_op<Arithmetic<Applied<std::divides<>{}>>, f32, f32, f32>());
  table.add({"div.rn.ftz.f32"},
            vector_op<Arithmetic<Applied<std::divides<>{}>, true>, f32, f32, f32>());
  table.add({"div.rn.f64"}, vector_op<Arithmetic<Applied<std::divides<>{}>>, f64, f64, f64>());
  declare_nearest_unary<reciprocal>(table, "rcp");
  declare_nearest_unary<square_root>(table, "sqrt");
  declare_choice<Smaller>(table, "min");
  declare_choice<Larger>(table, "max");
  table.add({"neg.f32"}, vector_op<negation<false>, f32, f32>());
  table.add({"neg.ftz.f32"}, vector_op<negation<true>, f32, f32>());
  table.add({"neg.f64"}, vector_op<negation<false>, f64, f64>());
  table.add({"abs.f32"}, vector_op<magnitude<false>, f32, f32>());
  table.add({"abs.ftz.f32"}, vector_op<magnitude<true>, f32, f32>());
  table.add({"abs.f64"}, vector_op<magnitude<false>, f64, f64>());
  table.add({"copysign.f32"}, vector_op<sign_of_first, f32, f32, f32>());
  table.add({"copysign.f64"}, vector_op<sign_of_first, f64, f64, f64>());
}

}  // namespace skerry::emulation
