// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/floats.hpp"

// Operations that GPUs approximate within a few ulp are computed as accurately as the host can. The
// bits differ from those of any GPU, so tests compare with a tolerance.
namespace skerry::emulation {
namespace {

constexpr auto reciprocal_root = []<class T>(T a) { return T{1} / std::sqrt(a); };
/// Returns 2^a, computed in float64 with a relative error of 3e-13, so that nearly all results are
/// the nearest float32. The compiler vectorizes it, unlike a call of the library's function.
f32 power_of_two(f32 a) {
  constexpr std::array taylor{1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                              1.0 / 720,     1.0 / 120,    1.0 / 24,    1.0 / 6,
                              1.0 / 2,       1.0,          1.0};
  constexpr f64 integral = 0x1.8p52;  // adding it rounds to an integer
  f64 x = a;
  x = x < -160 ? -160 : x;
  x = x > 130 ? 130 : x;
  const f64 shifted = x + integral;
  const f64 rest = (x - (shifted - integral)) * 0.693147180559945309417;  // at most ln(2) / 2
  f64 sum = 0;
  for (const f64 coefficient : taylor) sum = sum * rest + coefficient;
  const u64 exponent = (std::bit_cast<u64>(shifted) + 1023) << 52;
  return static_cast<f32>(sum * std::bit_cast<f64>(exponent));
}
f32 binary_logarithm(f32 a) { return std::log2(a); }
f32 sine(f32 a) { return std::sin(a); }
f32 cosine(f32 a) { return std::cos(a); }
f32 hyperbolic_tangent(f32 a) { return std::tanh(a); }

constexpr u64 high_half = 0xffffffff00000000;

[[nodiscard]] f64 cut(f64 x) { return std::bit_cast<f64>(std::bit_cast<u64>(x) & high_half); }
[[nodiscard]] f64 rounded(f64 x) {
  return std::bit_cast<f64>((std::bit_cast<u64>(x) + 0x80000000U) & high_half);
}
/// rcp.approx.ftz.f64: uses and returns only the upper 32 bits.
f64 half_reciprocal(f64 a) {
  return a != a ? a : rounded(flushed<true>(1 / flushed<true>(cut(a))));
}
template <bool Ftz>
f64 half_reciprocal_root(f64 a) {
  return a != a ? a : cut(1 / std::sqrt(flushed<Ftz>(cut(a))));
}

template <auto Exact, class... A>
void declare_vectors(OperationTable& table, std::string_view opcode) {
  table.add({opcode, ".f32"}, vector_op<Arithmetic<Applied<Exact>>, f32, A...>());
  table.add({opcode, ".ftz.f32"}, vector_op<Arithmetic<Applied<Exact>, true>, f32, A...>());
}
template <auto Exact>
void declare_scalars(OperationTable& table, std::string_view opcode) {
  table.add({opcode, ".f32"}, lane_op<Arithmetic<Applied<Exact>>, f32, f32>());
  table.add({opcode, ".ftz.f32"}, lane_op<Arithmetic<Applied<Exact>, true>, f32, f32>());
}

}  // namespace

void declare_approximations(OperationTable& table) {
  declare_vectors<std::divides<>{}, f32, f32>(table, "div.approx");
  declare_vectors<std::divides<>{}, f32, f32>(table, "div.full");
  declare_vectors<reciprocal, f32>(table, "rcp.approx");
  declare_vectors<square_root, f32>(table, "sqrt.approx");
  declare_vectors<reciprocal_root, f32>(table, "rsqrt.approx");
  declare_vectors<power_of_two, f32>(table, "ex2.approx");
  declare_scalars<binary_logarithm>(table, "lg2.approx");
  declare_scalars<sine>(table, "sin.approx");
  declare_scalars<cosine>(table, "cos.approx");
  table.add({"tanh.approx.f32"}, lane_op<Arithmetic<Applied<hyperbolic_tangent>>, f32, f32>());
  table.add({"rcp.approx.ftz.f64"}, lane_op<half_reciprocal, f64, f64>());
  table.add({"rsqrt.approx.ftz.f64"}, lane_op<half_reciprocal_root<true>, f64, f64>());
  table.add({"rsqrt.approx.f64"}, lane_op<half_reciprocal_root<false>, f64, f64>());
}

}  // namespace skerry::emulation
