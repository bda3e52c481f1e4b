// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/half.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/linear/matmul_kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Accumulator of products: integers wrap around in unsigned arithmetic of their width;
/// stored-only dtypes are accumulated in float32 and rounded once.
template <class T>
struct dot_sum {
  using type = ops::computed_t<T>;
};
template <ops::integral T>
struct dot_sum<T> {
  using type = ops::bits_t<T>;
};
template <ops::boolean T>
struct dot_sum<T> {
  using type = bool;  // true if any product is true
};
template <class T>
using dot_sum_t = typename dot_sum<T>::type;

template <class T, bool Conjugate>
SKERRY_INLINE dot_sum_t<T> product_of(const char* a, const char* b) {
  if constexpr (ops::integral<T>) {
    using U = ops::bits_t<T>;
    return static_cast<U>(1u * load<U>(a) * load<U>(b));
  } else if constexpr (ops::boolean<T>) {
    return (load<T>(a) & load<T>(b)) != 0;
  } else if constexpr (Conjugate) {
    const T x = load<T>(a);
    return T(x.re, -x.im) * load<T>(b);
  } else {
    return load<T>(a) * load<T>(b);
  }
}

template <class S>
SKERRY_INLINE S sum_of(S a, S b) {
  return static_cast<S>(a + b);
}

/// Combines sums of products of components into a complex sum: those of two real or two imaginary
/// components (`direct`) and those of one of each (`crossed`). This takes one subtraction at the
/// end instead of one per product.
template <class T, bool Conjugate, class Parts>
SKERRY_INLINE T complex_sum(const Parts& direct, const Parts& crossed) {
  return Conjugate ? T(direct[0] + direct[1], crossed[0] - crossed[1])
                   : T(direct[0] - direct[1], crossed[0] + crossed[1]);
}

template <class T, bool Conjugate>
SKERRY_INLINE T dot_of_complex(const char* a, int64 a_step, const char* b, int64 b_step, int64 n) {
  using R = ops::real_part_t<T>;
  constexpr int lanes = 128 / int(sizeof(T));
  R direct[2 * lanes] = {};
  R crossed[2 * lanes] = {};
  const auto add = [&](int k, int64 index) __attribute__((always_inline)) {
    const T x = load<T>(a + index * a_step);
    const T y = load<T>(b + index * b_step);
    direct[2 * k] += x.re * y.re;
    direct[2 * k + 1] += x.im * y.im;
    crossed[2 * k] += x.re * y.im;
    crossed[2 * k + 1] += x.im * y.re;
  };
  int64 i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int k = 0; k < lanes; ++k) add(k, i + k);
  }
  for (int k = 0; i + k < n; ++k) add(k, i + k);
  for (int half = lanes; half > 1; half /= 2) {
    for (int k = 0; k < half; ++k) {
      direct[k] += direct[k + half];
      crossed[k] += crossed[k + half];
    }
  }
  return complex_sum<T, Conjugate>(direct, crossed);
}

/// Computes a dot product in at most 32 lanes, which also limit the rounding error of long sums.
template <class T, bool Conjugate>
SKERRY_INLINE dot_sum_t<T> dot_of(const char* a, int64 a_step, const char* b, int64 b_step,
                                  int64 n) {
  using S = dot_sum_t<T>;
  constexpr int lanes = sizeof(T) >= 4 ? 128 / int(sizeof(T)) : 32;
  if (n < lanes) {
    S sum(0);
    for (int64 i = 0; i < n; ++i) {
      sum = sum_of(sum, product_of<T, Conjugate>(a + i * a_step, b + i * b_step));
    }
    return sum;
  }
  if constexpr (ops::complex_floating<T>) {
    return dot_of_complex<T, Conjugate>(a, a_step, b, b_step, n);
  }
  S lane[lanes];
  for (int k = 0; k < lanes; ++k) lane[k] = S(0);
  int64 i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int k = 0; k < lanes; ++k) {
      lane[k] =
          sum_of(lane[k], product_of<T, Conjugate>(a + (i + k) * a_step, b + (i + k) * b_step));
    }
  }
  for (int k = 0; i + k < n; ++k) {
    lane[k] = sum_of(lane[k], product_of<T, Conjugate>(a + (i + k) * a_step, b + (i + k) * b_step));
  }
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) lane[k] = sum_of(lane[k], lane[k + half]);
  }
  return lane[0];
}

#if defined(SKERRY_ACCESSES_SOME_LANES)
/// Reduces vectors to one sum in the first lane, or the first two for complex numbers.
template <int Parts, std::size_t Vectors, class V>
SKERRY_INLINE V sum_of_lanes(V (&sums)[Vectors]) {
  constexpr int lanes = vector_bytes / int(sizeof(sums[0][0]));
  if constexpr (Vectors > 4) {
    unroll<4>([&](auto v) __attribute__((always_inline)) { sums[v.value] += sums[v.value + 4]; });
  }
  if constexpr (Vectors > 2) {
    sums[0] += sums[2];
    sums[1] += sums[3];
  }
  V sum = sums[0] + sums[1];
  if constexpr (lanes > 8) sum += exchange_lanes<8>(sum);
  if constexpr (lanes > 4) sum += exchange_lanes<4>(sum);
  if constexpr (lanes > 2) sum += exchange_lanes<2>(sum);
  if constexpr (Parts == 1) sum += exchange_lanes<1>(sum);
  return sum;
}

/// dot_of() for contiguous numbers, with the same bits. Uses explicit vectors, because the compiler
/// keeps the lanes of dot_of() in memory.
template <class T, bool Conjugate>
SKERRY_INLINE T dot_of_vectors(const char* a, const char* b, int64 n) {
  using R = ops::real_part_t<T>;
  using V = lanes_of<R>;
  constexpr bool is_complex = ops::complex_floating<T>;
  constexpr int vectors = 128 / vector_bytes;
  constexpr int64 lanes = lane_count<R>;
  V sums[vectors] = {};
  V crossed[vectors] = {};
  const auto add = [&](auto v, V x, V y) __attribute__((always_inline)) {
    sums[decltype(v)::value] += x * y;
    if constexpr (is_complex) crossed[decltype(v)::value] += x * exchange_lanes<1>(y);
  };
  int64 left = is_complex ? 2 * n : n;
  for (; left >= vectors * lanes; left -= vectors * lanes, a += 128, b += 128) {
    unroll<vectors>([&](auto v) __attribute__((always_inline)) {
      constexpr int offset = decltype(v)::value * vector_bytes;
      add(v, load_vector<V>(a + offset), load_vector<V>(b + offset));
    });
  }
  unroll<vectors>([&](auto v) __attribute__((always_inline)) {
    constexpr int64 first = decltype(v)::value * lanes;
    if (left <= first) return;
    const auto some = [&](const char* source) __attribute__((always_inline)) {
      return load_some_lanes<R>(reinterpret_cast<const R*>(source) + first,
                                minimum(left - first, lanes), V{});
    };
    add(v, some(a), some(b));
  });
  if constexpr (is_complex) {
    return complex_sum<T, Conjugate>(sum_of_lanes<2>(sums), sum_of_lanes<2>(crossed));
  } else {
    return T(sum_of_lanes<1>(sums)[0]);
  }
}
#endif

/// Returns true if any product is true. Stops after the block with the first such product.
SKERRY_INLINE bool has_true_product(const char* a, int64 a_step, const char* b, int64 b_step,
                                    int64 n) {
  const auto is_true = [&](int64 i) __attribute__((always_inline)) {
    return load<bool>(a + i * a_step) & load<bool>(b + i * b_step);
  };
  int64 position = 0;
  for (; position < minimum(n, 16); ++position) {
    if (is_true(position)) return true;
  }
  for (int64 block = 64; position < n; position += block, block = minimum(4 * block, 4096)) {
    uint8 any_true = 0;
    const int64 end = minimum(position + block, n);
    for (int64 i = position; i < end; ++i) any_true |= static_cast<uint8>(is_true(i));
    if (any_true != 0) return true;
  }
  return false;
}

/// Computes the dot product of contiguous elements of a stored-only dtype, in blocks.
template <ops::stored_only T>
SKERRY_INLINE float32 dot_of_halves(const char* a, const char* b, int64 n) {
  constexpr int64 width = sizeof(float32);
  alignas(64) float32 first[tuning::half_block];
  alignas(64) float32 second[tuning::half_block];
  float32 sum = 0;
  for (int64 i = 0; i < n; i += tuning::half_block) {
    const int64 count = minimum(tuning::half_block, n - i);
    widen_halves<T>(first, a + i * 2, count);
    widen_halves<T>(second, b + i * 2, count);
    sum += dot_of<float32, false>(reinterpret_cast<const char*>(first), width,
                                  reinterpret_cast<const char*>(second), width, count);
  }
  return sum;
}

template <class T, bool Conjugate>
SKERRY_INLINE dot_sum_t<T> dot_at(const MatmulParams& p, const char* a, const char* b, int64 n) {
  constexpr int64 item = sizeof(T);
  if (p.x1_column == item && p.x2_row == item) {
    if constexpr (ops::stored_only<T>) {
      return dot_of_halves<T>(a, b, n);
    } else if constexpr (ops::boolean<T>) {
      return has_true_product(a, item, b, item, n);
    } else {
#if defined(SKERRY_ACCESSES_SOME_LANES)
      if constexpr (ops::floating<T>) {
        if (n * item >= 128) return dot_of_vectors<T, Conjugate>(a, b, n);
      }
#endif
      return dot_of<T, Conjugate>(a, item, b, item, n);
    }
  }
  if constexpr (ops::boolean<T>) return has_true_product(a, p.x1_column, b, p.x2_row, n);
  return dot_of<T, Conjugate>(a, p.x1_column, b, p.x2_row, n);
}

inline constexpr int64 dot_columns_width = 64;

/// Adds to sums[j] the product of items j of two rows; a step of 0 repeats one item.
template <class T, bool Conjugate, int64 Step1, int64 Step2>
SKERRY_INLINE void add_row(dot_sum_t<T>* sums, const char* x, const char* y, int64 count) {
  if constexpr (ops::stored_only<T>) {
    alignas(64) float32 first[dot_columns_width];
    alignas(64) float32 second[dot_columns_width];
    widen_halves<T>(first, x, Step1 == 0 ? 1 : count);
    widen_halves<T>(second, y, Step2 == 0 ? 1 : count);
    add_row<float32, false, 2 * Step1, 2 * Step2>(sums, reinterpret_cast<const char*>(first),
                                                  reinterpret_cast<const char*>(second), count);
  } else {
    for (int64 j = 0; j < count; ++j) {
      sums[j] = sum_of(sums[j], product_of<T, Conjugate>(x + j * Step1, y + j * Step2));
    }
  }
}

/// Computes dot products of adjacent vectors together, row by row. Sums are blocked to limit the
/// rounding error.
template <class T, bool Conjugate, int64 Step1, int64 Step2>
SKERRY_INLINE void dot_columns(const MatmulParams& p, const char* a, const char* b, char* out,
                               int64 n) {
  using S = dot_sum_t<T>;
  constexpr int64 width = dot_columns_width;
  constexpr int64 block = ops::boolean<T> ? 32 : 256;
  for (int64 first = 0; first < n; first += width) {
    const int64 count = minimum(width, n - first);
    S total[width];
    for (int64 j = 0; j < width; ++j) total[j] = S(0);
    for (int64 k0 = 0; k0 < p.k; k0 += block) {
      S sum[width];
      for (int64 j = 0; j < width; ++j) sum[j] = S(0);
      const int64 past = minimum(p.k, k0 + block);
      for (int64 k = k0; k < past; ++k) {
        const char* x = a + k * p.x1_column + first * Step1;
        const char* y = b + k * p.x2_row + first * Step2;
        add_row<T, Conjugate, Step1, Step2>(sum, x, y, count);
      }
      for (int64 j = 0; j < width; ++j) total[j] = sum_of(total[j], sum[j]);
      if constexpr (ops::boolean<T>) {
        bool is_decided = true;
        for (int64 j = 0; j < count; ++j) is_decided &= total[j];
        if (is_decided) break;
      }
    }
    for (int64 j = 0; j < count; ++j) {
      store(out + (first + j) * int64(sizeof(T)), static_cast<T>(total[j]));
    }
  }
}

/// Computes `n` dot products along the fastest axis of the stack.
template <class T, bool Conjugate>
SKERRY_INLINE void dot_run(const MatmulParams& p, const char* a, const char* b, char* out,
                           int64 n) {
  constexpr int64 item = sizeof(T);
  const int64 step1 = p.batch_rank > 0 ? p.x1_batch[0] : 0;
  const int64 step2 = p.batch_rank > 0 ? p.x2_batch[0] : 0;
  const bool is_side_by_side = n >= (ops::boolean<T> ? 8 : 2);
  if (is_side_by_side && step1 == item && step2 == item) {
    return dot_columns<T, Conjugate, item, item>(p, a, b, out, n);
  }
  if (is_side_by_side && step1 == item && step2 == 0) {
    return dot_columns<T, Conjugate, item, 0>(p, a, b, out, n);
  }
  if (is_side_by_side && step1 == 0 && step2 == item) {
    return dot_columns<T, Conjugate, 0, item>(p, a, b, out, n);
  }
  const auto store_dots = [&](auto dot) __attribute__((always_inline)) {
    for (int64 i = 0; i < n; ++i) {
      store(out + i * item, static_cast<T>(dot(a + i * step1, b + i * step2)));
    }
  };
  const int64 column = p.x1_column;
  const int64 row = p.x2_row;
  if (p.k == 3) {  // vectors in space: a constant length needs no inner loop
    return store_dots([&](const char* x, const char* y) __attribute__((always_inline)) {
      return dot_of<T, Conjugate>(x, column, y, row, 3);
    });
  }
  store_dots([&](const char* x, const char* y)
                 __attribute__((always_inline)) { return dot_at<T, Conjugate>(p, x, y, p.k); });
}

template <class T, bool Conjugate>
void dot_range(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& p = *static_cast<const MatmulParams*>(context);
  const int64 length = p.batch_rank > 0 ? p.batch_shape[0] : 1;
  for (int64 i = begin; i < end;) {
    const int64 n = minimum(length - i % length, end - i);
    const StackOffsets offsets = stack_offsets(i, p);
    dot_run<T, Conjugate>(p, p.x1 + offsets.x1, p.x2 + offsets.x2, p.out + i * int64(sizeof(T)), n);
    i += n;
  }
}

/// One long dot product, split into parts by its length only.
template <class T>
struct LongDot {
  static constexpr int64 parts = 64;
  const MatmulParams* params;
  dot_sum_t<T> sums[parts] = {};
  bool is_true = false;  ///< for bools: further parts cannot change the result
};

template <class T, bool Conjugate>
void long_dot_range(void* context, std::int64_t begin, std::int64_t end) noexcept {
  auto& all = *static_cast<LongDot<T>*>(context);
  const MatmulParams& p = *all.params;
  const int64 length = ceil_div(p.k, LongDot<T>::parts);
  for (int64 i = begin; i < end; ++i) {
    if (__atomic_load_n(&all.is_true, __ATOMIC_RELAXED)) return;
    const int64 first = minimum(i * length, p.k);
    all.sums[i] = dot_at<T, Conjugate>(p, p.x1 + first * p.x1_column, p.x2 + first * p.x2_row,
                                       minimum(length, p.k - first));
    if constexpr (ops::boolean<T>) {
      if (all.sums[i]) __atomic_store_n(&all.is_true, true, __ATOMIC_RELAXED);
    }
  }
}

template <class T, bool Conjugate>
void run_dots(MatmulParams p) {
  const int64 grain_size = tuning::dot_grain_size;
  if (p.batch == 1 && p.k > 4 * grain_size) {
    LongDot<T> all;
    all.params = &p;
    cpu::parallel_for(LongDot<T>::parts, ceil_div(LongDot<T>::parts * grain_size, p.k),
                      long_dot_range<T, Conjugate>, &all);
    dot_sum_t<T> sum = all.sums[0];
    for (int i = 1; i < LongDot<T>::parts; ++i) sum = sum_of(sum, all.sums[i]);
    store(p.out, static_cast<T>(sum));
  } else {
    cpu::parallel_for(p.batch, maximum(grain_size / (p.k + 1), 1), dot_range<T, Conjugate>, &p);
  }
}

template <class T>
void run_dot(const MatmulParams& p) {
  run_dots<T, ops::complex_floating<T>>(p);
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
