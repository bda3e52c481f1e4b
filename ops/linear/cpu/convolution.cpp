// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/thread_pool.hpp"
#include "enabled_dtypes.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/linear/convolution_kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Convolves numbers with `Parts` components of type R: for complex numbers, both components are
/// multiplied by both components of a tap.
template <class R, int Parts>
class Convolver {
 public:
  explicit Convolver(const ConvolutionParams& p) : p_(p) {}

  /// Computes elements [begin, end) of the output.
  void run(int64 begin, int64 end) const {
    // Elements in [full_begin, full_end) use all taps.
    const int64 full_begin = minimum(maximum(begin, p_.tap_count - 1 - p_.first), end);
    const int64 full_end = maximum(minimum(end, p_.size - p_.first), full_begin);
    if (full_end - full_begin < step) return some_taps(begin, end);
    some_taps(begin, full_begin);
    for (int64 i = full_begin; i < full_end; i += step) all_taps(minimum(i, full_end - step));
    some_taps(full_end, end);
  }

 private:
  using V = lanes_of<R>;
  static constexpr int lanes = lane_count<R>;
  static constexpr int vectors = 4;
  static constexpr int64 size = sizeof(R);
  static constexpr int64 step = vectors * lanes / Parts;  ///< in elements

  /// Returns the identity of addition; for floats -0, which keeps the sign of zeros.
  static constexpr R nothing() {
    if constexpr (ops::real_floating<R>) return R(-0.0);
    return R(0);
  }
  [[nodiscard]] SKERRY_INLINE R tap(int64 k, int component) const {
    return load<R>(p_.taps + (k * Parts + component) * size);
  }
  [[nodiscard]] SKERRY_INLINE const char* item(int64 element) const {
    return p_.x + element * Parts * size;
  }
  [[nodiscard]] SKERRY_INLINE char* out(int64 element) const {
    return p_.out + element * Parts * size;
  }

  /// Combines two sums into complex numbers: that of products with the taps' real components and
  /// that with their imaginary components.
  static SKERRY_INLINE V joined(const V& real, const V& imag) {
    const V crossed = exchange_lanes<1>(imag);
    return choose_lanes<1>(V(real - crossed), V(real + crossed));
  }

  /// Computes `step` elements from `begin` on.
  SKERRY_INLINE void all_taps(int64 begin) const {
    V sums[Parts][vectors];
    unroll<Parts * vectors>([&](auto i) __attribute__((always_inline)) {
      constexpr int n = decltype(i)::value;
      sums[n / vectors][n % vectors] = all_lanes<R>(nothing());
    });
    for (int64 k = 0; k < p_.tap_count; ++k) {
      const char* const x = item(p_.first + begin - k);
      V taps[Parts];
      unroll<Parts>([&](auto component) __attribute__((always_inline)) {
        taps[decltype(component)::value] = all_lanes<R>(tap(k, decltype(component)::value));
      });
      unroll<vectors>([&](auto v) __attribute__((always_inline)) {
        const V items = load_vector<V>(x + decltype(v)::value * vector_bytes);
        unroll<Parts>([&](auto component) __attribute__((always_inline)) {
          sums[decltype(component)::value][decltype(v)::value] +=
              taps[decltype(component)::value] * items;
        });
      });
    }
    unroll<vectors>([&](auto v) __attribute__((always_inline)) {
      constexpr int n = decltype(v)::value;
      if constexpr (Parts == 2) {
        store_vector(out(begin) + n * vector_bytes, joined(sums[0][n], sums[1][n]));
      } else {
        store_vector(out(begin) + n * vector_bytes, sums[0][n]);
      }
    });
  }

  /// Computes elements to which not all taps contribute, tap by tap with sums in memory.
  SKERRY_SHARED void some_taps(int64 begin, int64 end) const {
    constexpr int64 block = tuning::convolution_block;
    alignas(64) R sums[Parts][block * Parts];
    for (int64 block_begin = begin; block_begin < end; block_begin += block) {
      const int64 n = minimum(block, end - block_begin);
      for (auto& of_part : sums) {
        for (int64 i = 0; i < n * Parts; ++i) of_part[i] = nothing();
      }
      const int64 first = p_.first + block_begin;
      const int64 last_tap = minimum(p_.tap_count - 1, first + n - 1);
      for (int64 k = maximum(0, first - p_.size + 1); k <= last_tap; ++k) {
        const int64 low = maximum(0, k - first);
        const int64 count = minimum(n, k - first + p_.size) - low;
        const char* const x = item(first + low - k);
        for (int component = 0; component < Parts; ++component)
          add_products(sums[component] + low * Parts, tap(k, component), x, count);
      }
      finish(sums, block_begin, n);
    }
  }
  static SKERRY_INLINE void add_products(R* sums, R factor, const char* x, int64 count) {
    for (int64 i = 0; i < count * Parts; ++i) {
      // Multiply by 1u: narrow integers would otherwise be promoted to int, which may overflow.
      if constexpr (ops::integral<R>) {
        sums[i] = static_cast<R>(sums[i] + 1u * factor * load<R>(x + i * size));
      } else {
        sums[i] += factor * load<R>(x + i * size);
      }
    }
  }
  SKERRY_INLINE void finish(const R (&sums)[Parts][256 * Parts], int64 begin, int64 n) const {
    char* const destination = out(begin);
    if constexpr (Parts == 2) {
      for (int64 i = 0; i < n; ++i) {
        store(destination + 2 * i * size, sums[0][2 * i] - sums[1][2 * i + 1]);
        store(destination + (2 * i + 1) * size, sums[0][2 * i + 1] + sums[1][2 * i]);
      }
    } else {
      for (int64 i = 0; i < n; ++i) store(destination + i * size, sums[0][i]);
    }
  }

  const ConvolutionParams& p_;
};

template <class R, int Parts>
void convolve(const ConvolutionParams& p) {
  const Convolver<R, Parts> convolver(p);
  cpu::parallel_for(p.count, maximum(64, tuning::convolution_grain_size / p.tap_count),
                    [&](int64 begin, int64 end) { convolver.run(begin, end); });
}

template <class T>
void fill(ConvolutionKernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  if constexpr (ops::complex_floating<T>) {
    table.kernel[type].set_host<convolve<typename T::value_type, 2>>();
  } else if constexpr (ops::integral<T>) {
    // Signed and unsigned integers share a kernel: they wrap around to the same bits.
    table.kernel[type].set_host<convolve<ops::bits_t<T>, 1>>();
  } else if constexpr (ops::real_floating<T> && !ops::stored_only<T>) {
    table.kernel[type].set_host<convolve<T, 1>>();
  }
}

}  // namespace

void fill_convolution(ConvolutionKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
