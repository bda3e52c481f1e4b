// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/choices.hpp"
#include "device/emulator/execute/halves.hpp"

// min and max of float16 and bfloat16.
namespace skerry::emulation {
namespace {

template <class Choice, bool Ftz>
struct HalfChoice {
  template <class Half>
  static Half apply(Half a, Half b) {
    const f32 number =
        Choice::apply(number_of(flushed_half<Ftz>(a)), number_of(flushed_half<Ftz>(b)));
    return half_of<Half, ToNearest>(number);
  }
};

template <class Half, template <bool, bool> class Choice>
void declare_choice(OperationTable& table, std::string_view opcode) {
  declare_halves<HalfChoice<Choice<false, false>, false>, Half, Half, Half>(table, opcode, "");
  declare_halves<HalfChoice<Choice<true, false>, false>, Half, Half, Half>(table, opcode, ".NaN");
  declare_halves<HalfChoice<Choice<false, true>, false>, Half, Half, Half>(table, opcode,
                                                                           ".xorsign.abs");
  declare_halves<HalfChoice<Choice<true, true>, false>, Half, Half, Half>(table, opcode,
                                                                          ".NaN.xorsign.abs");
}

template <template <bool, bool> class Choice>
void declare_flushing(OperationTable& table, std::string_view opcode) {
  declare_halves<HalfChoice<Choice<false, false>, true>, f16, f16, f16>(table, opcode, ".ftz");
  declare_halves<HalfChoice<Choice<true, false>, true>, f16, f16, f16>(table, opcode, ".ftz.NaN");
  declare_halves<HalfChoice<Choice<false, true>, true>, f16, f16, f16>(table, opcode,
                                                                       ".ftz.xorsign.abs");
  declare_halves<HalfChoice<Choice<true, true>, true>, f16, f16, f16>(table, opcode,
                                                                      ".ftz.NaN.xorsign.abs");
}

}  // namespace

void declare_half_choices(OperationTable& table) {
  for_types<f16, bf16>([&]<class Half>(type<Half> /*type_tag*/) {
    declare_choice<Half, Smaller>(table, "min");
    declare_choice<Half, Larger>(table, "max");
  });
  declare_flushing<Smaller>(table, "min");
  declare_flushing<Larger>(table, "max");
}

}  // namespace skerry::emulation
