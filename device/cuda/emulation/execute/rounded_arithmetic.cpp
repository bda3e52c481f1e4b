// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "device/cuda/emulation/execute/floats.hpp"
#include "device/cuda/emulation/execute/rounding.hpp"

namespace skerry::emulation {
namespace {

/// Arithmetic in another rounding mode, which is set for all lanes at once.
template <class F, int Mode, class D, class... A>
struct in_mode {
  static void run(warp& on, const instruction& what, lane_mask active) {
    const rounding_mode mode(Mode);
    elementwise<F, D, A...>::run(on, what, active);
  }
};

template <auto Exact, class T, class... A>
void declare_type(operation_table& table, std::string_view opcode) {
  table.add({opcode, ".rz.", type<T>::name},
            with_loop<in_mode<arithmetic<applied<Exact>>, FE_TOWARDZERO, T, A...>, T, A...>());
  table.add({opcode, ".rm.", type<T>::name},
            with_loop<in_mode<arithmetic<applied<Exact>>, FE_DOWNWARD, T, A...>, T, A...>());
  table.add({opcode, ".rp.", type<T>::name},
            with_loop<in_mode<arithmetic<applied<Exact>>, FE_UPWARD, T, A...>, T, A...>());
}

}  // namespace

void declare_rounded_arithmetic(operation_table& table) {
  for_types<f32, f64>([&]<class T>(type<T> /*of*/) {
    declare_type<std::plus<>{}, T, T, T>(table, "add");
    declare_type<std::minus<>{}, T, T, T>(table, "sub");
    declare_type<std::multiplies<>{}, T, T, T>(table, "mul");
    declare_type<std::divides<>{}, T, T, T>(table, "div");
    declare_type<fused_product, T, T, T, T>(table, "fma");
    declare_type<reciprocal, T, T>(table, "rcp");
    declare_type<square_root, T, T>(table, "sqrt");
  });
}

}  // namespace skerry::emulation
