// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/block_elements.hpp"
#include "ops/fuse/cpu/chain.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cpu/tiles.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/pointer_plan.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

template <>
inline constexpr int64 buffer_bytes<WidePlan> = tuning::fused_tile_bytes;

/// A pass as a loop that the driver can run.
struct FusedLoop {
  const FusedParams& pass;
  int cost;
  int64 chunk_size;            ///< elements
  int64 turns;                 ///< prefetches per chunk: one before each chain or single step
  unsigned prefetch_mask = 0;  ///< operands to prefetch
  static constexpr int64 short_row = tuning::max_merged_row;
};

// Out of cache, the hardware prefetches an operand only while a step reads it, and never an output.
// Therefore a pass prefetches the next chunk while it computes the current one: a few lines of each
// operand before each step. With 4e6 elements on one thread of an EPYC (Zen 4), this takes a
// five-point stencil of float64 from 8.1 to 4.3 ms, and Adam's update of float32 from 9.7 to 6.2
// ms. If a step would prefetch more than a core can have in flight, short chunks without prefetches
// are faster, since their steps overlap.

/// True if prefetching past the end of a row is useful: the next row follows with a gap of at most
/// a quarter of a row, or rows are long.
inline bool runs_on(const WidePlan& plan, int i) noexcept {
  const int64 row = plan.shape[0] * plan.itemsize[i];
  if (plan.strides[i][0] != plan.itemsize[i]) return false;
  const int64 next = plan.rank == 1 ? row : plan.strides[i][1];
  return row >= 8 * tuning::fused_prefetch_distance || (next >= row && next <= row + row / 4);
}

/// True for the first operand that accesses this memory: no earlier operand has the same address,
/// and, for an input, no other operand is a short distance ahead of it.
inline bool is_first_operand(const WidePlan& plan, int i) noexcept {
  for (int other = 0; other < plan.operand_count; ++other) {
    const int64 ahead = plan.data[other] - plan.data[i];
    if (ahead == 0 && other < i) return false;
    if (ahead > 0 && ahead < tuning::max_cached_distance && i >= plan.output_count) return false;
  }
  return true;
}

/// Returns the bytes of an operand's elements, counting repeated ones once.
inline int64 bytes_of(const WidePlan& plan, int i) noexcept {
  int64 nbytes = plan.itemsize[i];
  for (int axis = 0; axis < plan.rank; ++axis) {
    if (plan.strides[i][axis] != 0) nbytes *= plan.shape[axis];
  }
  return nbytes;
}

/// Returns the pass as a loop, and chooses the operands to prefetch.
inline FusedLoop loop_of(const FusedParams& pass) noexcept {
  FusedLoop loop{pass, pass.cost, pass.chunk_size, 0};
  for (int i = 0; i < pass.steps; ++i) loop.turns += pass.step()[i].goes_on ? 0 : 1;
  const WidePlan& plan = pass.plan;
  if (FusedParams::is_near(plan.size, plan.operand_count)) return loop;
  int64 width = 0;
  int64 total = 0;
  for (int i = 0; i < plan.operand_count; ++i) {
    const int64 nbytes = bytes_of(plan, i);
    if (nbytes < tuning::max_cached_distance || !runs_on(plan, i) || !is_first_operand(plan, i))
      continue;
    loop.prefetch_mask |= 1u << i;
    width += plan.itemsize[i];
    total += nbytes;
  }
  if (total < tuning::min_fused_memory_bytes) loop.prefetch_mask = 0;
  while (loop.prefetch_mask != 0 &&
         loop.chunk_size * width > tuning::max_prefetched_step_bytes * loop.turns)
    loop.chunk_size /= 2;
  if (loop.chunk_size < pass.chunk_size) loop.prefetch_mask = 0;
  return loop;
}

inline bool takes(const FusedLoop&, unsigned) noexcept { return true; }
template <class Plan>
strided_body strided_of(const Plan&, const FusedLoop&) noexcept {
  return nullptr;
}
inline int64 direct_tile(const FusedLoop& loop) noexcept { return 16 * loop.chunk_size; }
inline int64 bridged_row(const FusedLoop& loop) noexcept { return loop.pass.chunk_size / 2; }
inline bool streams_of(const FusedLoop&) noexcept { return false; }

/// Runs a step whose body does not accept this set of single operands.
[[gnu::noinline]] void run_plan(const FusedStep& step, char* const* data, unsigned single,
                                int64 n) noexcept {
  PointerPlan plan(n);
  for (int i = 0; i <= step.inputs; ++i) {
    plan.add(data[i], step.widths[i]);
    if (((single >> i) & 1u) == 0) continue;
    plan.strides[i][0] = 0;
    plan.contiguous = false;
  }
  run_on_host(*step.kernel, plan);
}

/// Keeps the compiler from storing several pointers with one vector store: loading a single pointer
/// right afterwards would stall.
SKERRY_INLINE char* alone(char* x) noexcept {
  asm("" : "+r"(x));
  return x;
}

SKERRY_INLINE void run_step(const StepLocations& locations, const FusedStep& step, int64 start,
                            int64 n) noexcept {
  char* data[1 + FusedStep::max_inputs];
  unsigned single = 0;
  for (int i = 0; i <= step.inputs; ++i) {
    data[i] = alone(locations.find(step.locations[i], start, step.widths[i]));
    single |= unsigned{locations.is_single(step.locations[i])} << i;
  }
  if (((step.accepts >> single) & 1u) != 0) return step.body(data, single, n);
  run_plan(step, data, single, n);
}

/// Prefetches memory ahead of a tile, a few lines before each step.
class Prefetcher {
 public:
  Prefetcher() noexcept = default;
  Prefetcher(const FusedLoop& loop, char* const* in_place_data, int64 n) noexcept {
    if (loop.prefetch_mask == 0) return;
    const int64 turns = ceil_div(n, loop.chunk_size) * loop.turns;
    const WidePlan& plan = loop.pass.plan;
    for (int i = 0; i < plan.operand_count; ++i) {
      if (((loop.prefetch_mask >> i) & 1u) == 0) continue;
      const int64 nbytes = n * plan.itemsize[i] / turns;
      runs_[count_++] = {in_place_data[i] + tuning::fused_prefetch_distance, nbytes,
                         ceil_div(nbytes, 64) * 64};
    }
  }
  SKERRY_INLINE void ask() noexcept {
    for (int i = 0; i < count_; ++i) {
      prefetch(runs_[i].address, runs_[i].prefetch_bytes);
      runs_[i].address += runs_[i].nbytes;
    }
  }

 private:
  struct Run {
    const char* address;
    int64 nbytes;          ///< per step
    int64 prefetch_bytes;  ///< the same, rounded up to whole lines
  };
  int count_ = 0;
  Run runs_[WidePlan::max_operands];
};

/// Runs a chain on the elements up to the first possible NaN, then its steps on the others.
[[gnu::noinline]] void run_chained(const StepLocations& locations, const FusedStep* begin,
                                   const FusedStep* end, int64 n) noexcept {
  const int64 done = begin->widths[0] == sizeof(float32) ? run_chain<float32>(locations, begin, n)
                                                         : run_chain<float64>(locations, begin, n);
  for (; begin < end && done < n; ++begin) run_step(locations, *begin, done, n - done);
}

/// Runs a pass chunk by chunk; owns the slots.
class ChunkRunner {
 public:
  explicit ChunkRunner(const FusedParams& pass) noexcept : pass_(pass) {
    locations_.constants = pass.constants();
    for (int i = 0; i < FusedParams::slots; ++i) {
      locations_.addresses[FusedParams::first_slot + i] =
          slots_ + int64{i} * FusedParams::chunk_bytes;
    }
  }

  SKERRY_INLINE void run(char* const* data, unsigned single, int64 n, int64 chunk_size,
                         Prefetcher ahead) noexcept {
    const WidePlan& plan = pass_.plan;
    // One element counts as a run, as in eager loops: another loop might propagate the other NaN.
    locations_.single = n == 1 ? 0 : std::uint64_t{1} << FusedParams::first_constant | single;
    for (int i = 0; i < plan.operand_count; ++i) locations_.addresses[i] = alone(data[i]);
    for (int64 position = 0; position < n; position += chunk_size) {
      const int64 count = minimum(n - position, chunk_size);
      run_steps(count, ahead);
      for (int i = 0; i < plan.operand_count; ++i) {
        if (((single >> i) & 1u) != 0) continue;
        locations_.addresses[i] = alone(locations_.addresses[i] + count * plan.itemsize[i]);
      }
    }
  }

 private:
  SKERRY_INLINE void run_steps(int64 n, Prefetcher& ahead) noexcept {
    const FusedStep* const end = pass_.step() + pass_.steps;
    for (const FusedStep* step = pass_.step(); step < end;) {
      const FusedStep* const first = step;
      while (step++->goes_on) {
      }
      ahead.ask();
      if (step == first + 1) {
        run_step(locations_, *first, 0, n);
      } else {
        run_chained(locations_, first, step, n);
      }
    }
  }

  const FusedParams& pass_;
  StepLocations locations_;
  alignas(64) char slots_[FusedParams::slots * FusedParams::chunk_bytes];
};

inline void call(const FusedLoop& loop, char* const* data, char* const* in_place_data,
                 unsigned single, int64 n) noexcept {
  ChunkRunner(loop.pass).run(data, single, n, loop.chunk_size, Prefetcher(loop, in_place_data, n));
}

namespace {

void run_fused(const FusedParams& pass) { drive(pass.plan.plan(), loop_of(pass)); }

/// Returns a plan of the first of the `n` elements that begin at index `start`: as many whole rows,
/// planes and so on as possible. `plan` has more than one element, and dense outputs; `data` holds
/// the addresses of its operands.
WidePlan cut_plan(const WidePlan& plan, int64 start, int64 n, char* const* data) noexcept {
  WidePlan subplan;
  subplan.operand_count = plan.operand_count;
  subplan.output_count = plan.output_count;
  int axis = 0;
  int64 inner = 1;  // elements per index of `axis`
  while (axis + 1 < plan.rank && start % (inner * plan.shape[axis]) == 0 &&
         n >= inner * plan.shape[axis]) {
    subplan.shape[axis] = plan.shape[axis];
    inner *= plan.shape[axis++];
  }
  int64 position[WidePlan::max_axes] = {};
  int64 rest = start / inner;
  for (int a = axis; a < plan.rank; ++a) {
    position[a] = rest % plan.shape[a];
    rest /= plan.shape[a];
  }
  subplan.rank = axis + 1;
  subplan.shape[axis] = minimum(n / inner, plan.shape[axis] - position[axis]);
  subplan.size = inner * subplan.shape[axis];
  for (int i = 0; i < plan.operand_count; ++i) {
    subplan.itemsize[i] = plan.itemsize[i];
    subplan.data[i] = data[i];
    for (int a = 0; a < subplan.rank; ++a) subplan.strides[i][a] = plan.strides[i][a];
    for (int a = axis; a < plan.rank; ++a) subplan.data[i] += position[a] * plan.strides[i][a];
  }
  return subplan;
}

void feed_elements(const BlockElements& elements) {
  BlockElements block_elements = elements;
  const auto& pass = *static_cast<const FusedParams*>(block_elements.pass);
  const WidePlan& plan = pass.plan;
  const bool has_destination = block_elements.destination != nullptr;
  const FusedLoop loop =
      has_destination ? loop_of(pass) : FusedLoop{pass, pass.cost, pass.chunk_size, 0};
  char* data[WidePlan::max_operands];
  for (int i = 0; i < plan.operand_count; ++i)
    data[i] = has_destination ? plan.data[i] : block_elements.data[i];
  if (has_destination)
    data[0] = block_elements.destination - block_elements.start * plan.itemsize[0];
  while (block_elements.n > 0) {
    const WidePlan subplan = cut_plan(plan, block_elements.start, block_elements.n, data);
    drive_here(subplan, loop);
    block_elements.start += subplan.size;
    block_elements.n -= subplan.size;
  }
}

/// Runs the rows of a pass. Four or more short rows form one chunk; operands that are not dense
/// over these rows then go through a buffer.
class RowChunks {
 public:
  explicit RowChunks(const PassRows& pass_rows) noexcept
      : pass_rows_(pass_rows),
        pass_(pass_rows.pass),
        plan_(pass_.plan),
        runner_(pass_),
        together_(4 * pass_rows.n > pass_.chunk_size
                      ? 1
                      : minimum(pass_rows.rows, pass_.chunk_size / pass_rows.n)) {
    for (int i = 0; i < plan_.operand_count; ++i) {
      const bool is_single = ((pass_rows.single >> i) & 1u) != 0;
      const bool is_same = pass_rows.row_bytes[i] == 0;
      const bool is_dense = !is_single && pass_rows.row_bytes[i] == pass_rows.n * size(i);
      if (together_ == 1 || is_dense || (is_single && is_same)) {
        if (is_single) single_ |= 1u << i;
        continue;
      }
      buffered_ |= 1u << i;
      if (is_same) fill(i, 0, together_);
    }
  }

  void run() noexcept {
    char* data[WidePlan::max_operands];
    for (int64 row = 0; row < pass_rows_.rows; row += together_) {
      const int64 now = minimum(together_, pass_rows_.rows - row);
      for (int i = 0; i < plan_.operand_count; ++i) {
        data[i] = pass_rows_.data[i] + row * pass_rows_.row_bytes[i];
        if (((buffered_ >> i) & 1u) == 0) continue;
        if (pass_rows_.row_bytes[i] != 0) fill(i, row, now);
        data[i] = buffers_[i];
      }
      runner_.run(data, single_, now * pass_rows_.n, pass_.chunk_size, {});
    }
  }

 private:
  [[nodiscard]] int64 size(int i) const { return plan_.itemsize[i]; }

  void fill(int i, int64 row, int64 rows) noexcept {
    const int64 row_bytes = pass_rows_.row_bytes[i];
    const int64 step = ((pass_rows_.single >> i) & 1u) != 0 ? 0 : size(i);
    copy_2d({buffers_[i], size(i), pass_rows_.n * size(i)},
            {pass_rows_.data[i] + row * row_bytes, step, row_bytes}, pass_rows_.n, rows, size(i));
  }

  const PassRows& pass_rows_;
  const FusedParams& pass_;
  const WidePlan& plan_;
  ChunkRunner runner_;
  int64 together_;  ///< rows of a chunk
  unsigned single_ = 0;
  unsigned buffered_ = 0;
  alignas(64) char buffers_[WidePlan::max_operands][FusedParams::chunk_bytes];
};

void make_rows(const PassRows& pass_rows) { RowChunks(pass_rows).run(); }

}  // namespace

void fill_fused(FuseKernels& table) {
  table.run_pass.set_host<run_fused>();
  table.feed = feed_elements;
  table.make_rows = make_rows;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
