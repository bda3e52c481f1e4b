// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "device/cpu/thread_pool.hpp"
#include "ops/fourier/cpu/ducc/entry.hpp"
#include "ops/kernel/cpu/memory.hpp"

// ducc computes the transforms (ops/fourier/cpu/ducc); this file adds what it lacks.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

using fft_entry = bool (*)(const FftParams&) noexcept;

/// The output as rows: 1-D slices along its last axis.
struct OutputRows {
  const FftParams& params;

  [[nodiscard]] int64 count() const {
    int64 product = 1;
    for (int axis = 0; axis + 1 < params.rank; ++axis) product *= params.shape[axis];
    return product;
  }
  [[nodiscard]] char* row(int64 number) const {
    char* address = params.output;
    for (int axis = params.rank - 2; axis >= 0; --axis) {
      address += number % params.shape[axis] * params.output_strides[axis];
      number /= params.shape[axis];
    }
    return address;
  }
};

/// Mirrors the spectrum of a real input: one half is the conjugate of the other, in reverse.
template <class T>
void mirror_rows(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& p = *static_cast<const FftParams*>(context);
  const int64 length = p.shape[p.rank - 1];
  const int64 stride = p.output_strides[p.rank - 1];
  const OutputRows rows{p};
  for (int64 number = begin; number < end; ++number) {
    char* row = rows.row(number);
    for (int64 i = length / 2 + 1; i < length; ++i) {
      const T value = load<T>(row + (length - i) * stride);
      store(row + i * stride, T(value.re, -value.im));
    }
  }
}

/// Runs a transform whose output consists of T.
template <class T, fft_entry Transform, bool IsHalf>
void run_fft(const FftParams& params) {
  FftParams p = params;
  if (!Transform(p)) {
    // Atomic, since another thread reads it on a rehearsed device.
    __atomic_store_n(p.out_of_memory.get(), 1, __ATOMIC_RELEASE);
  } else if constexpr (IsHalf) {
    if (!p.mirrored) return;
    const int64 grain_size = maximum(32768 / p.shape[p.rank - 1], 1);
    cpu::parallel_for(OutputRows{p}.count(), grain_size, mirror_rows<T>, &p);
  }
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
