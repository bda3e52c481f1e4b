// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "enabled_dtypes.hpp"
#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/linear/convolution_kernels.hpp"

#include <cub/device/device_for.cuh>

namespace skerry::native {
namespace {

/// The sum of products for one element of the output. Adjacent threads read adjacent items and the
/// same tap.
template <class R, int Parts>
struct Convolved {
  ConvolutionParams p;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t position = p.first + i;
    const std::int64_t last = position < p.tap_count ? position : p.tap_count - 1;
    std::int64_t k = position < p.size ? 0 : position - p.size + 1;
    R sums[Parts][Parts];
    SKERRY_UNROLL_FULLY
    for (int n = 0; n < Parts * Parts; ++n) sums[n / Parts][n % Parts] = nothing();
    for (; k <= last; ++k) {
      SKERRY_UNROLL_FULLY
      for (int n = 0; n < Parts * Parts; ++n) {
        R& sum = sums[n / Parts][n % Parts];
        const R product =
            multiplied(part_of(p.taps, k, n / Parts), part_of(p.x, position - k, n % Parts));
        sum = static_cast<R>(sum + product);
      }
    }
    if constexpr (Parts == 2) {
      put(i, 0, sums[0][0] - sums[1][1]);
      put(i, 1, sums[0][1] + sums[1][0]);
    } else {
      put(i, 0, sums[0][0]);
    }
  }

 private:
  static constexpr auto size = static_cast<std::int64_t>(sizeof(R));

  __device__ static SKERRY_INLINE R nothing() {
    if constexpr (ops::real_floating<R>) {
      return R(-0.0);
    } else {
      return R(0);
    }
  }
  __device__ static SKERRY_INLINE R multiplied(R a, R b) {
    if constexpr (ops::integral<R>) {
      return static_cast<R>(1u * a * b);
    } else {
      return a * b;
    }
  }
  __device__ SKERRY_INLINE R part_of(const char* source, std::int64_t element,
                                     int component) const {
    return load<R>(source + (element * Parts + component) * size, is_aligned);
  }
  __device__ SKERRY_INLINE void put(std::int64_t element, int component, R value) const {
    store<R>(p.out + (element * Parts + component) * size, value, true);
  }
};

template <class R, int Parts>
int convolve(const ConvolutionParams& p, LaunchContext* context) {
  const Convolved<R, Parts> sum{
      .p = p,
      .is_aligned = is_aligned_for<R>(reinterpret_cast<std::intptr_t>(p.x.get())) &&
                    is_aligned_for<R>(reinterpret_cast<std::intptr_t>(p.taps.get()))};
  return end_launch(cub::DeviceFor::Bulk(p.count, sum, stream_of(context)));
}

template <class T>
void fill(ConvolutionKernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  if constexpr (ops::complex_floating<T>) {
    table.kernel[type].set_native<convolve<typename T::value_type, 2>>();
  } else if constexpr (ops::integral<T>) {
    table.kernel[type].set_native<convolve<ops::bits_t<T>, 1>>();
  } else if constexpr (ops::real_floating<T> && !ops::stored_only<T>) {
    table.kernel[type].set_native<convolve<T, 1>>();
  }
}

}  // namespace

void fill_convolution(ConvolutionKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::native
