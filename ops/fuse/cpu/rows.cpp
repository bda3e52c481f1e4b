// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/thread_pool.hpp"
#include "ops/call/block_elements.hpp"
#include "ops/call/row_range.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cpu/drive.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Runs a schedule on a block of rows, with its temporaries in `scratch`.
class RowBlock {
 public:
  RowBlock(const RowParams& row_params, char* scratch) noexcept
      : row_params_(row_params), scratch_(scratch) {
    const char* cursor = reinterpret_cast<const char*>(&row_params + 1);
    for (int i = 0; i < row_params.steps; ++i)
      cursor += reinterpret_cast<const RowStep*>(cursor)->nbytes;
    offsets_ = reinterpret_cast<const int64*>(cursor);
  }

  void run(int64 first, int64 rows) noexcept {
    const char* cursor = reinterpret_cast<const char*>(&row_params_ + 1);
    for (int i = 0; i < row_params_.steps; ++i) {
      const auto& step = *reinterpret_cast<const RowStep*>(cursor);
      step.reduction ? reduce(step, first, rows) : make(step, first, rows);
      cursor += step.nbytes;
    }
  }

 private:
  /// Returns the address of row 0 of an operand, which may be outside of its memory.
  [[nodiscard]] char* locate(const RowStep& step, int i, const char* address, int64 first) const {
    if (step.temporaries[i] == RowStep::in_memory) return const_cast<char*>(address);
    return scratch_ + (offsets_[step.temporaries[i]] - first * step.row_bytes[i]);
  }

  void make(const RowStep& step, int64 first, int64 rows) const noexcept {
    const auto& pass = *reinterpret_cast<const FusedParams*>(&step + 1);
    char* data[WidePlan::max_operands];
    const WidePlan& plan = pass.plan;
    const int operands = plan.operand_count;
    for (int i = 0; i < operands; ++i) data[i] = locate(step, i, plan.data[i], first);
    if (!step.has_runs) {
      const BlockElements block_elements = {.pass = &pass,
                                            .start = first * step.width,
                                            .n = rows * step.width,
                                            .destination = nullptr,
                                            .data = data};
      return row_params_.feed(block_elements);
    }
    for (int i = 0; i < operands; ++i) data[i] += first * step.row_bytes[i];
    const int64 runs = step.is_run ? 1 : rows;
    row_params_.make_rows(
        {pass, data, step.row_bytes, step.single, rows * step.width / runs, runs});
  }

  void reduce(const RowStep& step, int64 first, int64 rows) const noexcept {
    const auto& whole = *reinterpret_cast<const RowReduction*>(&step + 1);
    const RowRange range = {.whole = whole,
                            .input = locate(step, 1, whole.input, first),
                            .output = locate(step, 0, whole.output, first),
                            .first_row = first * step.width,
                            .rows = rows * step.width};
    RowReduction header = whole;
    header.range = &range;
    step.reduction.reduce_range(header);
  }

  const RowParams& row_params_;
  char* scratch_;
  const int64* offsets_;
};

void run_blocks(const RowParams& row_params, int64 block, int64 begin, int64 end) noexcept {
  alignas(RowParams::page) char scratch[RowParams::scratch_bytes];
  RowBlock rows(row_params, scratch);
  for (int64 i = begin; i < end; ++i) {
    rows.run(i * block, minimum(block, row_params.rows - i * block));
  }
}

void run_rows(const RowParams& row_params) {
  const int64 shares = int64{4} * cpu::thread_count();
  const int64 block = minimum(row_params.block, ceil_div(row_params.rows, shares));
  const int64 grain_size = maximum(tuning::parallel_from / 2 / (block * row_params.cost), 1);
  cpu::parallel_for(
      ceil_div(row_params.rows, block), grain_size,
      [&](int64 begin, int64 end) noexcept { run_blocks(row_params, block, begin, end); });
}

}  // namespace

void fill_rows(FuseKernels& table) { table.rows.set_host<run_rows>(); }

}  // namespace skerry::inline SKERRY_TARGET::kernels
