// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/floats.hpp"

// What a GPU approximates with errors of some ulp is computed as well as the host can: its bits are
// not those of any GPU, so tests compare it with a tolerance.
namespace skerry::emulation {
namespace {

struct reciprocal_root {
  template <class T>
  static T of(T a) {
    return T{1} / std::sqrt(a);
  }
};
struct power_of_two {
  static f32 of(f32 a) { return std::exp2(a); }
};
struct binary_logarithm {
  static f32 of(f32 a) { return std::log2(a); }
};
struct sine {
  static f32 of(f32 a) { return std::sin(a); }
};
struct cosine {
  static f32 of(f32 a) { return std::cos(a); }
};
struct hyperbolic_tangent {
  static f32 of(f32 a) { return std::tanh(a); }
};

constexpr u64 high_half = 0xffffffff00000000;

[[nodiscard]] f64 cut(f64 x) { return std::bit_cast<f64>(std::bit_cast<u64>(x) & high_half); }
[[nodiscard]] f64 rounded(f64 x) {
  return std::bit_cast<f64>((std::bit_cast<u64>(x) + 0x80000000U) & high_half);
}
/// rcp.approx.ftz.f64: the upper halves of the operand and of the result alone.
struct half_reciprocal {
  static f64 of(f64 a) { return a != a ? a : rounded(flushed<true>(1 / flushed<true>(cut(a)))); }
};
template <bool Ftz>
struct half_reciprocal_root {
  static f64 of(f64 a) { return a != a ? a : cut(1 / std::sqrt(flushed<Ftz>(cut(a)))); }
};

template <class Exact, class... A>
void declare(operation_table& table, std::string_view opcode) {
  table.add({opcode, ".f32"}, scalars<arithmetic<Exact>, f32, A...>());
  table.add({opcode, ".ftz.f32"}, scalars<arithmetic<Exact, true>, f32, A...>());
}

}  // namespace

void declare_approximations(operation_table& table) {
  declare<float_quotient, f32, f32>(table, "div.approx");
  declare<float_quotient, f32, f32>(table, "div.full");
  declare<reciprocal, f32>(table, "rcp.approx");
  declare<square_root, f32>(table, "sqrt.approx");
  declare<reciprocal_root, f32>(table, "rsqrt.approx");
  declare<power_of_two, f32>(table, "ex2.approx");
  declare<binary_logarithm, f32>(table, "lg2.approx");
  declare<sine, f32>(table, "sin.approx");
  declare<cosine, f32>(table, "cos.approx");
  table.add({"tanh.approx.f32"}, scalars<arithmetic<hyperbolic_tangent>, f32, f32>());
  table.add({"rcp.approx.ftz.f64"}, scalars<half_reciprocal, f64, f64>());
  table.add({"rsqrt.approx.ftz.f64"}, scalars<half_reciprocal_root<true>, f64, f64>());
  table.add({"rsqrt.approx.f64"}, scalars<half_reciprocal_root<false>, f64, f64>());
}

}  // namespace skerry::emulation
