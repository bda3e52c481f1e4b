// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// What a call costs below Python: memory, plan, the front end, a launch on a rehearsed device.

#include <benchmark/benchmark.h>

#include "core/plan.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"
#include "device/stream.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/kernel/pointer_plan.hpp"
#include "ops/reduce/reduce.hpp"

namespace {

constexpr skerry::Device cpu{skerry::DeviceKind::cpu, 0};
constexpr skerry::Device gpu{skerry::cuda_kind, 0};

skerry::NdArray ones(std::int64_t size, skerry::Device device) {
  return skerry::full(skerry::Dims{size}, skerry::Scalar::from_value(1.0), skerry::Dtype::float64,
                      device);
}

void allocate_and_release(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(skerry::allocate(cpu, static_cast<std::size_t>(state.range(0))));
  }
}
BENCHMARK(allocate_and_release)->Arg(8)->Arg(1 << 16)->Arg(1 << 26);

void plan_of_three(benchmark::State& state) {
  const skerry::NdArray a = ones(8, cpu);
  const skerry::PlanOperand operands[] = {skerry::PlanOperand::from_array(a),
                                          skerry::PlanOperand::from_array(a),
                                          skerry::PlanOperand::from_array(a)};
  for (auto _ : state) {
    skerry::PlanParts parts = skerry::PointerPlan::parts(a.shape(), operands);
    benchmark::DoNotOptimize(parts.first());
  }
}
BENCHMARK(plan_of_three);

void add(benchmark::State& state, skerry::Device device) {
  const skerry::NdArray a = ones(state.range(0), device);
  const skerry::NdArray b = ones(state.range(0), device);
  const skerry::Operand operands[] = {{.array = &a, .name = "x1"}, {.array = &b, .name = "x2"}};
  const skerry::op_id op = *skerry::find_op("add");
  for (auto _ : state) benchmark::DoNotOptimize(skerry::apply(op, operands));
  skerry::synchronize(device);
}
void add_on_cpu(benchmark::State& state) { add(state, cpu); }
void add_on_rehearsed_cuda(benchmark::State& state) {
  if (!skerry::is_rehearsing()) skerry::rehearse(1);
  add(state, gpu);
}
BENCHMARK(add_on_cpu)->Arg(1)->Arg(1000)->Arg(1 << 20);
BENCHMARK(add_on_rehearsed_cuda)->Arg(1);

void sum_on_cpu(benchmark::State& state) {
  const skerry::NdArray a = ones(state.range(0), cpu);
  const skerry::reduction_id op = *skerry::find_reduction("sum");
  for (auto _ : state) {
    benchmark::DoNotOptimize(skerry::reduce(op, a, std::nullopt, std::nullopt, false));
  }
}
BENCHMARK(sum_on_cpu)->Arg(1)->Arg(1 << 20);

}  // namespace
