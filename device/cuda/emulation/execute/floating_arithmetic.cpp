// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/floats.hpp"
#include "device/cuda/emulation/execute/rounding.hpp"

namespace skerry::emulation {
namespace {

/// The negative zero is less than the positive one. Nan: a NaN among the operands is the result;
/// else the other operand is.
template <bool Nan>
constexpr auto smaller = []<class T>(T a, T b) {
  const T ordered = a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
  if (Nan) return a == a && b == b ? ordered : std::numeric_limits<T>::quiet_NaN();
  return a == a ? (b == b ? ordered : a) : b;
};
template <bool Nan>
constexpr auto larger = []<class T>(T a, T b) {
  const T ordered = a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b);
  if (Nan) return a == a && b == b ? ordered : std::numeric_limits<T>::quiet_NaN();
  return a == a ? (b == b ? ordered : a) : b;
};
// These change the sign's bit alone, of NaN too.
template <bool Ftz>
constexpr auto negation = [](auto a) { return -flushed<Ftz>(a); };
template <bool Ftz>
constexpr auto magnitude = [](auto a) { return std::fabs(flushed<Ftz>(a)); };
constexpr auto sign_of_first = [](auto a, auto b) { return std::copysign(b, a); };

/// The operation to the nearest under its names: without a rounding where that is the default.
template <auto Exact, class... A>
void declare_nearest(operation_table& table, std::string_view opcode, bool has_default) {
  const auto named = [&]<bool Ftz, bool Sat>(std::string_view rounding,
                                             std::string_view modifiers) {
    table.add({opcode, rounding, modifiers, ".f32"},
              vectors<arithmetic<applied<Exact>, Ftz, Sat>, f32, decltype(f32(A{}))...>());
  };
  for (const std::string_view rounding : {".rn", ""}) {
    if (rounding.empty() && !has_default) continue;
    named.template operator()<false, false>(rounding, "");
    named.template operator()<true, false>(rounding, ".ftz");
    named.template operator()<false, true>(rounding, ".sat");
    named.template operator()<true, true>(rounding, ".ftz.sat");
    table.add({opcode, rounding, ".f64"},
              vectors<arithmetic<applied<Exact>>, f64, decltype(f64(A{}))...>());
  }
}

/// The same for what has no .sat.
template <auto Exact>
void declare_nearest_unary(operation_table& table, std::string_view opcode) {
  table.add({opcode, ".rn.f32"}, vectors<arithmetic<applied<Exact>>, f32, f32>());
  table.add({opcode, ".rn.ftz.f32"}, vectors<arithmetic<applied<Exact>, true>, f32, f32>());
  table.add({opcode, ".rn.f64"}, vectors<arithmetic<applied<Exact>>, f64, f64>());
}

template <auto number, auto nan>
void declare_choice(operation_table& table, std::string_view opcode) {
  table.add({opcode, ".f32"}, vectors<arithmetic<applied<number>>, f32, f32, f32>());
  table.add({opcode, ".ftz.f32"}, vectors<arithmetic<applied<number>, true>, f32, f32, f32>());
  table.add({opcode, ".NaN.f32"}, vectors<arithmetic<applied<nan>>, f32, f32, f32>());
  table.add({opcode, ".ftz.NaN.f32"}, vectors<arithmetic<applied<nan>, true>, f32, f32, f32>());
  table.add({opcode, ".f64"}, vectors<number, f64, f64, f64>());
}

/// Arithmetic in another rounding mode, which is set for all lanes at once.
template <class F, int Mode, class D, class... A>
struct in_mode {
  static void run(warp& on, const instruction& what, lane_mask active) {
    const rounding_mode mode(Mode);
    elementwise<F, D, A...>::run(on, what, active);
  }
};

template <auto Exact, class T, class... A>
void declare_rounded(operation_table& table, std::string_view opcode) {
  table.add({opcode, ".rz.", type<T>::name},
            with_loop<in_mode<arithmetic<applied<Exact>>, FE_TOWARDZERO, T, A...>, T, A...>());
  table.add({opcode, ".rm.", type<T>::name},
            with_loop<in_mode<arithmetic<applied<Exact>>, FE_DOWNWARD, T, A...>, T, A...>());
  table.add({opcode, ".rp.", type<T>::name},
            with_loop<in_mode<arithmetic<applied<Exact>>, FE_UPWARD, T, A...>, T, A...>());
}

}  // namespace

void declare_floating_arithmetic(operation_table& table) {
  declare_nearest<std::plus<>{}, int, int>(table, "add", true);
  declare_nearest<std::minus<>{}, int, int>(table, "sub", true);
  declare_nearest<std::multiplies<>{}, int, int>(table, "mul", true);
  declare_nearest<fused_product, int, int, int>(table, "fma", false);
  declare_nearest<fused_product, int, int, int>(table, "mad", false);
  for_types<f32, f64>([&]<class T>(type<T> /*of*/) {
    declare_rounded<std::plus<>{}, T, T, T>(table, "add");
    declare_rounded<std::minus<>{}, T, T, T>(table, "sub");
    declare_rounded<std::multiplies<>{}, T, T, T>(table, "mul");
    declare_rounded<std::divides<>{}, T, T, T>(table, "div");
    declare_rounded<fused_product, T, T, T, T>(table, "fma");
    declare_rounded<reciprocal, T, T>(table, "rcp");
    declare_rounded<square_root, T, T>(table, "sqrt");
  });
  table.add({"div.rn.f32"}, vectors<arithmetic<applied<std::divides<>{}>>, f32, f32, f32>());
  table.add({"div.rn.ftz.f32"},
            vectors<arithmetic<applied<std::divides<>{}>, true>, f32, f32, f32>());
  table.add({"div.rn.f64"}, vectors<arithmetic<applied<std::divides<>{}>>, f64, f64, f64>());
  declare_nearest_unary<reciprocal>(table, "rcp");
  declare_nearest_unary<square_root>(table, "sqrt");
  declare_choice<smaller<false>, smaller<true>>(table, "min");
  declare_choice<larger<false>, larger<true>>(table, "max");
  table.add({"neg.f32"}, vectors<negation<false>, f32, f32>());
  table.add({"neg.ftz.f32"}, vectors<negation<true>, f32, f32>());
  table.add({"neg.f64"}, vectors<negation<false>, f64, f64>());
  table.add({"abs.f32"}, vectors<magnitude<false>, f32, f32>());
  table.add({"abs.ftz.f32"}, vectors<magnitude<true>, f32, f32>());
  table.add({"abs.f64"}, vectors<magnitude<false>, f64, f64>());
  table.add({"copysign.f32"}, vectors<sign_of_first, f32, f32, f32>());
  table.add({"copysign.f64"}, vectors<sign_of_first, f64, f64, f64>());
}

}  // namespace skerry::emulation
