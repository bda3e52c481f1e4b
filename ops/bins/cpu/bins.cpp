// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/bins/kernels.hpp"

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Calls `count(begin, end, part_output)` for each part of the items, then adds up the outputs in
/// order.
template <class Sum, class Params, class Count>
void count_by_parts(const Params& p, Sum* output, Count count) {
  const int64 length = ceil_div(p.size, p.parts);
  Sum* const partial_sums = reinterpret_cast<Sum*>(p.scratch.get());
  cpu::parallel_for(p.parts, 1, [&](int64 begin, int64 end) {
    for (int64 part_index = begin; part_index < end; ++part_index) {
      Sum* const part_output = part_index == 0 ? output : partial_sums + (part_index - 1) * p.bins;
      for (int64 i = 0; i < p.bins; ++i) part_output[i] = Sum(0);
      count(minimum(p.size, part_index * length), minimum(p.size, (part_index + 1) * length),
            part_output);
    }
  });
  if (p.parts == 1) return;
  cpu::parallel_for(p.bins, tuning::bins_grain_size, [&](int64 begin, int64 end) {
    for (int64 part_index = 0; part_index + 1 < p.parts; ++part_index) {
      const Sum* const source = partial_sums + part_index * p.bins;
      for (int64 i = begin; i < end; ++i) output[i] += source[i];
    }
  });
}

void bincount(const BincountParams& p) {
  const auto bins = static_cast<uint64>(p.bins);
  if (p.weights == nullptr) {
    count_by_parts(p, static_cast<int64*>(p.output.get()),
                   [&](int64 begin, int64 end, int64* counts) {
                     for (int64 i = begin; i < end; ++i) {
                       const auto number = static_cast<uint64>(p.numbers[i]);
                       if (number < bins) ++counts[number];
                     }
                   });
    return;
  }
  count_by_parts(p, static_cast<double*>(p.output.get()),
                 [&](int64 begin, int64 end, double* sums) {
                   for (int64 i = begin; i < end; ++i) {
                     const auto number = static_cast<uint64>(p.numbers[i]);
                     if (number < bins) sums[number] += p.weights[i];
                   }
                 });
}

template <class T>
SKERRY_INLINE ops::computed_t<T> number_at(const char* source, int64 i) {
  return static_cast<ops::computed_t<T>>(load<T>(source + i * int64(sizeof(T))));
}

/// Counts items in bins of about equal width: the estimated bin is the right one or near it.
template <class T>
void count_uniform(const HistogramParams& p, int64 begin, int64 end, int64* counts) {
  using C = ops::computed_t<T>;
  constexpr int64 block = tuning::bins_block;
  C items[block];
  int guesses[block];
  const C lowest = number_at<T>(p.edges, 0);
  const C highest = number_at<T>(p.edges, p.bins);
  const int last = static_cast<int>(p.bins - 1);
  for (int64 position = begin; position < end; position += block) {
    const int64 n = minimum(block, end - position);
    for (int64 i = 0; i < n; ++i) items[i] = number_at<T>(p.items, position + i);
    for (int64 i = 0; i < n; ++i) {
      const bool inside = items[i] >= lowest && items[i] <= highest;
      const C item = inside ? items[i] : lowest;
      const double guess = (static_cast<double>(item) - p.first) * p.scale;
      const double max_bin = static_cast<double>(last);
      const int bin = static_cast<int>(guess < max_bin ? guess : max_bin);
      guesses[i] = inside ? (bin > 0 ? bin : 0) : -1;
    }
    for (int64 i = 0; i < n; ++i) {
      int bin = guesses[i];
      if (bin < 0) continue;
      while (items[i] < number_at<T>(p.edges, bin)) --bin;
      while (bin < last && items[i] >= number_at<T>(p.edges, bin + 1)) ++bin;
      ++counts[bin];
    }
  }
}

template <class T>
void count_any(const HistogramParams& p, int64 begin, int64 end, int64* counts) {
  using C = ops::computed_t<T>;
  const C lowest = number_at<T>(p.edges, 0);
  const C highest = number_at<T>(p.edges, p.bins);
  for (int64 i = begin; i < end; ++i) {
    const C item = number_at<T>(p.items, i);
    if (!(item >= lowest && item <= highest)) continue;
    int64 bin = 0;  // the last bin with a lower edge not above the item
    for (int64 left = p.bins; left > 1; left -= left / 2) {
      bin += number_at<T>(p.edges, bin + left / 2) <= item ? left / 2 : 0;
    }
    ++counts[bin];
  }
}

template <class T>
void histogram(const HistogramParams& p) {
  count_by_parts(p, p.output.get(), [&](int64 begin, int64 end, int64* counts) {
    p.uniform ? count_uniform<T>(p, begin, end, counts) : count_any<T>(p, begin, end, counts);
  });
}

template <class T>
void fill_histogram(BinsKernels& table) {
  if constexpr (ops::real_floating<T>) {
    table.histogram[static_cast<int>(dtype_of<T>)].set_host<histogram<T>>();
  }
}

}  // namespace

void fill_bins(BinsKernels& table) {
  table.bincount.set_host<bincount>();
#define SKERRY_FILL(name, type, kind, typestr) fill_histogram<type>(table);
  SKERRY_FOR_EACH_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
