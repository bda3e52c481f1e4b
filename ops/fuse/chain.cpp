// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Which steps of a pass go on with each other's results in registers (ops/fuse/cpu/chain.hpp).

#include "ops/fuse/evaluation.hpp"

namespace skerry {

/// Whether the step before is the length of complex numbers, which this one compares with a bound.
bool Evaluation::compares_lengths(nodes part, std::size_t position) {
  if (position == 0) return false;
  const node& each = at(part[position]);
  const node& before = at(part[position - 1]);
  const reference& left = each.inputs[0];
  return each.function.chain > Chained::length && before.function.chain == Chained::length &&
         kind(before.inputs[0].type) == DtypeKind::complex_floating && !before.is_stored &&
         before.last == static_cast<int>(position) && left.from == source::node &&
         left.index == part[position - 1] && each.inputs[1].from == source::constant;
}

/// Whether the step before leaves its result in registers for this one. Not where this one reads an
/// array as well: a chain that reads many arrays in turn waits for memory, as the core asks for
/// what comes next by the address of the instruction that loads, which is one for all of them. But
/// rows that are taken together are in the caches, as are small arrays. There a result may be kept
/// on the way, too; not in memory that is changed in place, as steps are run again after a NaN.
void Evaluation::add_to_chain(nodes part, std::size_t position, FusedStep& step) {
  const node& each = at(part[position]);
  if (compares_lengths(part, position)) {
    steps_.back().chain = Chained::length;
    steps_.back().goes_on = true;
    step.chain = each.function.chain;
    return;
  }
  const bool is_real_float = each.type == Dtype::float32 || each.type == Dtype::float64;
  const bool is_alone = each.function.chain < Chained::length && each.type == each.inputs[0].type;
  const Chained own = is_real_float && is_alone ? each.function.chain : Chained::no;
  step.chain = own;
  if (own == Chained::no || position == 0) return;
  FusedStep& last = steps_.back();
  const node& before = at(part[position - 1]);
  const bool is_near = !group_.empty() || FusedParams::is_near(elements_of(each), operand_count_);
  const bool is_kept = before.is_stored && is_near && !before.result->target;
  if (last.chain == Chained::no || before.type != each.type) return;
  if (!is_kept && (before.is_stored || before.last != static_cast<int>(position))) return;
  const auto reads = [&](int k) {
    return each.inputs[k].from == source::node && each.inputs[k].index == part[position - 1];
  };
  const bool is_first = reads(0);
  if (!is_first && !(each.input_count == 2 && reads(1))) return;
  if (each.input_count == 2) {
    if (is_first && reads(1)) {
      if (own != Chained::multiply) return;
      step.chain = Chained::square;
    } else if (step.places[is_first ? 2 : 1] < FusedParams::first_slot && !is_near) {
      return;
    } else if (!is_first) {
      constexpr int turned = static_cast<int>(Chained::add_to) - static_cast<int>(Chained::add);
      step.chain = static_cast<Chained>(static_cast<int>(own) + turned);
    }
  }
  last.goes_on = true;
  last.is_kept = is_kept;
}

}  // namespace skerry
