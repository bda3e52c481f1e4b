// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Chains steps of a pass that can keep their results in registers (ops/fuse/cpu/chain.hpp).

#include "ops/fuse/evaluation.hpp"

namespace skerry {

/// Joins this step to the previous one, if that can leave its result in registers. A step that also
/// reads an array out of cache is not joined: a chain that reads several arrays waits for memory,
/// since the hardware prefetcher tracks the address of the load instruction, which is the same for
/// all of them. Rows that are computed together, and small arrays, are in cache. Then a step inside
/// a chain may store its result, too, but not in place, since steps run again after a NaN.
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
