// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/select/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// A plan as runs of at most `length` elements along axis 0, numbered in the order of the axes.
struct Runs {
  const Plan& over;
  int64 extent;  ///< of axis 0
  int64 length;
  int64 chunks;  ///< of axis 0
  int64 count;

  Runs(const Plan& plan, int64 max_length) : over(plan) {
    extent = plan.rank > 0 ? plan.shape[0] : 1;
    length = minimum(extent, max_length);
    chunks = ceil_div(extent, length);
    count = chunks;
    for (int axis = 1; axis < plan.rank; ++axis) count *= plan.shape[axis];
  }
  [[nodiscard]] int64 stride(int operand) const {
    return over.rank > 0 ? over.strides[operand][0] : 0;
  }

  /// Calls `body(data, n)` for runs [begin, end).
  template <class Body>
  SKERRY_INLINE void visit_runs(int64 begin, int64 end, Body&& body) const {
    int64 position[Plan::max_axes];
    char* row[Plan::max_operands];
    const auto seek = [&](int64 row_index) {
      for (int i = 0; i < over.operand_count; ++i) row[i] = over.base(i);
      for (int axis = 1; axis < over.rank; ++axis) {
        position[axis] = row_index % over.shape[axis];
        row_index /= over.shape[axis];
        for (int i = 0; i < over.operand_count; ++i) {
          row[i] += position[axis] * over.strides[i][axis];
        }
      }
    };
    seek(begin / chunks);
    int64 chunk = begin % chunks;
    for (int64 run_index = begin; run_index < end; ++run_index) {
      char* data[Plan::max_operands];
      for (int i = 0; i < over.operand_count; ++i) data[i] = row[i] + chunk * length * stride(i);
      body(data, minimum(length, extent - chunk * length));
      if (++chunk < chunks || over.rank < 2) continue;
      chunk = 0;
      if (++position[1] < over.shape[1]) {
        for (int i = 0; i < over.operand_count; ++i) row[i] += over.strides[i][1];
      } else {
        seek((run_index + 1) / chunks);
      }
    }
  }

  template <class Body>
  void visit_in_parallel(Body&& body) const {
    const int64 grain_size = maximum(tuning::gather_grain_size / length, 1);
    if (count <= grain_size) return visit_runs(0, count, body);
    cpu::parallel_for(count, grain_size,
                      [&](int64 begin, int64 end) { visit_runs(begin, end, body); });
  }
};

/// Wraps a negative index; returns true if it is in bounds.
SKERRY_INLINE bool wrap(int64& index, int64 size) {
  index += (index >> 63) & size;
  return static_cast<uint64>(index) < static_cast<uint64>(size);
}

void report(int64* invalid_value, int64 index) {
  int64 none = 0;
  __atomic_compare_exchange_n(invalid_value, &none, index, false, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
}

/// Reports the first out-of-bounds index of a run.
__attribute__((noinline)) void report_first(int64* invalid_index, const char* indices, int64 step,
                                            int64 n, int64 size) {
  for (int64 i = 0; i < n; ++i) {
    int64 index = load<int64>(indices + i * step);
    const int64 raw_index = index;
    if (!wrap(index, size)) return report(invalid_index, raw_index);
  }
}

/// True if all indices are non-negative and in bounds.
SKERRY_INLINE bool are_inside(const char* indices, int64 step, int64 n, int64 size) {
  int64 outside = 0;
  SKERRY_IVDEP
  for (int64 i = 0; i < n; ++i) {
    const int64 index = load<int64>(indices + i * step);
    outside |= index | (size - 1 - index);
  }
  return outside >= 0;
}

/// Gathers from an array in the caches by valid non-negative indices, the most common case: no
/// prefetch and no checks.
template <int Size>
SKERRY_INLINE void gather_near(char* destination, int64 to_step, const char* indices,
                               int64 index_step, const char* source, int64 from_step, int64 stride,
                               int64 n) {
  using U = item_t<Size>;
  SKERRY_IVDEP
  for (int64 i = 0; i < n; ++i) {
    const int64 offset = load<int64>(indices + i * index_step) * stride;
    store(destination + i * to_step, load<U>(source + i * from_step + offset));
  }
}

/// Gathers a run with one index per item.
template <int Size, bool IsOffset>
SKERRY_INLINE void gather_run(const GatherParams& p, char* const* data, int64 to_step,
                              int64 index_step, int64 from_step, int64 stride, int64 n) {
  using U = item_t<Size>;
  if (!IsOffset && p.size * magnitude(stride) <= tuning::max_gathered_bytes &&
      are_inside(data[1], index_step, n, p.size)) {
    return gather_near<Size>(data[0], to_step, data[1], index_step, data[2], from_step, stride, n);
  }
  bool all_inside = true;
  for (int64 i = 0; i < n; ++i) {
    // A negative or out-of-bounds index prefetches another address, which is harmless.
    const int64 ahead =
        load<int64>(data[1] + minimum(i + tuning::gather_distance, n - 1) * index_step);
    __builtin_prefetch(data[2] + (IsOffset ? ahead : ahead * stride), 0, 2);
    int64 offset = load<int64>(data[1] + i * index_step);
    if constexpr (IsOffset) {
      offset = offset == no_offset ? 0 : offset;
    } else {
      const bool is_inside = wrap(offset, p.size);
      all_inside &= is_inside;
      offset = (is_inside ? offset : 0) * stride;
    }
    store(data[0] + i * to_step, load<U>(data[2] + i * from_step + offset));
  }
  if (!all_inside) report_first(p.invalid_index, data[1], index_step, n, p.size);
}

template <int Size>
SKERRY_INLINE void copy_run(char* destination, int64 to_step, const char* source, int64 from_step,
                            int64 n) {
  using U = item_t<Size>;
  if (to_step == Size && from_step == Size) {
    __builtin_memcpy(destination, source, static_cast<unsigned long>(n * Size));
    return;
  }
  for (int64 i = 0; i < n; ++i) store(destination + i * to_step, load<U>(source + i * from_step));
}

/// Gathers a run with a single index.
template <int Size>
SKERRY_INLINE void gather_row(const GatherParams& p, char* const* data, int64 to_step,
                              int64 from_step, int64 n) {
  int64 offset = load<int64>(data[1]);
  if (p.is_offset) {
    offset = offset == no_offset ? 0 : offset;
  } else {
    const int64 raw_index = offset;
    const bool is_inside = wrap(offset, p.size);
    if (!is_inside) report(p.invalid_index, raw_index);
    offset = (is_inside ? offset : 0) * p.stride;
  }
  copy_run<Size>(data[0], to_step, data[2] + offset, from_step, n);
}

template <int Size>
void run_gather(const GatherParams& p) {
  const Runs all(p.plan, tuning::max_gathered_run);
  const int64 output_stride = all.stride(0);
  const int64 index = all.stride(1);
  const int64 array_stride = all.stride(2);
  if (index == 0) {
    all.visit_in_parallel([&](char* const* data, int64 n) {
      gather_row<Size>(p, data, output_stride, array_stride, n);
    });
  } else if (p.is_offset) {
    all.visit_in_parallel([&](char* const* data, int64 n) {
      gather_run<Size, true>(p, data, output_stride, index, array_stride, 0, n);
    });
  } else if (output_stride == Size && index == 8 && array_stride == 0 && p.stride == Size) {
    all.visit_in_parallel(
        [&](char* const* data, int64 n) { gather_run<Size, false>(p, data, Size, 8, 0, Size, n); });
  } else if (output_stride == Size && index == 8 && array_stride == 0) {
    all.visit_in_parallel([&](char* const* data, int64 n) {
      gather_run<Size, false>(p, data, Size, 8, 0, p.stride, n);
    });
  } else {
    all.visit_in_parallel([&](char* const* data, int64 n) {
      gather_run<Size, false>(p, data, output_stride, index, array_stride, p.stride, n);
    });
  }
}

void run_offsets(const OffsetsParams& p) {
  const Runs all(p.plan, tuning::max_gathered_run);
  const int64 output_stride = all.stride(0);
  const int64 step = all.stride(1);
  all.visit_in_parallel([&](char* const* data, int64 n) {
    bool all_inside = true;
    for (int64 i = 0; i < n; ++i) {
      char* slot = data[0] + i * output_stride;
      int64 wrapped_index = load<int64>(data[1] + i * step);
      const bool is_inside = wrap(wrapped_index, p.size);
      all_inside &= is_inside;
      const int64 base_offset = p.adds ? load<int64>(slot) : 0;
      const bool is_there = is_inside && base_offset != no_offset;
      store(slot, is_there ? base_offset + wrapped_index * p.stride : no_offset);
    }
    if (!all_inside) report_first(p.invalid_index, data[1], step, n, p.size);
  });
}

template <int Size>
SKERRY_INLINE void scatter_run(const Runs& all, char* const* data, int64 n) {
  using U = item_t<Size>;
  const int64 step = all.stride(1);
  const int64 array_stride = all.stride(2);
  const int64 item_stride = all.stride(3);
  if (step == 0) {
    const int64 offset = load<int64>(data[1]);
    if (offset != no_offset)
      copy_run<Size>(data[2] + offset, array_stride, data[3], item_stride, n);
    return;
  }
  for (int64 i = 0; i < n; ++i) {
    const int64 offset = load<int64>(data[1] + i * step);
    if (offset != no_offset)
      store(data[2] + i * array_stride + offset, load<U>(data[3] + i * item_stride));
  }
}

/// Unless offsets are unique, threads split the slowest or fastest axis if offsets do not vary
/// along it, so that no two threads write the same element. Otherwise one thread writes all items
/// in order, so that the last one is kept.
template <int Size>
void run_scatter(const ScatterParams& p) {
  const Plan& over = p.plan;
  const Runs all(over, tuning::max_gathered_run);
  const auto body = [&](char* const* data, int64 n) { scatter_run<Size>(all, data, n); };
  const int last = over.rank - 1;
  if (p.is_unique) return all.visit_in_parallel(body);
  if (over.size < 2 * tuning::gather_grain_size || over.rank < 2)
    return all.visit_runs(0, all.count, body);
  if (over.strides[1][last] == 0) {
    const int64 rows = all.count / over.shape[last];
    cpu::parallel_for(
        over.shape[last], maximum(tuning::gather_grain_size * over.shape[last] / over.size, 1),
        [&](int64 begin, int64 end) { all.visit_runs(begin * rows, end * rows, body); });
  } else if (over.strides[1][0] == 0 && over.shape[0] >= 1024) {
    cpu::parallel_for(over.shape[0], tuning::scattered_grain_size, [&](int64 begin, int64 end) {
      Plan chunk_plan = over;
      chunk_plan.shape[0] = end - begin;
      for (int i = 0; i < over.operand_count; ++i) {
        chunk_plan.data[i] += begin * over.strides[i][0];  // operands by value have 1-D plans
      }
      const Runs chunk_runs(chunk_plan, tuning::max_gathered_run);
      chunk_runs.visit_runs(0, chunk_runs.count, [&](char* const* data, int64 n) {
        scatter_run<Size>(chunk_runs, data, n);
      });
    });
  } else {
    all.visit_runs(0, all.count, body);
  }
}

void run_spread(const RepeatStartsParams& p) {
  int64 total = 0;
  for (int64 i = 0; i < p.size; ++i) {
    p.starts[i] = total;
    const int64 count = p.counts[i];
    if (count < 0) {
      report(p.negative_count, count);
    } else if (__builtin_add_overflow(total, count, &total)) {
      total = INT64_MAX;
    }
  }
  p.starts[p.size] = total;
}

void run_owners(const RepeatedIndicesParams& p) {
  cpu::parallel_for(p.size, tuning::repeated_grain_size, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      for (int64 position = p.starts[i]; position < p.starts[i + 1]; ++position)
        p.output[position] = i;
    }
  });
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
