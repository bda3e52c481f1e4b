// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Code that must not compile. Each test compiles one case, with -DCASE=1 and so on, and expects a
// certain error. Case 0 compiles.

#include "ops/bins/kernels.hpp"
#include "ops/call/error_record.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/select/kernels.hpp"

namespace skerry {

void histogram_form(const HistogramParams&) {}

void count(Device device, const Kernel<HistogramParams>& kernel, const NdArray& x,
           const NdArray& edges, const NdArray& out, [[maybe_unused]] const NdArray* weights) {
  launch(device, kernel, [&](OperandList& operands) {
#if CASE == 4  // parameters of another kernel
    return BincountParams{.numbers = operands(x),
                          .size = 1,
                          .weights = operands(weights),
                          .bins = 1,
                          .output = operands(out),
                          .scratch = operands.workspace(8),
                          .parts = 1};
#else
    return HistogramParams{
#if CASE == 2    // a pointer that no list has recorded
        .items = x.data(),
#elif CASE == 3  // an optional array for a required operand
        .items = operands(weights),
#else
        .items = operands(x),
#endif
        .size = x.size(),
#if CASE != 1  // an operand is left out
        .edges = operands(edges),
#endif
        .bins = 1,
        .uniform = false,
        .first = 0,
        .scale = 0,
        .output = operands(out),
#if CASE == 5  // an array as workspace
        .scratch = operands(out),
#else
        .scratch = operands.workspace(8),
#endif
        .parts = 1};
#endif
  });
}

#if CASE == 6  // a form that takes other parameters
void fill(BinsKernels& table) { table.bincount.set_host<histogram_form>(); }
#endif

#if CASE == 7  // a launch without a list of operands
void bypass(Device device, const BinsKernels& table, const BincountParams& params) {
  launch(device, table.bincount, params, {});
}
#endif

void find_offsets(Device device, const Kernel<OffsetsParams>& kernel, ErrorRecord& record,
                  const NdArray& out, [[maybe_unused]] const NdArray& index) {
  const auto fill = [&](OperandList&, auto plan) {
    return OffsetsParams{
        .plan = plan, .size = 1, .stride = 8, .invalid_index = record.word(), .adds = false};
  };
#if CASE == 8  // an operand of a plan is left out
  launch_parts(device, kernel, out.shape(), fill, out);
#else
  launch_parts(device, kernel, out.shape(), fill, out, index);
#endif
}

#if CASE == 9  // a plan of pointers that no list has recorded
void add_one(const Kernel<Plan>& kernel, const NdArray& x) {
  Plan plan(x.size());
  run_on_host(kernel, plan);
}
#elif CASE == 10  // the same with strided operands
void add_one(const Kernel<Plan>& kernel, const NdArray& x) {
  const PlanOperand operands[] = {PlanOperand::from_array(x), PlanOperand::from_array(x)};
  run_on_host(kernel, PlanParts(x.shape(), operands, INT64_MAX).first());
}
#elif CASE == 11  // a pointer that is added to a plan
void add_pointer(const Plan& plan, char* address) {
  Plan changed_plan = plan;
  changed_plan.add(address, 8);
}
#endif

void take(Device device, const Kernel<GatherParams>& kernel, ErrorRecord& record, const NdArray& x,
          const NdArray& index, const NdArray& out) {
  launch(device, kernel, [&](OperandList& operands) {
    return GatherParams{
#if CASE == 12  // an operand of the plan of a run is left out
        .plan = operands.run(1, PlannedRun{out, 8}, PlannedRun{index, 8}),
#else
        .plan = operands.run(1, PlannedRun{out, 8}, PlannedRun{index, 8}, PlannedRun{x, 0}),
#endif
        .size = 1,
        .stride = 8,
        .invalid_index = record.word(),
        .is_offset = false,
        .is_aligned = true};
  });
}

static_assert(!std::is_default_constructible_v<Plan>);
static_assert(sizeof(Kernel<BincountParams>) == sizeof(AnyKernel));
static_assert(std::is_standard_layout_v<Kernel<BincountParams>>);
static_assert(std::is_trivially_copyable_v<BincountParams>);
static_assert(std::is_standard_layout_v<BincountParams>);
static_assert(sizeof(InputPointer<double>) == sizeof(double*));
static_assert(std::is_trivially_copyable_v<OffsetsParams>);
static_assert(std::is_standard_layout_v<OffsetsParams>);
static_assert(!std::is_constructible_v<ErrorWord, std::int64_t*>);

}  // namespace skerry
