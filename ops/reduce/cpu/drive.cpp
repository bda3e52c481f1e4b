// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/reduce/cpu/block_reducer.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

struct BlockPlace {
  const char* input;
  char* output;
  int64 n;
  int64 output_step;
  int64 step;  ///< of elements along reduced axis 0
};

BlockPlace locate(const Reduction& what, int64 unit) noexcept {
  const ReduceParams& work = what.work;
  BlockPlace at = {work.input, work.output, 1, 0, what.step};
  for (int a = 0; a < work.kept_rank; ++a) {
    const int64 count = what.block_count(a);
    int64 position = unit % count;
    unit /= count;
    if (a == what.axis) {
      position *= what.block;
      at.n = least(what.block, work.kept_shape[a] - position);
      at.output_step = work.output_strides[a];
    }
    at.input += position * work.kept_strides[a];
    at.output += position * work.output_strides[a];
  }
  return at;
}

ops::Reduced finishing(const Reduction& what) noexcept {
  return {what.work.reduced_size, what.work.correction};
}

/// Rows that are short runs.
void reduce_runs(const ReduceParams& work, const Reducer& how, const BlockPlace& at,
                 int64 row) noexcept {
  alignas(64) char acc[accumulator_bytes];
  how.rows(acc, {.x = at.input,
                 .row = row,
                 .step = how.itemsize,
                 .rows = at.n,
                 .n = work.reduced_size,
                 .is_fresh = true,
                 .first = 0});
  how.finish(at.output, at.output_step, acc, at.n, {work.reduced_size, work.correction});
}

/// A block of few rows, all of them at once.
void reduce_matrix(const Reduction& what, const BlockPlace& at, char* out) noexcept {
  const int64 size = what.how.itemsize;
  const int64 rows = what.work.reduced_size;
  if (what.has_short_rows() && at.output_step == what.how.result_size) {
    return what.how.short_rows[rows - 2](out, at.input, at.n, finishing(what));
  }
  ElementRows block = {.x = at.input,
                       .row = at.step,
                       .step = size,
                       .rows = rows,
                       .n = at.n,
                       .is_fresh = true,
                       .first = 0,
                       .is_far = what.is_far && !what.streams};
  alignas(64) char buffer[pack_bytes];
  if (what.pack) {
    block.x = buffer;
    block.row = at.n * size;
    copy_2d({buffer, size, block.row}, {const_cast<char*>(at.input), what.kept_step(), at.step},
            at.n, rows, size);
  }
  what.how.direct(out, at.output_step, block, finishing(what));
}

/// In pieces between which the results go past the caches. The core's own prefetching loses its way
/// between such stores, so each piece asks for what comes 2 KiB after it. 64 MiB of float32, one
/// thread of a Xeon (Sapphire Rapids), in larger pieces without that and so: argmax of (4194304, 4)
/// over axis 1 8.3 and 4.6 ms, of (4, 4194304) over axis 0 4.6 and 3.9.
void stream_pieces(const Reduction& what, const BlockPlace& at) noexcept {
  constexpr int64 most = 128;
  constexpr int64 ahead = 2048;
  const int64 result_size = what.how.result_size;
  const int64 column = what.kept_step();
  const int64 runs = what.has_short_rows() ? 1 : what.length;
  alignas(64) char results[most * most_result_bytes];
  for (int64 i = 0; i < at.n; i += most) {
    const BlockPlace piece = {at.input + i * column, results, least(most, at.n - i), result_size,
                              at.step};
    for (int64 run = 0; run < runs; ++run) {
      prefetch(piece.input + run * at.step + ahead, piece.n * column);
    }
    reduce_matrix(what, piece, results);
    copy_unfenced(at.output + i * result_size, results, piece.n * result_size);
  }
}

/// As reduce_matrix, of all the blocks that lie beside each other.
void reduce_beside(const Reduction& what, const BlockPlace& at) noexcept {
  const int64 size = what.how.itemsize;
  const int64 row = at.n * size;
  alignas(64) char buffer[pack_bytes];
  copy_2d({buffer, size, row}, {const_cast<char*>(at.input), what.kept_step(), size}, at.n,
          what.length * what.beside, size);
  for (int64 k = 0; k < what.beside; ++k) {
    const ElementRows block = {.x = buffer + k * row,
                               .row = what.beside * row,
                               .step = size,
                               .rows = what.length,
                               .n = at.n,
                               .is_fresh = true,
                               .first = 0};
    what.how.direct(at.output + k * what.work.output_strides[0], at.output_step, block,
                    finishing(what));
  }
}

/// All of a block in one call, where no pairwise sum is needed: true if that was done.
bool reduce_at_once(const Reduction& what, const BlockPlace& at) noexcept {
  const ReduceParams& work = what.work;
  const int64 size = what.how.itemsize;
  if (what.beside > 1) {
    reduce_beside(what, at);
    return true;
  }
  if (what.way == Manner::rows) {
    reduce_runs(work, what.how, at, what.kept_step());
    return true;
  }
  const int64 rows = work.reduced_size;
  if (what.way != Manner::columns || work.reduced_rank > 1) return false;
  if (rows == 0 || rows > what.how.block_rows) return false;
  if (what.pack && rows * at.n * size > pack_bytes) return false;
  const bool is_dense = at.output_step == what.how.result_size;
  if (what.streams && is_dense && what.makes_pieces()) {
    stream_pieces(what, at);
    return true;
  }
  alignas(64) char results[accumulator_bytes];
  char* out = what.streams && is_dense ? results : at.output;
  reduce_matrix(what, at, out);
  if (out == results) copy_unfenced(at.output, results, at.n * what.how.result_size);
  return true;
}

/// Makes all elements of a unit, if `room` holds them: false if it doesn't.
bool feed_unit(const Reduction& what, BlockPlace& at, char* room) noexcept {
  const int64 size = what.how.itemsize;
  const bool is_across = what.step != size;
  const int64 rows = is_across ? what.length : at.n;
  const int64 n = is_across ? at.n : what.length;
  if (rows * n * size > fed_bytes) return false;
  feed(what, at.input, is_across ? what.step : what.kept_step(), rows, n, room);
  at.input = room;
  if (is_across) at.step = n * size;
  return true;
}

/// `room` is null where the elements are in memory.
void reduce_block(const Reduction& what, BlockPlace at, char* room) noexcept {
  const bool is_there = room == nullptr || feed_unit(what, at, room);
  if (is_there && reduce_at_once(what, at)) return;
  alignas(64) char acc[accumulator_bytes];
  BlockReducer(what, at.n, at.step, is_there ? nullptr : room)
      .run(at.input, 0, what.work.reduced_size, acc);
  what.how.finish(at.output, at.output_step, acc, at.n, finishing(what));
}

/// `each(i, room)` of a range.
template <class Each>
[[gnu::noinline]] void walk_with_room(int64 begin, int64 end, Each each) noexcept {
  alignas(64) char room[fed_bytes];
  for (int64 i = begin; i < end; ++i) each(i, room);
}
template <class Each>
void walk(const Reduction& what, int64 begin, int64 end, Each each) noexcept {
  if (what.work.feed != nullptr) return walk_with_room(begin, end, each);
  for (int64 i = begin; i < end; ++i) each(i, static_cast<char*>(nullptr));
}

void reduce_units(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& what = *static_cast<const Reduction*>(context);
  walk(what, begin, end,
       [&](int64 unit, char* room) { reduce_block(what, locate(what, unit), room); });
  if (what.streams) fence_stores();
}

/// Rows of the one kept axis, in blocks: which block has a row changes no result.
void reduce_range(const RowRange& range, const ReduceParams& work, const Reducer& how) noexcept {
  const int64 end = range.first_row + range.rows;
  const int64 step = work.output_strides[0];
  const auto place = [&](int64 row, int64 rows) {
    return BlockPlace{range.input + row * work.kept_strides[0], range.output + row * step, rows,
                      step, work.reduced_strides[0]};
  };
  if (has_short_runs(work, how) && work.reduced_size >= plain_from) {
    const int64 most = accumulator_bytes / how.accumulator_size;
    for (int64 row = range.first_row; row < end; row += most) {
      reduce_runs(work, how, place(row, least(most, end - row)), work.kept_strides[0]);
    }
    return;
  }
  Reduction what(work, how);
  what.streams = false;
  for (int64 row = range.first_row; row < end; row += what.block) {
    reduce_block(what, place(row, least(what.block, end - row)), nullptr);
  }
}

void reduce_chunk(Reduction& what, int64 part, char* room) noexcept {
  const BlockPlace at = locate(what, part / what.chunks);
  const int64 from = part % what.chunks * what.chunk;
  char* const acc = what.partials + part * accumulator_bytes;
  if (part > __atomic_load_n(&what.deciding, __ATOMIC_RELAXED)) return what.how.clear(acc, at.n);
  BlockReducer(what, at.n, at.step, room)
      .run(at.input, from, least(from + what.chunk, what.work.reduced_size), acc);
  if (what.units == 1 && at.n == 1 && what.how.absorbing >= 0 && *acc == what.how.absorbing) {
    __atomic_store_n(&what.deciding, part, __ATOMIC_RELAXED);
  }
}

void reduce_chunks(void* context, std::int64_t begin, std::int64_t end) noexcept {
  auto& what = *static_cast<Reduction*>(context);
  walk(what, begin, end, [&](int64 part, char* room) { reduce_chunk(what, part, room); });
}

/// Few outputs of many elements: the parts of the range are reduced side by side, their results
/// combined in order.
void reduce_split(Reduction& what) noexcept {
  alignas(64) char partials[most_partials * accumulator_bytes];
  what.partials = partials;
  cpu::parallel_for(what.units * what.chunks, 1, reduce_chunks, &what);
  for (int64 unit = 0; unit < what.units; ++unit) {
    const BlockPlace at = locate(what, unit);
    char* first = partials + unit * what.chunks * accumulator_bytes;
    for (int64 part = 1; part < what.chunks; ++part) {
      what.how.merge(first, first + part * accumulator_bytes, at.n);
    }
    what.how.finish(at.output, at.output_step, first, at.n, finishing(what));
  }
}

}  // namespace

void run_reduction(const RowRange& range, const Reducer& how) noexcept {
  const auto& work = static_cast<const ReduceParams&>(
      range.whole == nullptr ? range : *static_cast<const RowRange*>(range.whole));
  if (work.kept_size == 0) return;
  if (range.rows > 0) return reduce_range(range, work, how);
  Reduction what(work, how);
  if (what.chunks > 1) return reduce_split(what);
  if (work.kept_size * work.reduced_size < reduce_parallel_from) {
    return reduce_units(&what, 0, what.units);
  }
  const int64 unit_size = greatest(what.block * work.reduced_size, 1);
  cpu::parallel_for(what.units, greatest(reduce_parallel_from / 2 / unit_size, 1), reduce_units,
                    &what);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
