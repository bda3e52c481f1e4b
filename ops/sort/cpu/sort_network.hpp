// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ops/kernel/cpu/vector.hpp"
#include "ops/sort/cpu/encoded_row.hpp"

// Sorts up to `max_network_rows` vectors of keys in registers. Batcher's network sorts the column
// of each lane; columns are then merged by twos, fours, ... (bitonic merges, in which only steps
// across lanes need shuffles), and the result is transposed from lane order to memory order.

namespace skerry::inline SKERRY_TARGET::kernels {

struct Comparator {
  int low, high;
};
template <int Count>
struct Comparators {
  Comparator comparators[Count];
};

/// Calls visitor(i, j) for each comparator of Batcher's odd-even merge sort of `size` keys.
template <class F>
constexpr void batcher(int size, F visitor) {
  for (int run_size = 1; run_size < size; run_size *= 2) {
    for (int gap = run_size; gap >= 1; gap /= 2) {
      for (int begin = gap % run_size; begin + gap < size; begin += 2 * gap) {
        for (int i = begin; i < begin + gap && i + gap < size; ++i) {
          if (i / (2 * run_size) == (i + gap) / (2 * run_size)) visitor(i, i + gap);
        }
      }
    }
  }
}

template <int Size>
consteval int count_comparators() {
  int count = 0;
  batcher(Size, [&](int, int) { ++count; });
  return count;
}

template <int Size>
consteval auto make_network() {
  Comparators<count_comparators<Size>() + 1> network{};
  int count = 0;
  batcher(Size, [&](int low, int high) { network.comparators[count++] = {low, high}; });
  return network;
}

// ---- rows of a few items: their keys, each joined with its index, are sorted in registers without
// data-dependent branches. No two are equal, so the sort is stable.

/// Maximum length of rows sorted this way. A row of 8 items of 8 bytes takes 22 ns this way, and 16
/// ns in the lanes of one vector (EPYC of Zen 5, x86-64-v4).
template <class T>
inline constexpr int64 tiny_row = sizeof(T) == 8 ? 7 : 8;

/// The sorted indices of a row of n <= MaxSize items.
template <int MaxSize, class T>
struct TinyIndices {
  using joined = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64>;
  static constexpr int index_bits = 8;

  joined codes[MaxSize];

  SKERRY_INLINE TinyIndices(const EncodedRow<T>& row, int64 n) {
    unroll<MaxSize>([&](auto i) __attribute__((always_inline)) {
      constexpr int index = decltype(i)::value;
      codes[index] = index < n ? joined{row.key(index)} << index_bits | joined{index} : ~joined{0};
    });
    constexpr auto network = make_network<MaxSize>();
    unroll<count_comparators<MaxSize>()>([&](auto i) __attribute__((always_inline)) {
      constexpr Comparator comparator = network.comparators[decltype(i)::value];
      const joined low = codes[comparator.low];
      const joined high = codes[comparator.high];
      const bool needs_swap = high < low;
      codes[comparator.low] = needs_swap ? high : low;
      codes[comparator.high] = needs_swap ? low : high;
    });
  }
};

template <class T, bool Indices, int MaxSize>
SKERRY_INLINE void sort_tiny_row(const char* row, char* out, int64 n, RowOrder order) {
  const TinyIndices<MaxSize, T> indices(EncodedRow<T>(row, order), n);
  unroll<MaxSize>([&](auto i) __attribute__((always_inline)) {
    constexpr int64 position = decltype(i)::value;
    if (position >= n) return;
    const auto index = static_cast<int64>(indices.codes[position] & 255);
    if constexpr (Indices) {
      store(out + position * 8, index);
    } else {
      store(out + position * int64(sizeof(T)),
            load<ops::bits_t<T>>(row + index * int64(sizeof(T))));
    }
  });
}

/// Sorts rows [begin, end) of n items each, at most tiny_row<T>, and writes indices or items.
template <class T, bool Indices>
SKERRY_INLINE void sort_tiny_rows(const char* rows, char* out, int64 n, int64 begin, int64 end,
                                  RowOrder order) {
  const int64 from_step = n * int64(sizeof(T));
  const int64 to_step = Indices ? n * 8 : from_step;
  const auto sort_all_rows = [&]<int MaxSize>(number<MaxSize>) {
    for (int64 i = begin; i < end; ++i) {
      sort_tiny_row<T, Indices, MaxSize>(rows + i * from_step, out + i * to_step, n, order);
    }
  };
  if (n <= 4) {
    sort_all_rows(number<4>{});
  } else {
    sort_all_rows(number<8>{});
  }
}

// ---- rows that fit in vector registers

#if defined(SKERRY_PACKS_LANES)

/// With AVX2 the 16 rows do not fit in the registers, but spilling costs less than one more
/// partition: 1e4 rows of 100 float32 took 1.75 ms with 8 rows and take 0.95 ms; 1e7 float32 took
/// 50.9 ms and take 46.9 ms (EPYC of Zen 5, x86-64-v3, one thread).
inline constexpr int max_network_rows = 16;

/// Maximum number of keys sorted in registers.
template <class K>
inline constexpr int64 network_keys = max_network_rows * lane_count<K>;

template <class K>
SKERRY_INLINE void order_rows(lanes_of<K>& a, lanes_of<K>& b) {
  const lanes_of<K> low = min_lanes<K>(a, b);
  b = max_lanes<K>(a, b);
  a = low;
}

/// Merges pairs of sorted runs of Columns / 2 columns each.
template <int Columns, class K, int Rows>
SKERRY_INLINE void merge_columns(lanes_of<K> (&v)[Rows]) {
  constexpr int half = Columns / 2;
  // The first step compares the runs from opposite ends.
  if constexpr (Rows == 1) {
    v[0] = ordered_lanes<half, K>(v[0], exchange_lanes<Columns - 1>(v[0]));
  } else {
    unroll<Rows / 2>([&](auto i) __attribute__((always_inline)) {
      constexpr int row = decltype(i)::value;
      constexpr int opposite = Rows - 1 - row;
      const lanes_of<K> exchanged = exchange_lanes<Columns - 1>(v[row]);
      v[row] = ordered_lanes<half, K>(v[row], exchange_lanes<Columns - 1>(v[opposite]));
      v[opposite] = ordered_lanes<half, K>(v[opposite], exchanged);
    });
  }
  unroll<__builtin_ctz(half)>([&](auto step) __attribute__((always_inline)) {
    constexpr int distance = half >> (decltype(step)::value + 1);
    unroll<Rows>([&](auto i) __attribute__((always_inline)) {
      lanes_of<K>& row = v[decltype(i)::value];
      row = ordered_lanes<distance, K>(row, exchange_lanes<distance>(row));
    });
  });
  unroll<__builtin_ctz(Rows)>([&](auto step) __attribute__((always_inline)) {
    constexpr int distance = Rows >> (decltype(step)::value + 1);
    unroll<Rows>([&](auto i) __attribute__((always_inline)) {
      constexpr int row = decltype(i)::value;
      if constexpr ((row & distance) == 0) order_rows<K>(v[row], v[row + distance]);
    });
  });
}

/// Transposes keys from lane order, sorted down the rows of each lane in turn, to memory order.
template <class K, int Rows>
SKERRY_INLINE void lay_along_lanes(lanes_of<K> (&v)[Rows]) {
  unroll<__builtin_ctz(Rows)>([&](auto) __attribute__((always_inline)) {
    lanes_of<K> laid[Rows];
    unroll<Rows / 2>([&](auto i) __attribute__((always_inline)) {
      constexpr int row = decltype(i)::value;
      laid[2 * row] = v[row];
      laid[2 * row + 1] = v[row + Rows / 2];
      interleave(laid[2 * row], laid[2 * row + 1]);
    });
    unroll<Rows>([&](auto i) __attribute__((always_inline)) {
      v[decltype(i)::value] = laid[decltype(i)::value];
    });
  });
}

/// Sorts all keys; the result is in memory order.
template <class K, int Rows>
SKERRY_INLINE void sort_rows_of_lanes(lanes_of<K> (&v)[Rows]) {
  constexpr auto network = make_network<Rows>();
  unroll<count_comparators<Rows>()>([&](auto i) __attribute__((always_inline)) {
    constexpr Comparator comparator = network.comparators[decltype(i)::value];
    order_rows<K>(v[comparator.low], v[comparator.high]);
  });
  unroll<__builtin_ctz(lane_count<K>)>([&](auto level) __attribute__((always_inline)) {
    merge_columns<2 << decltype(level)::value, K>(v);
  });
  lay_along_lanes<K>(v);
}

template <class K>
SKERRY_INLINE K max_key() {
  if constexpr (ops::real_floating<K>) return static_cast<K>(__builtin_inf());
  return static_cast<K>(~ops::bits_t<K>{0} >> 1);
}
template <class K>
SKERRY_INLINE K min_key() {
  if constexpr (ops::real_floating<K>) return static_cast<K>(-__builtin_inf());
  return static_cast<K>(-max_key<K>() - 1);
}

/// Sorts the n keys of `source`, in Rows vectors padded with the greatest key, and passes them to
/// `sink`. Returns true if any is special.
template <class K, int Rows, class Source, class Sink>
__attribute__((noinline)) bool sort_in_registers(Source source, Sink sink, int64 n) {
  constexpr int64 lanes = lane_count<K>;
  lanes_of<K> v[Rows];
  typename Source::Notes notes{};
  unroll<Rows>([&](auto i) __attribute__((always_inline)) {
    constexpr int64 row = decltype(i)::value;
    if (n >= (row + 1) * lanes) {
      v[row] = source.lanes(row * lanes, notes);
    } else {
      v[row] = all_lanes<K>(max_key<K>());
      if (n > row * lanes) v[row] = source.some_lanes(row * lanes, n - row * lanes, v[row], notes);
    }
  });
  sort_rows_of_lanes<K>(v);
  unroll<Rows>([&](auto i) __attribute__((always_inline)) {
    constexpr int64 row = decltype(i)::value;
    if (n >= (row + 1) * lanes) {
      sink.put(row * lanes, v[row]);
    } else if (n > row * lanes) {
      sink.put_some(row * lanes, n - row * lanes, v[row]);
    }
  });
  return Source::any_special(notes);
}

/// Sorts n keys, at most network_keys<K>.
template <class K, class Source, class Sink>
SKERRY_INLINE bool sort_few(const Source& source, const Sink& sink, int64 n) {
  constexpr int64 lanes = lane_count<K>;
  if (n <= lanes) return sort_in_registers<K, 1>(source, sink, n);
  if (n <= 2 * lanes) return sort_in_registers<K, 2>(source, sink, n);
  if (n <= 4 * lanes) return sort_in_registers<K, 4>(source, sink, n);
  if (n <= 8 * lanes) return sort_in_registers<K, 8>(source, sink, n);
  return sort_in_registers<K, max_network_rows>(source, sink, n);
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
