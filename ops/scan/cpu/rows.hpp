// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/scan/cpu/vector_rows.hpp"
#include "ops/scan/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

inline constexpr int64 max_strip_width = 256;  ///< columns that are scanned together
inline constexpr int64 column_block = 64;      ///< rows in a block of columns
inline constexpr int64 run_block = 4096;       ///< elements in a block of a run

/// A block of a scan: `rows` by `n` elements, scanned along the rows. A contiguous run is one
/// column whose rows are its elements.
struct ScanBlock {
  char* out;  ///< null: compute only the totals
  const char* x;
  int64 out_row;
  int64 row;
  int64 rows;
  int64 n;
  bool past_caches;
};

/// The loops of one scan and dtype, for the driver, which is compiled once. Carries are opaque,
/// in arrays of n.
struct Scanner {
  int64 itemsize;
  int64 result_size;
  int64 carry_size;
  void (*clear)(char* carry, int64 n) noexcept;
  /// carry[i] = carry[i] op later[i]
  void (*merge)(char* carry, const char* later, int64 n) noexcept;
  /// Scans the block, which `carries` precede, and stores the block's own totals. The totals have
  /// the same bits whether results are written or not.
  void (*run)(const ScanBlock& block, const char* carries, char* totals) noexcept;
  void (*columns)(const ScanBlock& block, const char* carries, char* totals) noexcept;
  /// Scans n runs of `rows` elements each, `row` bytes apart (`out_row` in the output), one by one.
  void (*short_runs)(const ScanBlock& block) noexcept;
  /// Stores the result over no elements.
  void (*initial)(char* out) noexcept;
};

void run_scan(const ScanParams& params, const Scanner& scanner) noexcept;

template <class Op, class T>
struct ScanLoops {
  using A = ops::scanned_t<Op, T>;
  using carry = ScanCarry<Op, A>;
  static constexpr int64 size = sizeof(T);
  static constexpr int64 out_size = sizeof(A);
  static constexpr bool is_complex = ops::complex_floating<A>;
  /// x86 has no vector product of 64-bit integers before AVX-512, and complex products are rare.
  static constexpr bool has_vectors = is_sum<Op> || ops::real_floating<A>;
  static_assert(sizeof(carry) <= 32);

  static SKERRY_INLINE carry& carry_at(char* carries, int64 i) {
    return reinterpret_cast<carry*>(carries)[i];
  }
  static SKERRY_INLINE const carry& carry_at(const char* carries, int64 i) {
    return reinterpret_cast<const carry*>(carries)[i];
  }
  static void clear(char* carries, int64 n) noexcept {
    for (int64 i = 0; i < n; ++i) carry_at(carries, i).clear();
  }
  static void merge(char* carries, const char* later, int64 n) noexcept {
    for (int64 i = 0; i < n; ++i) carry_at(carries, i).merge(carry_at(later, i));
  }
  static void initial(char* out) noexcept { store<A>(out, Op::reduction::template identity<A>()); }

  static SKERRY_INLINE A item(const char* x) {
    return static_cast<A>(Op::reduction::load(load<T>(x)));
  }

  /// Scans whole vectors from the start of the run; returns the number of elements and sets their
  /// total.
  template <bool Write, bool PastCaches>
  static SKERRY_INLINE int64 run_vectors(const ScanBlock& block, A carry_in, A& total) {
    using L = typename vector_lane<ops::real_part_t<A>>::type;
    using vector_scan = VectorScan<Op, L, is_complex ? 2 : 1>;
    constexpr int64 step = vector_scan::lanes / (is_complex ? 2 : 1);
    typename vector_scan::vector offset;
    typename vector_scan::vector local;
    vector_scan::spread(offset, carry_in);
    vector_scan::spread(local, neutral<Op, A>());
    int64 i = 0;
    for (; i + step <= block.rows; i += step) {
      typename vector_scan::vector x;
      load_converted<T, L>(x, block.x + i * size);
      vector_scan::scan(x);
      typename vector_scan::vector out = x;
      x = spread_last<is_complex ? 2 : 1>(x);
      if constexpr (Write) {
        vector_scan::combine(out, local);
        vector_scan::combine(out, offset);
        if constexpr (PastCaches) {
          store_past_caches(block.out + i * out_size, out);
        } else {
          store_vector(block.out + i * out_size, out);
        }
      }
      vector_scan::combine(local, x);
    }
    total = load<A>(reinterpret_cast<const char*>(&local));
    return i;
  }

  /// Scans integers in pairs, which is exact in any order: of three products per pair, only one
  /// depends on the previous pair.
  template <bool Write>
  static SKERRY_INLINE int64 run_pairs(const ScanBlock& block, A carry_in, A& total) {
    const auto combine = [](A a, A b) { return Op::reduction::combine(a, b); };
    char* const out = block.out;
    const char* const x = block.x;
    const int64 rows = block.rows;
    A last = carry_in;
    int64 i = 0;
    for (; i + 2 <= rows; i += 2) {
      const A first = item(x + i * size);
      const A both = combine(first, item(x + (i + 1) * size));
      if constexpr (Write) {
        store<A>(out + i * out_size, combine(last, first));
        last = combine(last, both);
        store<A>(out + (i + 1) * out_size, last);
      }
      total = combine(total, both);
    }
    return i;
  }

  template <bool Write, bool PastCaches>
  static SKERRY_INLINE void run_as(const ScanBlock& block, const char* carries, char* totals) {
    const typename carry::Offset offset = carry_at(carries, 0).get();
    A local = neutral<Op, A>();
    int64 i = 0;
    if constexpr (has_vectors) {
      i = run_vectors<Write, PastCaches>(block, offset, local);
    } else if constexpr (ops::integral<A>) {
      i = run_pairs<Write>(block, offset, local);
    } else {
      local = item(block.x);
      if constexpr (Write) store<A>(block.out, carry::apply(offset, local));
      i = 1;
    }
    for (; i < block.rows; ++i) {
      local = Op::reduction::combine(local, item(block.x + i * size));
      if constexpr (Write) store<A>(block.out + i * out_size, carry::apply(offset, local));
    }
    carry_at(totals, 0).set(local);
  }

  static void run(const ScanBlock& block, const char* carries, char* totals) noexcept {
    if (block.out == nullptr) return run_as<false, false>(block, carries, totals);
    if constexpr (has_vectors) {
      const auto address = reinterpret_cast<uint64>(block.out);
      if (block.past_caches && address % vector_bytes == 0) {
        run_as<true, true>(block, carries, totals);
        return fence_stores();
      }
    }
    run_as<true, false>(block, carries, totals);
  }

  /// Scans `Columns` columns, whose sums stay in registers; 0: any number.
  template <bool Write, int Columns>
  static SKERRY_INLINE void columns_as(const ScanBlock& block, const char* carries, char* totals) {
    const int64 n = Columns > 0 ? Columns : block.n;
    alignas(64) A local[Columns > 0 ? Columns : max_strip_width];
    typename carry::Offset offset[Columns > 0 ? Columns : max_strip_width];
    for (int64 i = 0; i < n; ++i) offset[i] = carry_at(carries, i).get();
    for (int64 i = 0; i < n; ++i) {
      local[i] = item(block.x + i * size);
      if constexpr (Write) store<A>(block.out + i * out_size, carry::apply(offset[i], local[i]));
    }
    for (int64 j = 1; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      char* out = block.out + j * block.out_row;
      SKERRY_IVDEP
      for (int64 i = 0; i < n; ++i) {
        local[i] = Op::reduction::combine(local[i], item(x + i * size));
        if constexpr (Write) store<A>(out + i * out_size, carry::apply(offset[i], local[i]));
      }
    }
    for (int64 i = 0; i < n; ++i) carry_at(totals, i).set(local[i]);
  }

  static void columns(const ScanBlock& block, const char* carries, char* totals) noexcept {
    if (block.out == nullptr) return columns_as<false, 0>(block, carries, totals);
    if (block.n == 2) return columns_as<true, 2>(block, carries, totals);
    if (block.n == 3) return columns_as<true, 3>(block, carries, totals);
    if (block.n == 4) return columns_as<true, 4>(block, carries, totals);
    columns_as<true, 0>(block, carries, totals);
  }

  static void short_runs(const ScanBlock& block) noexcept {
    for (int64 j = 0; j < block.n; ++j) {
      const char* x = block.x + j * block.row;
      char* out = block.out + j * block.out_row;
      A local = item(x);
      store<A>(out, local);
      for (int64 i = 1; i < block.rows; ++i) {
        local = Op::reduction::combine(local, item(x + i * size));
        store<A>(out + i * out_size, local);
      }
    }
  }

  static void scan(const ScanParams& params) {
    run_scan(params,
             {size, out_size, sizeof(carry), clear, merge, run, columns, short_runs, initial});
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
