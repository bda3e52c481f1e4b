// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/choices.hpp"
#include "device/cuda/emulation/execute/halves.hpp"

// The smaller and the larger one of two halves.
namespace skerry::emulation {
namespace {

template <class Choice, bool Ftz>
struct chosen {
  template <class Half>
  static Half of(Half a, Half b) {
    const f32 number = Choice::of(number_of(flushed_half<Ftz>(a)), number_of(flushed_half<Ftz>(b)));
    return half_of<Half, to_nearest>(number);
  }
};

template <class Half, template <bool, bool> class Choice>
void declare_choice(operation_table& table, std::string_view opcode) {
  declare_halves<chosen<Choice<false, false>, false>, Half, Half, Half>(table, opcode, "");
  declare_halves<chosen<Choice<true, false>, false>, Half, Half, Half>(table, opcode, ".NaN");
  declare_halves<chosen<Choice<false, true>, false>, Half, Half, Half>(table, opcode,
                                                                       ".xorsign.abs");
  declare_halves<chosen<Choice<true, true>, false>, Half, Half, Half>(table, opcode,
                                                                      ".NaN.xorsign.abs");
}

template <template <bool, bool> class Choice>
void declare_flushing(operation_table& table, std::string_view opcode) {
  declare_halves<chosen<Choice<false, false>, true>, f16, f16, f16>(table, opcode, ".ftz");
  declare_halves<chosen<Choice<true, false>, true>, f16, f16, f16>(table, opcode, ".ftz.NaN");
  declare_halves<chosen<Choice<false, true>, true>, f16, f16, f16>(table, opcode,
                                                                   ".ftz.xorsign.abs");
  declare_halves<chosen<Choice<true, true>, true>, f16, f16, f16>(table, opcode,
                                                                  ".ftz.NaN.xorsign.abs");
}

}  // namespace

void declare_half_choices(operation_table& table) {
  for_types<f16, bf16>([&]<class Half>(type<Half> /*of*/) {
    declare_choice<Half, smaller>(table, "min");
    declare_choice<Half, larger>(table, "max");
  });
  declare_flushing<smaller>(table, "min");
  declare_flushing<larger>(table, "max");
}

}  // namespace skerry::emulation
