// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/select/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Elements along axis 0 that are handled at once, and fewest that are worth a thread.
constexpr int64 longest_run = 8192;
constexpr int64 gather_grain = 16384;
/// Items under way from memory: 48 make a random take of 64 MB 1.7 times as fast (Xeon, one thread,
/// beside others).
constexpr int64 fetched_ahead = 48;

/// A plan as runs along axis 0, of at most `length` elements, numbered in the order of the axes.
struct Runs {
  const Plan& over;
  int64 extent;  ///< of axis 0
  int64 length;
  int64 pieces;  ///< of axis 0
  int64 count;

  Runs(const Plan& of, int64 most) : over(of) {
    extent = of.rank > 0 ? of.shape[0] : 1;
    length = least(extent, most);
    pieces = ceil_div(extent, length);
    count = pieces;
    for (int axis = 1; axis < of.rank; ++axis) count *= of.shape[axis];
  }
  [[nodiscard]] int64 stride(int operand) const {
    return over.rank > 0 ? over.strides[operand][0] : 0;
  }

  /// Calls `body(data, n)` for the runs from `begin` to `end`.
  template <class Body>
  SKERRY_INLINE void walk(int64 begin, int64 end, Body&& body) const {
    int64 position[Plan::max_axes];
    char* row[Plan::max_operands];
    const auto seek = [&](int64 to) {
      for (int i = 0; i < over.operand_count; ++i) row[i] = over.base(i);
      for (int axis = 1; axis < over.rank; ++axis) {
        position[axis] = to % over.shape[axis];
        to /= over.shape[axis];
        for (int i = 0; i < over.operand_count; ++i) {
          row[i] += position[axis] * over.strides[i][axis];
        }
      }
    };
    seek(begin / pieces);
    int64 piece = begin % pieces;
    for (int64 run = begin; run < end; ++run) {
      char* data[Plan::max_operands];
      for (int i = 0; i < over.operand_count; ++i) data[i] = row[i] + piece * length * stride(i);
      body(data, least(length, extent - piece * length));
      if (++piece < pieces || over.rank < 2) continue;
      piece = 0;
      if (++position[1] < over.shape[1]) {
        for (int i = 0; i < over.operand_count; ++i) row[i] += over.strides[i][1];
      } else {
        seek((run + 1) / pieces);
      }
    }
  }

  template <class Body>
  void walk_in_parallel(Body&& body) const {
    const int64 grain = greatest(gather_grain / length, 1);
    if (count <= grain) return walk(0, count, body);
    cpu::parallel_for(count, grain, [&](int64 begin, int64 end) { walk(begin, end, body); });
  }
};

/// An index from the end counts from the front; true if it is in bounds.
SKERRY_INLINE bool wrap(int64& index, int64 size) {
  index += (index >> 63) & size;
  return static_cast<uint64>(index) < static_cast<uint64>(size);
}

void report(int64* found, int64 index) {
  int64 none = 0;
  __atomic_compare_exchange_n(found, &none, index, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/// Reports the first index of a run that is out of bounds.
__attribute__((noinline)) void report_first(int64* found, const char* indices, int64 step, int64 n,
                                            int64 size) {
  for (int64 i = 0; i < n; ++i) {
    int64 index = load<int64>(indices + i * step);
    const int64 given = index;
    if (!wrap(index, size)) return report(found, given);
  }
}

/// Whether all indices are at least 0 and in bounds.
SKERRY_INLINE bool are_inside(const char* indices, int64 step, int64 n, int64 size) {
  int64 outside = 0;
#pragma GCC ivdep
  for (int64 i = 0; i < n; ++i) {
    const int64 index = load<int64>(indices + i * step);
    outside |= index | (size - 1 - index);
  }
  return outside >= 0;
}

/// Bytes of an array whose items a core has sooner if it overlaps plain loads than if it is asked
/// to fetch each ahead: 10^6 of as many, in any order, one thread of an EPYC (Zen 4): of uint8 772
/// us for 1354, float32 1076 for 1476, float64 1680 for 1792; of 16 MB of complex128 3700 for 3290.
constexpr int64 near_bytes = 4 * far_bytes;

/// The same of what lies in the caches by plain indices, which are the most: nothing to fetch ahead
/// and nothing to look at.
template <int Size>
SKERRY_INLINE void gather_near(char* to, int64 to_step, const char* indices, int64 index_step,
                               const char* from, int64 from_step, int64 stride, int64 n) {
  using U = item_t<Size>;
#pragma GCC ivdep
  for (int64 i = 0; i < n; ++i) {
    const int64 at = load<int64>(indices + i * index_step) * stride;
    store(to + i * to_step, load<U>(from + i * from_step + at));
  }
}

/// Items that lie anywhere, one for each index.
template <int Size, bool IsOffset>
SKERRY_INLINE void gather_run(const GatherParams& p, char* const* data, int64 to_step,
                              int64 index_step, int64 from_step, int64 stride, int64 n) {
  using U = item_t<Size>;
  if (!IsOffset && p.size * magnitude(stride) <= near_bytes &&
      are_inside(data[1], index_step, n, p.size)) {
    return gather_near<Size>(data[0], to_step, data[1], index_step, data[2], from_step, stride, n);
  }
  bool all_inside = true;
  for (int64 i = 0; i < n; ++i) {
    // An index that is negative or out of bounds fetches something else, which does no harm.
    const int64 ahead = load<int64>(data[1] + least(i + fetched_ahead, n - 1) * index_step);
    __builtin_prefetch(data[2] + (IsOffset ? ahead : ahead * stride), 0, 2);
    int64 at = load<int64>(data[1] + i * index_step);
    if constexpr (IsOffset) {
      at = at == no_offset ? 0 : at;
    } else {
      const bool is_inside = wrap(at, p.size);
      all_inside &= is_inside;
      at = (is_inside ? at : 0) * stride;
    }
    store(data[0] + i * to_step, load<U>(data[2] + i * from_step + at));
  }
  if (!all_inside) report_first(p.found, data[1], index_step, n, p.size);
}

template <int Size>
SKERRY_INLINE void copy_run(char* to, int64 to_step, const char* from, int64 from_step, int64 n) {
  using U = item_t<Size>;
  if (to_step == Size && from_step == Size) {
    __builtin_memcpy(to, from, static_cast<unsigned long>(n * Size));
    return;
  }
  for (int64 i = 0; i < n; ++i) store(to + i * to_step, load<U>(from + i * from_step));
}

/// A run under one index.
template <int Size>
SKERRY_INLINE void gather_row(const GatherParams& p, char* const* data, int64 to_step,
                              int64 from_step, int64 n) {
  int64 at = load<int64>(data[1]);
  if (p.is_offset) {
    at = at == no_offset ? 0 : at;
  } else {
    const int64 given = at;
    const bool is_inside = wrap(at, p.size);
    if (!is_inside) report(p.found, given);
    at = (is_inside ? at : 0) * p.stride;
  }
  copy_run<Size>(data[0], to_step, data[2] + at, from_step, n);
}

template <int Size>
void run_gather(const void* params) {
  const auto& p = *static_cast<const GatherParams*>(params);
  const Runs all(p.over, longest_run);
  const int64 to = all.stride(0);
  const int64 index = all.stride(1);
  const int64 from = all.stride(2);
  if (index == 0) {
    all.walk_in_parallel(
        [&](char* const* data, int64 n) { gather_row<Size>(p, data, to, from, n); });
  } else if (p.is_offset) {
    all.walk_in_parallel([&](char* const* data, int64 n) {
      gather_run<Size, true>(p, data, to, index, from, 0, n);
    });
  } else if (to == Size && index == 8 && from == 0 && p.stride == Size) {
    all.walk_in_parallel(
        [&](char* const* data, int64 n) { gather_run<Size, false>(p, data, Size, 8, 0, Size, n); });
  } else if (to == Size && index == 8 && from == 0) {
    all.walk_in_parallel([&](char* const* data, int64 n) {
      gather_run<Size, false>(p, data, Size, 8, 0, p.stride, n);
    });
  } else {
    all.walk_in_parallel([&](char* const* data, int64 n) {
      gather_run<Size, false>(p, data, to, index, from, p.stride, n);
    });
  }
}

void run_offsets(const void* params) {
  const auto& p = *static_cast<const OffsetsParams*>(params);
  const Runs all(p.over, longest_run);
  const int64 to = all.stride(0);
  const int64 step = all.stride(1);
  all.walk_in_parallel([&](char* const* data, int64 n) {
    bool all_inside = true;
    for (int64 i = 0; i < n; ++i) {
      char* place = data[0] + i * to;
      int64 at = load<int64>(data[1] + i * step);
      const bool is_inside = wrap(at, p.size);
      all_inside &= is_inside;
      const int64 before = p.adds ? load<int64>(place) : 0;
      const bool is_there = is_inside && before != no_offset;
      store(place, is_there ? before + at * p.stride : no_offset);
    }
    if (!all_inside) report_first(p.found, data[1], step, n, p.size);
  });
}

template <int Size>
SKERRY_INLINE void scatter_run(const Runs& all, char* const* data, int64 n) {
  using U = item_t<Size>;
  const int64 step = all.stride(1);
  const int64 to = all.stride(2);
  const int64 from = all.stride(3);
  if (step == 0) {
    const int64 at = load<int64>(data[1]);
    if (at != no_offset) copy_run<Size>(data[2] + at, to, data[3], from, n);
    return;
  }
  for (int64 i = 0; i < n; ++i) {
    const int64 at = load<int64>(data[1] + i * step);
    if (at != no_offset) store(data[2] + i * to + at, load<U>(data[3] + i * from));
  }
}

/// Threads share what can't meet: the slowest axis, or pieces of the fastest, if the index does not
/// vary along it. Else the order of the items decides which one stays.
template <int Size>
void run_scatter(const void* params) {
  const auto& p = *static_cast<const ScatterParams*>(params);
  const Plan& over = p.over;
  const Runs all(over, longest_run);
  const auto body = [&](char* const* data, int64 n) { scatter_run<Size>(all, data, n); };
  const int last = over.rank - 1;
  if (p.is_unique) return all.walk_in_parallel(body);
  if (over.size < 2 * gather_grain || over.rank < 2) return all.walk(0, all.count, body);
  if (over.strides[1][last] == 0) {
    const int64 rows = all.count / over.shape[last];
    cpu::parallel_for(over.shape[last], greatest(gather_grain * over.shape[last] / over.size, 1),
                      [&](int64 begin, int64 end) { all.walk(begin * rows, end * rows, body); });
  } else if (over.strides[1][0] == 0 && over.shape[0] >= 1024) {
    cpu::parallel_for(over.shape[0], 512, [&](int64 begin, int64 end) {
      Plan part = over;
      part.shape[0] = end - begin;
      for (int i = 0; i < over.operand_count; ++i) {
        part.data[i] += begin * over.strides[i][0];  // an element by value has plans of one axis
      }
      const Runs mine(part, longest_run);
      mine.walk(0, mine.count,
                [&](char* const* data, int64 n) { scatter_run<Size>(mine, data, n); });
    });
  } else {
    all.walk(0, all.count, body);
  }
}

void run_spread(const void* params) {
  const auto& p = *static_cast<const SpreadParams*>(params);
  int64 total = 0;
  for (int64 i = 0; i < p.size; ++i) {
    p.starts[i] = total;
    const int64 count = p.counts[i];
    if (count < 0) {
      report(p.found, count);
    } else if (__builtin_add_overflow(total, count, &total)) {
      total = INT64_MAX;
    }
  }
  p.starts[p.size] = total;
}

void run_owners(const void* params) {
  const auto& p = *static_cast<const OwnersParams*>(params);
  cpu::parallel_for(p.size, 4096, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      for (int64 at = p.starts[i]; at < p.starts[i + 1]; ++at) p.to[at] = i;
    }
  });
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
