// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cpu/tiles.hpp"
#include "ops/kernel/fed_elements.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

template <>
inline constexpr int64 buffer_bytes<wide_plan> = 16384;

/// A pass as the driver runs loops.
struct fused_loop {
  const fused_params& pass;
  int cost;
};

inline bool takes(const fused_loop&, unsigned) noexcept { return true; }
inline int64 direct_tile(const fused_loop& what) noexcept { return int64{4} * what.pass.piece; }
inline bool streams_of(const fused_loop&) noexcept { return false; }
inline constexpr bool may_stream(const fused_loop&) noexcept { return false; }

/// One step on `n` elements of a tile, from element `at` on.
SKERRY_INLINE void run_step(const fused_loop& what, const fused_step& step, char* const* data,
                            unsigned single, char* slots, int64 at, int64 n) noexcept {
  const auto place_of = [&](int i, bool repeats) {
    const int place = step.places[i];
    if (place >= fused_params::first_slot) {
      return slots + int64{place - fused_params::first_slot} * fused_params::piece_bytes;
    }
    return data[place] + (repeats ? 0 : at * step.widths[i]);
  };
  plan work(place_of(0, false), step.widths[0], n);
  for (int i = 1; i <= step.inputs; ++i) {
    const int place = step.places[i];
    if (place >= fused_params::first_constant) {
      work.add(what.pass.constants()[place - fused_params::first_constant], step.widths[i]);
      continue;
    }
    const bool repeats = place < fused_params::first_slot && ((single >> place) & 1u) != 0;
    work.add(place_of(i, repeats), step.widths[i]);
    if (!repeats) continue;
    work.strides[i][0] = 0;
    work.contiguous = false;
  }
  step.host(&work);
}

inline void call(const fused_loop& what, char* const* data, unsigned single, int64 n) noexcept {
  alignas(64) char slots[fused_params::slots * fused_params::piece_bytes];
  const fused_step* const begin = what.pass.step();
  const fused_step* const end = begin + what.pass.steps;
  for (int64 at = 0; at < n; at += what.pass.piece) {
    const int64 count = least(n - at, what.pass.piece);
    for (const fused_step* step = begin; step < end; ++step) {
      run_step(what, *step, data, single, slots, at, count);
    }
  }
}

namespace {

void run_fused(const void* params) {
  const auto& pass = *static_cast<const fused_params*>(params);
  drive(pass.work, fused_loop{pass, pass.cost});
}

/// As many of the `n` elements from the from-th on as make a plan: rows, planes or more of whole
/// ones. The output of `work` is dense.
wide_plan cut_plan(const wide_plan& work, int64 from, int64 n, char* to) noexcept {
  wide_plan part;
  part.operand_count = work.operand_count;
  part.output_count = work.output_count;
  int axis = 0;
  int64 inner = 1;  // elements of what lies within `axis`
  while (axis + 1 < work.rank && from % (inner * work.shape[axis]) == 0 &&
         n >= inner * work.shape[axis]) {
    part.shape[axis] = work.shape[axis];
    inner *= work.shape[axis++];
  }
  int64 position[wide_plan::max_axes] = {};
  int64 rest = from / inner;
  for (int a = axis; a < work.rank; ++a) {
    position[a] = rest % work.shape[a];
    rest /= work.shape[a];
  }
  part.rank = least(axis + 1, work.rank);
  part.shape[axis] = work.rank == 0 ? 1 : least(n / inner, work.shape[axis] - position[axis]);
  part.size = inner * part.shape[axis];
  for (int i = 0; i < work.operand_count; ++i) {
    part.itemsize[i] = work.itemsize[i];
    part.data[i] = work.data[i];
    for (int a = 0; a < part.rank; ++a) part.strides[i][a] = work.strides[i][a];
    for (int a = axis; a < work.rank && i > 0; ++a) {
      part.data[i] += position[a] * work.strides[i][a];
    }
  }
  part.data[0] = to;
  return part;
}

void feed_elements(const void* params) {
  fed_elements what = *static_cast<const fed_elements*>(params);
  const auto& pass = *static_cast<const fused_params*>(what.pass);
  const fused_loop loop{pass, pass.cost};
  while (what.n > 0) {
    const wide_plan part = cut_plan(pass.work, what.from, what.n, what.to);
    drive_here(part, loop);
    what.from += part.size;
    what.n -= part.size;
    what.to += part.size * part.itemsize[0];
  }
}

}  // namespace

void fill_fused(fuse_kernels& table) {
  table.run.host = run_fused;
  table.feed.host = feed_elements;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
