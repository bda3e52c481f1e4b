// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/fed_elements.hpp"
#include "core/row_range.hpp"
#include "device/cpu/thread_pool.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cpu/drive.hpp"
#include "ops/kernel/cpu/memory.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Some rows, of which the temporaries are in `scratch`.
class RowBlock {
 public:
  RowBlock(const RowParams& what, char* scratch) noexcept : what_(what), scratch_(scratch) {
    const char* at = reinterpret_cast<const char*>(&what + 1);
    for (int i = 0; i < what.steps; ++i) at += reinterpret_cast<const RowStep*>(at)->nbytes;
    offsets_ = reinterpret_cast<const int64*>(at);
  }

  void run(int64 first, int64 rows) noexcept {
    const char* at = reinterpret_cast<const char*>(&what_ + 1);
    for (int i = 0; i < what_.steps; ++i) {
      const auto& step = *reinterpret_cast<const RowStep*>(at);
      step.reduce == nullptr ? make(step, first, rows) : reduce(step, first, rows);
      at += step.nbytes;
    }
  }

 private:
  /// Where row 0 of an operand would be.
  [[nodiscard]] char* locate(const RowStep& step, int i, const char* known, int64 first) const {
    if (step.temporaries[i] == RowStep::in_memory) return const_cast<char*>(known);
    return scratch_ + (offsets_[step.temporaries[i]] - first * step.row_bytes[i]);
  }

  void make(const RowStep& step, int64 first, int64 rows) const noexcept {
    const auto& pass = *reinterpret_cast<const FusedParams*>(&step + 1);
    char* data[WidePlan::max_operands];
    const int operands = pass.work.operand_count;
    for (int i = 0; i < operands; ++i) data[i] = locate(step, i, pass.work.data[i], first);
    if (!step.has_runs) {
      const FedElements piece = {.pass = &pass,
                                 .from = first * step.width,
                                 .n = rows * step.width,
                                 .to = nullptr,
                                 .data = data};
      return what_.feed(&piece);
    }
    for (int i = 0; i < operands; ++i) data[i] += first * step.row_bytes[i];
    const int64 runs = step.is_run ? 1 : rows;
    const PassRows part = {&pass, data, step.row_bytes, step.single, rows * step.width / runs,
                           runs};
    what_.make_rows(&part);
  }

  void reduce(const RowStep& step, int64 first, int64 rows) const noexcept {
    const auto& whole = *reinterpret_cast<const RowRange*>(&step + 1);
    const RowRange range = {.input = locate(step, 1, whole.input, first),
                            .output = locate(step, 0, whole.output, first),
                            .first_row = first * step.width,
                            .rows = rows * step.width,
                            .whole = &whole};
    step.reduce(&range);
  }

  const RowParams& what_;
  char* scratch_;
  const int64* offsets_;
};

void run_blocks(const RowParams& what, int64 block, int64 begin, int64 end) noexcept {
  alignas(RowParams::page) char scratch[RowParams::scratch_bytes];
  RowBlock rows(what, scratch);
  for (int64 i = begin; i < end; ++i) {
    rows.run(i * block, least(block, what.rows - i * block));
  }
}

void run_rows(const void* params) {
  const auto& what = *static_cast<const RowParams*>(params);
  const int64 shares = int64{4} * cpu::thread_count();
  const int64 block = least(what.block, ceil_div(what.rows, shares));
  const int64 grain = greatest(parallel_from / 2 / (block * what.cost), 1);
  cpu::parallel_for(ceil_div(what.rows, block), grain,
                    [&](int64 begin, int64 end) noexcept { run_blocks(what, block, begin, end); });
}

}  // namespace

void fill_rows(fuse_kernels& table) { table.rows.host = run_rows; }

}  // namespace skerry::inline SKERRY_TARGET::kernels
