// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Which steps of a pass go on with each other's results in registers (ops/fuse/cpu/chain.hpp).

#include "ops/fuse/evaluation.hpp"

namespace skerry {

/// Whether the step before leaves its result in registers for this one. Not where this one reads an
/// array as well: a chain that reads many arrays in turn waits for memory, as the core asks for
/// what comes next by the address of the instruction that loads, which is one for all of them. But
/// rows that are taken together are in the caches, as are small arrays. There a result may be kept
/// on the way, too; not in memory that is changed in place, as steps are run again after a NaN.
void Evaluation::add_to_chain(nodes part_nodes, std::size_t position, FusedStep& step) {
  const node& operation = node_at(part_nodes[position]);
  const bool is_real_float = operation.type == Dtype::float32 || operation.type == Dtype::float64;
  const bool keeps_type = operation.type == operation.inputs[0].type;
  const ChainStep chain = is_real_float && keeps_type ? operation.function.chain : ChainStep::no;
  step.chain = chain;
  if (chain == ChainStep::no || position == 0) return;
  FusedStep& last = steps_.back();
  const node& previous_operation = node_at(part_nodes[position - 1]);
  const bool is_near =
      !group_.empty() || FusedParams::is_near(elements_of(operation), operand_count_);
  const bool stores_result = previous_operation.is_stored && is_near && !previous_operation.target;
  if (last.chain == ChainStep::no || previous_operation.type != operation.type) return;
  if (!stores_result &&
      (previous_operation.is_stored || previous_operation.last != static_cast<int>(position)))
    return;
  const auto reads = [&](int k) {
    return operation.inputs[k].source == source::node &&
           operation.inputs[k].index == part_nodes[position - 1];
  };
  const bool is_first = reads(0);
  if (!is_first && !(operation.input_count == 2 && reads(1))) return;
  if (operation.input_count == 2) {
    if (is_first && reads(1)) {
      if (chain != ChainStep::multiply) return;
      step.chain = ChainStep::square;
    } else if (step.locations[is_first ? 2 : 1] < FusedParams::first_slot && !is_near) {
      return;
    } else if (!is_first) {
      constexpr int swapped_offset =
          static_cast<int>(ChainStep::add_to) - static_cast<int>(ChainStep::add);
      step.chain = static_cast<ChainStep>(static_cast<int>(chain) + swapped_offset);
    }
  }
  last.goes_on = true;
  last.stores_result = stores_result;
}

}  // namespace skerry
