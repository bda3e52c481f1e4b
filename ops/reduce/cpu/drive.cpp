// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/reduce/cpu/block_reducer.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

struct BlockSlice {
  const char* input;
  char* output;
  int64 n;
  int64 output_step;
  int64 step;  ///< distance of elements along reduced axis 0
};

BlockSlice locate(const Reduction& reduction, int64 unit) noexcept {
  const ReduceParams& params = reduction.params;
  BlockSlice slice = {params.input, params.output, 1, 0, reduction.step};
  for (int a = 0; a < params.retained_rank; ++a) {
    const int64 count = reduction.block_count(a);
    int64 position = unit % count;
    unit /= count;
    if (a == reduction.axis) {
      position *= reduction.block;
      slice.n = minimum(reduction.block, params.retained_shape[a] - position);
      slice.output_step = params.output_strides[a];
    }
    slice.input += position * params.retained_strides[a];
    slice.output += position * params.output_strides[a];
  }
  return slice;
}

ops::Reduced finishing(const Reduction& reduction) noexcept {
  return {reduction.params.reduced_size, reduction.params.correction};
}

/// Reduces rows that are short runs.
void reduce_runs(const ReduceParams& params, const Reducer& reducer, const BlockSlice& slice,
                 int64 row) noexcept {
  alignas(64) char acc[accumulator_bytes];
  reducer.rows(acc, {.x = slice.input,
                     .row = row,
                     .step = reducer.itemsize,
                     .rows = slice.n,
                     .n = params.reduced_size,
                     .overwrites = true,
                     .first = 0});
  reducer.finish(slice.output, slice.output_step, acc, slice.n,
                 {params.reduced_size, params.correction});
}

/// Reduces a block of few rows in one call.
void reduce_matrix(const Reduction& reduction, const BlockSlice& slice) noexcept {
  const int64 size = reduction.reducer.itemsize;
  const int64 rows = reduction.params.reduced_size;
  if (reduction.has_short_rows() && slice.output_step == reduction.reducer.result_size) {
    return reduction.reducer.short_rows[rows - 2](slice.output, slice.input, slice.n,
                                                  finishing(reduction));
  }
  ElementRows block = {.x = slice.input,
                       .row = slice.step,
                       .step = size,
                       .rows = rows,
                       .n = slice.n,
                       .overwrites = true,
                       .first = 0,
                       .is_out_of_cache = reduction.is_out_of_cache};
  alignas(64) char buffer[tuning::reduce_pack_bytes];
  if (reduction.pack) {
    block.x = buffer;
    block.row = slice.n * size;
    copy_2d({buffer, size, block.row},
            {const_cast<char*>(slice.input), reduction.retained_step(), slice.step}, slice.n, rows,
            size);
  }
  reduction.reducer.direct(slice.output, slice.output_step, block, finishing(reduction));
}

/// Like reduce_matrix, for all adjacent blocks.
void reduce_adjacent_blocks(const Reduction& reduction, const BlockSlice& slice) noexcept {
  const int64 size = reduction.reducer.itemsize;
  const int64 row = slice.n * size;
  alignas(64) char buffer[tuning::reduce_pack_bytes];
  copy_2d({buffer, size, row}, {const_cast<char*>(slice.input), reduction.retained_step(), size},
          slice.n, reduction.length * reduction.adjacent_blocks, size);
  for (int64 k = 0; k < reduction.adjacent_blocks; ++k) {
    const ElementRows block = {.x = buffer + k * row,
                               .row = reduction.adjacent_blocks * row,
                               .step = size,
                               .rows = reduction.length,
                               .n = slice.n,
                               .overwrites = true,
                               .first = 0};
    reduction.reducer.direct(slice.output + k * reduction.params.output_strides[0],
                             slice.output_step, block, finishing(reduction));
  }
}

/// Reduces a block in one call if no pairwise sum is needed. Returns false otherwise.
bool reduce_at_once(const Reduction& reduction, const BlockSlice& slice) noexcept {
  const ReduceParams& params = reduction.params;
  const int64 size = reduction.reducer.itemsize;
  if (reduction.adjacent_blocks > 1) {
    reduce_adjacent_blocks(reduction, slice);
    return true;
  }
  if (reduction.way == ReductionStrategy::rows) {
    reduce_runs(params, reduction.reducer, slice, reduction.retained_step());
    return true;
  }
  const int64 rows = params.reduced_size;
  if (reduction.way != ReductionStrategy::columns || params.reduced_rank > 1) return false;
  if (rows == 0 || rows > reduction.reducer.block_rows) return false;
  if (reduction.pack && rows * slice.n * size > tuning::reduce_pack_bytes) return false;
  reduce_matrix(reduction, slice);
  return true;
}

/// Produces all elements of a unit in `workspace`. Returns false if they do not fit.
bool feed_unit(const Reduction& reduction, BlockSlice& slice, char* workspace) noexcept {
  const int64 size = reduction.reducer.itemsize;
  const bool is_across = reduction.step != size;
  const int64 rows = is_across ? reduction.length : slice.n;
  const int64 n = is_across ? slice.n : reduction.length;
  if (rows * n * size > tuning::feed_bytes) return false;
  feed(reduction, slice.input, is_across ? reduction.step : reduction.retained_step(), rows, n,
       workspace);
  slice.input = workspace;
  if (is_across) slice.step = n * size;
  return true;
}

/// Reduces a block. `workspace` is null if the elements are in memory.
void reduce_block(const Reduction& reduction, BlockSlice slice, char* workspace) noexcept {
  const bool is_there = workspace == nullptr || feed_unit(reduction, slice, workspace);
  if (is_there && reduce_at_once(reduction, slice)) return;
  alignas(64) char acc[accumulator_bytes];
  BlockReducer(reduction, slice.n, slice.step, is_there ? nullptr : workspace)
      .run(slice.input, 0, reduction.params.reduced_size, acc);
  reduction.reducer.finish(slice.output, slice.output_step, acc, slice.n, finishing(reduction));
}

/// Calls `visitor(i, workspace)` for a range.
template <class Each>
[[gnu::noinline]] void visit_with_workspace(int64 begin, int64 end, Each visitor) noexcept {
  alignas(64) char workspace[tuning::feed_bytes];
  for (int64 i = begin; i < end; ++i) visitor(i, workspace);
}
template <class Each>
void visit_range(const Reduction& reduction, int64 begin, int64 end, Each visitor) noexcept {
  if (reduction.params.feed != nullptr) return visit_with_workspace(begin, end, visitor);
  for (int64 i = begin; i < end; ++i) visitor(i, static_cast<char*>(nullptr));
}

void reduce_units(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& reduction = *static_cast<const Reduction*>(context);
  visit_range(reduction, begin, end, [&](int64 unit, char* workspace) {
    reduce_block(reduction, locate(reduction, unit), workspace);
  });
}

/// Reduces a range of rows along the one retained axis in blocks. The assignment of rows to blocks
/// does not change the result.
void reduce_range(const RowRange& range, const ReduceParams& params,
                  const Reducer& reducer) noexcept {
  const int64 end = range.first_row + range.rows;
  const int64 step = params.output_strides[0];
  const auto slice_rows = [&](int64 row, int64 rows) {
    return BlockSlice{range.input + row * params.retained_strides[0], range.output + row * step,
                      rows, step, params.reduced_strides[0]};
  };
  if (has_short_runs(params, reducer) && params.reduced_size >= contiguous_row_from) {
    const int64 max_rows = accumulator_bytes / reducer.accumulator_size;
    for (int64 row = range.first_row; row < end; row += max_rows) {
      reduce_runs(params, reducer, slice_rows(row, minimum(max_rows, end - row)),
                  params.retained_strides[0]);
    }
    return;
  }
  Reduction reduction(params, reducer);
  for (int64 row = range.first_row; row < end; row += reduction.block) {
    reduce_block(reduction, slice_rows(row, minimum(reduction.block, end - row)), nullptr);
  }
}

void reduce_chunk(Reduction& reduction, int64 chunk_index, char* workspace) noexcept {
  const BlockSlice slice = locate(reduction, chunk_index / reduction.chunks);
  const int64 begin = chunk_index % reduction.chunks * reduction.chunk;
  char* const acc = reduction.partials + chunk_index * accumulator_bytes;
  if (chunk_index > __atomic_load_n(&reduction.deciding, __ATOMIC_RELAXED))
    return reduction.reducer.clear(acc, slice.n);
  BlockReducer(reduction, slice.n, slice.step, workspace)
      .run(slice.input, begin, minimum(begin + reduction.chunk, reduction.params.reduced_size),
           acc);
  if (reduction.units == 1 && slice.n == 1 && reduction.reducer.absorbing >= 0 &&
      *acc == reduction.reducer.absorbing) {
    __atomic_store_n(&reduction.deciding, chunk_index, __ATOMIC_RELAXED);
  }
}

void reduce_chunks(void* context, std::int64_t begin, std::int64_t end) noexcept {
  auto& reduction = *static_cast<Reduction*>(context);
  visit_range(reduction, begin, end, [&](int64 chunk_index, char* workspace) {
    reduce_chunk(reduction, chunk_index, workspace);
  });
}

/// Reduces few outputs of many elements: chunks of the range in parallel, then their results in
/// order.
void reduce_split(Reduction& reduction) noexcept {
  alignas(64) char partials[max_partials * accumulator_bytes];
  reduction.partials = partials;
  cpu::parallel_for(reduction.units * reduction.chunks, 1, reduce_chunks, &reduction);
  for (int64 unit = 0; unit < reduction.units; ++unit) {
    const BlockSlice slice = locate(reduction, unit);
    char* first = partials + unit * reduction.chunks * accumulator_bytes;
    for (int64 chunk_index = 1; chunk_index < reduction.chunks; ++chunk_index) {
      reduction.reducer.merge(first, first + chunk_index * accumulator_bytes, slice.n);
    }
    reduction.reducer.finish(slice.output, slice.output_step, first, slice.n, finishing(reduction));
  }
}

}  // namespace

void run_reduction(const RowReduction& header, const Reducer& reducer) noexcept {
  const RowRange* const range = header.range;
  const auto& params = static_cast<const ReduceParams&>(range == nullptr ? header : range->whole);
  if (params.retained_size == 0) return;
  if (range != nullptr) return reduce_range(*range, params, reducer);
  Reduction reduction(params, reducer);
  if (reduction.chunks > 1) return reduce_split(reduction);
  if (params.retained_size * params.reduced_size < tuning::reduce_parallel_from) {
    return reduce_units(&reduction, 0, reduction.units);
  }
  const int64 unit_size = maximum(reduction.block * params.reduced_size, 1);
  cpu::parallel_for(reduction.units, maximum(tuning::reduce_parallel_from / 2 / unit_size, 1),
                    reduce_units, &reduction);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
