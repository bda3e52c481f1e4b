// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/fed_elements.hpp"
#include "core/plan.hpp"
#include "ops/fuse/cpu/chain.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cpu/tiles.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

template <>
inline constexpr int64 buffer_bytes<WidePlan> = 16384;

/// A pass as the driver runs loops.
struct FusedLoop {
  const FusedParams& pass;
  int cost;
  int64 piece;       ///< elements
  int64 turns;       ///< steps and chains of a piece, before which memory is asked for
  unsigned far = 0;  ///< operands whose memory is asked for before it is needed
  static constexpr int64 short_row = 32;
};

// Of memory beyond the caches the core itself asks for what comes next only while a step reads it,
// and for what is written not at all. So a pass asks for the next piece while it computes one, some
// lines of each operand before each step: 4e6 elements, one thread of an EPYC (Zen 4), five points
// of float64 from 8.1 to 4.3 ms, Adam's update of float32 from 9.7 to 6.2. Where a step had more to
// ask for than the core waits for at a time, short pieces do better: their steps overlap.
inline constexpr int64 asked_ahead = 2048;
inline constexpr int64 most_asked = int64{24} * 64;  ///< bytes before a step
/// What another operand has read or written so many bytes ago is in a cache still.
inline constexpr int64 near_bytes = int64{256} << 10;

/// Whether memory goes on behind a row of an operand with, nearly, its next row.
inline bool runs_on(const WidePlan& work, int i) noexcept {
  const int64 row = work.shape[0] * work.itemsize[i];
  if (work.strides[i][0] != work.itemsize[i]) return false;
  const int64 next = work.rank == 1 ? row : work.strides[i][1];
  return row >= 8 * asked_ahead || (next >= row && next <= row + row / 4);
}

/// Whether no other view is there before: as an output, or somewhat earlier.
inline bool comes_first(const WidePlan& work, int i) noexcept {
  for (int other = 0; other < work.operand_count; ++other) {
    const int64 ahead = work.data[other] - work.data[i];
    if (ahead == 0 && other < i) return false;
    if (ahead > 0 && ahead < near_bytes && i >= work.output_count) return false;
  }
  return true;
}

/// Bytes of an operand: one that is broadcast is read again and again.
inline int64 bytes_of(const WidePlan& work, int i) noexcept {
  int64 nbytes = work.itemsize[i];
  for (int axis = 0; axis < work.rank; ++axis) {
    if (work.strides[i][axis] != 0) nbytes *= work.shape[axis];
  }
  return nbytes;
}

/// The pass as a loop, which asks for memory.
inline FusedLoop loop_of(const FusedParams& pass) noexcept {
  FusedLoop made{pass, pass.cost, pass.piece, 0};
  for (int i = 0; i < pass.steps; ++i) made.turns += pass.step()[i].goes_on ? 0 : 1;
  const WidePlan& work = pass.work;
  if (FusedParams::is_near(work.size, work.operand_count)) return made;
  int64 width = 0;
  int64 total = 0;
  for (int i = 0; i < work.operand_count; ++i) {
    const int64 nbytes = bytes_of(work, i);
    if (nbytes < near_bytes || !runs_on(work, i) || !comes_first(work, i)) continue;
    made.far |= 1u << i;
    width += work.itemsize[i];
    total += nbytes;
  }
  if (total < FusedParams::beyond_caches) made.far = 0;
  while (made.far != 0 && made.piece * width > most_asked * made.turns) made.piece /= 2;
  if (made.piece < pass.piece) made.far = 0;
  return made;
}

inline bool takes(const FusedLoop&, unsigned) noexcept { return true; }
template <class Plan>
stepped_body stepped_of(const Plan&, const FusedLoop&) noexcept {
  return nullptr;
}
inline int64 direct_tile(const FusedLoop& what) noexcept { return 16 * what.piece; }
inline int64 bridged_row(const FusedLoop& what) noexcept { return what.pass.piece / 2; }
inline bool streams_of(const FusedLoop&) noexcept { return false; }
inline constexpr bool may_stream(const FusedLoop&) noexcept { return false; }

/// What the loop takes no single operand of, or not this set of them.
[[gnu::noinline]] void run_plan(const FusedStep& step, char* const* data, unsigned single,
                                int64 n) noexcept {
  Plan work(data[0], step.widths[0], n);
  for (int i = 1; i <= step.inputs; ++i) {
    work.add(data[i], step.widths[i]);
    if (((single >> i) & 1u) == 0) continue;
    work.strides[i][0] = 0;
    work.contiguous = false;
  }
  step.host(&work);
}

/// Not one of a vector of pointers: the load of one waits where it was stored with others.
SKERRY_INLINE char* alone(char* x) noexcept {
  asm("" : "+r"(x));
  return x;
}

SKERRY_INLINE void run_step(const StepPlaces& places, const FusedStep& step, int64 from,
                            int64 n) noexcept {
  char* data[1 + FusedStep::most_inputs];
  unsigned single = 0;
  for (int i = 0; i <= step.inputs; ++i) {
    data[i] = alone(places.find(step.places[i], from, step.widths[i]));
    single |= unsigned{places.is_single(step.places[i])} << i;
  }
  if (((step.accepts >> single) & 1u) != 0) return step.body(data, single, n);
  run_plan(step, data, single, n);
}

/// Asks for what lies ahead of a tile, some lines before each step.
class Asking {
 public:
  Asking() noexcept = default;
  Asking(const FusedLoop& what, char* const* lies, int64 n) noexcept {
    if (what.far == 0) return;
    const int64 turns = ceil_div(n, what.piece) * what.turns;
    for (int i = 0; i < what.pass.work.operand_count; ++i) {
      if (((what.far >> i) & 1u) == 0) continue;
      const int64 nbytes = n * what.pass.work.itemsize[i] / turns;
      runs_[count_++] = {lies[i] + asked_ahead, nbytes, ceil_div(nbytes, 64) * 64};
    }
  }
  SKERRY_INLINE void ask() noexcept {
    for (int i = 0; i < count_; ++i) {
      prefetch(runs_[i].at, runs_[i].asked);
      runs_[i].at += runs_[i].nbytes;
    }
  }

 private:
  struct Run {
    const char* at;
    int64 nbytes;  ///< before a step
    int64 asked;   ///< the same in whole lines
  };
  int count_ = 0;
  Run runs_[WidePlan::max_operands];
};

/// Steps that go on with each other, then the rest of them one by one.
[[gnu::noinline]] void run_chained(const StepPlaces& places, const FusedStep* begin,
                                   const FusedStep* end, int64 n) noexcept {
  const auto by = [&](auto of_float32, auto of_float64) {
    return begin->widths[0] == sizeof(float32) ? of_float32(places, begin, n)
                                               : of_float64(places, begin, n);
  };
  const int64 done = begin->chain == Chained::length
                         ? by(compare_lengths<float32>, compare_lengths<float64>)
                         : by(run_chain<float32>, run_chain<float64>);
  for (; begin < end && done < n; ++begin) run_step(places, *begin, done, n - done);
}

/// Runs a pass on pieces; has the slots.
class PieceRunner {
 public:
  explicit PieceRunner(const FusedParams& pass) noexcept : pass_(pass) {
    places_.constants = pass.constants();
    for (int i = 0; i < FusedParams::slots; ++i) {
      places_.at[FusedParams::first_slot + i] = slots_ + int64{i} * FusedParams::piece_bytes;
    }
  }

  SKERRY_INLINE void run(char* const* data, unsigned single, int64 n, int64 piece,
                         Asking ahead) noexcept {
    const WidePlan& work = pass_.work;
    // Eager loops take one element as a run, and of which of two NaNs is handed on loops differ.
    places_.single = n == 1 ? 0 : std::uint64_t{1} << FusedParams::first_constant | single;
    for (int i = 0; i < work.operand_count; ++i) places_.at[i] = alone(data[i]);
    for (int64 at = 0; at < n; at += piece) {
      const int64 count = least(n - at, piece);
      run_steps(count, ahead);
      for (int i = 0; i < work.operand_count; ++i) {
        if (((single >> i) & 1u) != 0) continue;
        places_.at[i] = alone(places_.at[i] + count * work.itemsize[i]);
      }
    }
  }

 private:
  SKERRY_INLINE void run_steps(int64 n, Asking& ahead) noexcept {
    const FusedStep* const end = pass_.step() + pass_.steps;
    for (const FusedStep* step = pass_.step(); step < end;) {
      const FusedStep* const first = step;
      while (step++->goes_on) {
      }
      ahead.ask();
      if (step == first + 1) {
        run_step(places_, *first, 0, n);
      } else {
        run_chained(places_, first, step, n);
      }
    }
  }

  const FusedParams& pass_;
  StepPlaces places_;
  alignas(64) char slots_[FusedParams::slots * FusedParams::piece_bytes];
};

inline void call(const FusedLoop& what, char* const* data, char* const* lies, unsigned single,
                 int64 n) noexcept {
  PieceRunner(what.pass).run(data, single, n, what.piece, Asking(what, lies, n));
}

namespace {

void run_fused(const void* params) {
  const auto& pass = *static_cast<const FusedParams*>(params);
  drive(pass.work, loop_of(pass));
}

/// As many of the `n` elements from the from-th on as make a plan: rows, planes or more of whole
/// ones. `work` has more than one element, and dense outputs; `data` is where its operands begin.
WidePlan cut_plan(const WidePlan& work, int64 from, int64 n, char* const* data) noexcept {
  WidePlan part;
  part.operand_count = work.operand_count;
  part.output_count = work.output_count;
  int axis = 0;
  int64 inner = 1;  // elements of what lies within `axis`
  while (axis + 1 < work.rank && from % (inner * work.shape[axis]) == 0 &&
         n >= inner * work.shape[axis]) {
    part.shape[axis] = work.shape[axis];
    inner *= work.shape[axis++];
  }
  int64 position[WidePlan::max_axes] = {};
  int64 rest = from / inner;
  for (int a = axis; a < work.rank; ++a) {
    position[a] = rest % work.shape[a];
    rest /= work.shape[a];
  }
  part.rank = axis + 1;
  part.shape[axis] = least(n / inner, work.shape[axis] - position[axis]);
  part.size = inner * part.shape[axis];
  for (int i = 0; i < work.operand_count; ++i) {
    part.itemsize[i] = work.itemsize[i];
    part.data[i] = data[i];
    for (int a = 0; a < part.rank; ++a) part.strides[i][a] = work.strides[i][a];
    for (int a = axis; a < work.rank; ++a) part.data[i] += position[a] * work.strides[i][a];
  }
  return part;
}

void feed_elements(const void* params) {
  FedElements what = *static_cast<const FedElements*>(params);
  const auto& pass = *static_cast<const FusedParams*>(what.pass);
  const WidePlan& work = pass.work;
  const bool is_fed = what.to != nullptr;
  const FusedLoop loop = is_fed ? loop_of(pass) : FusedLoop{pass, pass.cost, pass.piece, 0};
  char* data[WidePlan::max_operands];
  for (int i = 0; i < work.operand_count; ++i) data[i] = is_fed ? work.data[i] : what.data[i];
  if (is_fed) data[0] = what.to - what.from * work.itemsize[0];
  while (what.n > 0) {
    const WidePlan part = cut_plan(work, what.from, what.n, data);
    drive_here(part, loop);
    what.from += part.size;
    what.n -= part.size;
  }
}

/// Of short rows four or more are one piece. What does not lie as it would in an array of these
/// rows goes through a buffer then.
class RowPieces {
 public:
  explicit RowPieces(const PassRows& what) noexcept
      : what_(what),
        pass_(*static_cast<const FusedParams*>(what.pass)),
        runner_(pass_),
        together_(4 * what.n > pass_.piece ? 1 : least(what.rows, pass_.piece / what.n)) {
    for (int i = 0; i < pass_.work.operand_count; ++i) {
      const bool is_single = ((what.single >> i) & 1u) != 0;
      const bool is_same = what.row_bytes[i] == 0;
      const bool is_dense = !is_single && what.row_bytes[i] == what.n * size(i);
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
    for (int64 row = 0; row < what_.rows; row += together_) {
      const int64 now = least(together_, what_.rows - row);
      for (int i = 0; i < pass_.work.operand_count; ++i) {
        data[i] = what_.data[i] + row * what_.row_bytes[i];
        if (((buffered_ >> i) & 1u) == 0) continue;
        if (what_.row_bytes[i] != 0) fill(i, row, now);
        data[i] = buffers_[i];
      }
      runner_.run(data, single_, now * what_.n, pass_.piece, {});
    }
  }

 private:
  [[nodiscard]] int64 size(int i) const { return pass_.work.itemsize[i]; }

  void fill(int i, int64 row, int64 rows) noexcept {
    const int64 row_bytes = what_.row_bytes[i];
    const int64 step = ((what_.single >> i) & 1u) != 0 ? 0 : size(i);
    copy_2d({buffers_[i], size(i), what_.n * size(i)},
            {what_.data[i] + row * row_bytes, step, row_bytes}, what_.n, rows, size(i));
  }

  const PassRows& what_;
  const FusedParams& pass_;
  PieceRunner runner_;
  int64 together_;  ///< rows of a piece
  unsigned single_ = 0;
  unsigned buffered_ = 0;
  alignas(64) char buffers_[WidePlan::max_operands][FusedParams::piece_bytes];
};

void make_rows(const void* params) { RowPieces(*static_cast<const PassRows*>(params)).run(); }

}  // namespace

void fill_fused(fuse_kernels& table) {
  table.run.host = run_fused;
  table.feed.host = feed_elements;
  table.make_rows.host = make_rows;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
