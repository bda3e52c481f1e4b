// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/block_elements.hpp"
#include "ops/kernel/pointer_plan.hpp"
#include "ops/reduce/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

void convert_chunk(const BlockElements& chunk) {
  const auto& conversion = *static_cast<const Conversion*>(chunk.pass);
  const char* const source = conversion.source + chunk.start * conversion.from_width;
  PointerPlan plan(chunk.n);
  plan.add(chunk.destination, conversion.to_width);
  plan.add(const_cast<char*>(source), conversion.from_width);
  run_on_host(*conversion.cast, plan);
}

}  // namespace

void fill_conversion(ReduceKernels& table) { table.convert = convert_chunk; }

}  // namespace skerry::inline SKERRY_TARGET::kernels
