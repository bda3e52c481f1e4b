// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/create/kernels.hpp"
#include "ops/kernel/cuda/loops.cuh"

#include <cub/device/device_for.cuh>

namespace skerry::native {

/// The type in which a sequence of T is computed. Integers wrap around, so the low bits of uint64
/// arithmetic are right for all integer dtypes.
template <class T>
struct sequence_arithmetic {
  using type = uint64;
};
template <ops::real_floating T>
struct sequence_arithmetic<T> {
  using type = float64;
};
template <ops::complex_floating T>
struct sequence_arithmetic<T> {
  using type = complex128;
};

template <class T>
struct sequence_loop {
  using wide = typename sequence_arithmetic<T>::type;

  T* output;
  wide start;
  wide step;
  std::int64_t last_index;  ///< -1 if no last element is given
  wide last;

  __device__ void operator()(std::int64_t index) const {
    output[index] = static_cast<T>(index == last_index ? last : element_at(index));
  }

 private:
  __device__ SKERRY_INLINE wide element_at(std::int64_t index) const {
    if constexpr (ops::complex_floating<wide>) {
      const auto i = static_cast<float64>(index);
      return {start.re + i * step.re, start.im + i * step.im};
    } else {
      return start + static_cast<wide>(index) * step;
    }
  }
};

template <class T>
int sequence(const SequenceParams& sequence_params, LaunchContext* context) {
  using wide = typename sequence_arithmetic<T>::type;
  const sequence_loop<T> loop{
      .output = reinterpret_cast<T*>(sequence_params.output.get()),
      .start = sequence_params.start.template as<wide>(),
      .step = sequence_params.step.template as<wide>(),
      .last_index = sequence_params.has_last ? sequence_params.size - 1 : -1,
      .last = sequence_params.last.template as<wide>()};
  return end_launch(cub::DeviceFor::Bulk(sequence_params.size, loop, stream_of(context)));
}

}  // namespace skerry::native
