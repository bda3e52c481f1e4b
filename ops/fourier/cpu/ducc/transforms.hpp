// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "core/config.hpp"
#include "device/cpu/thread_pool.hpp"
#include "ducc0/infra/simd.h"
#include "ops/fourier/cpu/ducc/entry.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"

// Disables ducc's vectors of two float64 where it has vectors of four: there, they would only serve
// the remainder of a batch, and they are a fifth of the code to compile. With clang, ducc defines
// them itself.
#if defined(__AVX__) && !defined(__clang__)
template <>
inline constexpr bool DUCC0_NAMESPACE::detail_simd::simd_exists<double, 2> = false;
#endif

#include "ducc0/fft/fftnd_impl.h"

// ducc transforms one row per vector lane at a time. These overloads move contiguous rows into
// lanes and back by blocked transposes, where ducc moves one number at a time.
namespace DUCC0_NAMESPACE::detail_fft {
namespace {

template <class Tsimd, class Number>
void transpose_in(const auto& rows, const Number* source, void* lanes) {
  using R = typename Tsimd::value_type;
  constexpr std::int64_t width = sizeof(R);
  auto* const first = const_cast<Number*>(source + rows.iofs(0, 0));
  const auto step = rows.unistride_i() * std::int64_t{sizeof(Number)};
  const auto parts = static_cast<std::int64_t>(rows.length_in() * (sizeof(Number) / sizeof(R)));
  skerry::kernels::copy_2d({static_cast<char*>(lanes), width, sizeof(Tsimd)},
                           {reinterpret_cast<char*>(first), step, width}, Tsimd::size(), parts,
                           width);
}
template <class Tsimd, class Number>
void transpose_out(const auto& rows, const void* lanes, Number* destination) {
  using R = typename Tsimd::value_type;
  constexpr std::int64_t width = sizeof(R);
  const auto step = rows.unistride_o() * std::int64_t{sizeof(Number)};
  const auto parts = static_cast<std::int64_t>(rows.length_out() * (sizeof(Number) / sizeof(R)));
  skerry::kernels::copy_2d({reinterpret_cast<char*>(destination + rows.oofs(0, 0)), width, step},
                           {static_cast<char*>(const_cast<void*>(lanes)), sizeof(Tsimd), width},
                           parts, Tsimd::size(), width);
}

// More specialized than ducc's overloads, which take any iterator.
template <class Tsimd, std::size_t N>
void copy_input(const multi_iter<N>& it, const cfmav<Cmplx<typename Tsimd::value_type>>& src,
                Cmplx<Tsimd>* dst) {
  if (it.stride_in() != 1 || !it.uniform_i()) return copy_input<Tsimd, multi_iter<N>>(it, src, dst);
  transpose_in<Tsimd>(it, src.data(), dst);
}
template <class Tsimd, std::size_t N>
void copy_input(const multi_iter<N>& it, const cfmav<typename Tsimd::value_type>& src, Tsimd* dst) {
  if (it.stride_in() != 1 || !it.uniform_i()) return copy_input<Tsimd, multi_iter<N>>(it, src, dst);
  transpose_in<Tsimd>(it, src.data(), dst);
}
template <class Tsimd, std::size_t N>
void copy_output(const multi_iter<N>& it, const Cmplx<Tsimd>* src,
                 const vfmav<Cmplx<typename Tsimd::value_type>>& dst) {
  if (it.stride_out() != 1 || !it.uniform_o()) {
    return copy_output<Tsimd, multi_iter<N>>(it, src, dst);
  }
  transpose_out<Tsimd>(it, src, dst.data());
}
template <class Tsimd, std::size_t N>
void copy_output(const multi_iter<N>& it, const Tsimd* src,
                 const vfmav<typename Tsimd::value_type>& dst) {
  if (it.stride_out() != 1 || !it.uniform_o()) {
    return copy_output<Tsimd, multi_iter<N>>(it, src, dst);
  }
  transpose_out<Tsimd>(it, src, dst.data());
}

}  // namespace
}  // namespace DUCC0_NAMESPACE::detail_fft

// Calls of ducc's FFT. Its views count strides in elements.

namespace skerry::ducc {
namespace {

namespace library = DUCC0_NAMESPACE;
using sizes = std::vector<std::size_t>;
using strides = std::vector<std::ptrdiff_t>;

/// Whether ducc has the vectors in which it transforms a batch; it throws for others.
template <class Real, std::size_t size = library::native_simd<Real>::size()>
inline constexpr bool has_native_vectors = size == 1 || library::simd_exists<Real, size>;
static_assert(has_native_vectors<float> && has_native_vectors<double>);

/// From this length on, ducc splits a transform in two dimensions, but only if it is not part of a
/// batch. So the long transforms of a batch are computed one by one.
constexpr std::int64_t long_transform = 131072;

inline std::size_t threads() { return static_cast<std::size_t>(cpu::thread_count()); }

inline sizes shape_of(const FftParams& p) { return {p.shape, p.shape + p.rank}; }

/// Returns the shape of the complex side.
inline sizes half_shape_of(const FftParams& p) {
  sizes shape = shape_of(p);
  shape.back() = shape.back() / 2 + 1;
  return shape;
}

inline strides strides_of(const FftParams& p, const std::int64_t* nbytes, std::size_t itemsize) {
  strides result(nbytes, nbytes + p.rank);
  for (std::ptrdiff_t& stride : result) stride /= static_cast<std::ptrdiff_t>(itemsize);
  return result;
}

/// Input and output addresses of a part of the batch.
struct Sides {
  const char* input;
  char* output;
};

template <class T>
library::cfmav<T> input_of(const FftParams& p, Sides part, const sizes& shape) {
  return {reinterpret_cast<const T*>(part.input), shape, strides_of(p, p.input_strides, sizeof(T))};
}
template <class T>
library::vfmav<T> output_of(const FftParams& p, Sides part, const sizes& shape) {
  return {reinterpret_cast<T*>(part.output), shape, strides_of(p, p.output_strides, sizeof(T))};
}

inline sizes transformed_axes(const FftParams& p) {
  sizes axes;
  for (int axis = p.rank - p.transformed; axis < p.rank; ++axis) {
    axes.push_back(static_cast<std::size_t>(axis));
  }
  return axes;
}

/// Calls `transform(params, part)` for each single transform of the batch.
template <class Each>
void for_each_of_batch(const FftParams& all, Each&& transform) {
  const int axis = all.rank - 1;
  FftParams one = all;
  one.rank = 1;
  one.shape[0] = all.shape[axis];
  one.input_strides[0] = all.input_strides[axis];
  one.output_strides[0] = all.output_strides[axis];
  std::int64_t count = 1;
  for (int i = 0; i < axis; ++i) count *= all.shape[i];
  for (std::int64_t number = 0; number < count; ++number) {
    std::int64_t left = number;
    Sides part{all.input, all.output};
    for (int i = axis - 1; i >= 0; --i) {
      part.input += left % all.shape[i] * all.input_strides[i];
      part.output += left % all.shape[i] * all.output_strides[i];
      left /= all.shape[i];
    }
    transform(one, part);
  }
}

template <class Real>
void transform_complex(const FftParams& p, Sides part) {
  using T = std::complex<Real>;
  const sizes shape = shape_of(p);
  library::detail_fft::c2c(input_of<T>(p, part, shape), output_of<T>(p, part, shape),
                           transformed_axes(p), p.forward, static_cast<Real>(p.scale), threads());
}

template <class Real>
void complex_to_complex(const FftParams& p) {
  if (p.transformed == 1 && p.rank > 1 && p.shape[p.rank - 1] >= long_transform) {
    return for_each_of_batch(p, transform_complex<Real>);
  }
  transform_complex<Real>(p, {p.input, p.output});
}

/// Transforms contiguous real rows, one per vector lane at a time, and returns the number of rows
/// done. ducc's result has the components in the order of the output, so a blocked transpose stores
/// them; ducc itself would move one at a time.
template <class Real>
std::int64_t transform_rows(const FftParams& p) {
  using vector = library::native_simd<Real>;
  constexpr std::int64_t lanes = vector::size();
  constexpr std::int64_t width = sizeof(Real);
  const std::int64_t length = p.shape[p.rank - 1];
  if (lanes == 1 || p.rank != 2 || p.shape[0] < lanes || p.input_strides[1] != width ||
      p.output_strides[1] != 2 * width) {
    return 0;
  }
  const auto plan = library::detail_fft::get_plan<library::pocketfft_r<Real>>(
      static_cast<std::size_t>(length), false);
  const auto some = [&](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    library::detail_fft::TmpStorage<Real, Real> memory(static_cast<std::size_t>(lanes),
                                                       static_cast<std::size_t>(length),
                                                       plan->bufsize(), 1, false);
    library::detail_fft::TmpStorage2<vector, Real, Real> storage(memory);
    for (std::size_t group = begin; group < end; ++group) {
      const auto first = static_cast<std::int64_t>(group) * lanes;
      char* const source = const_cast<char*>(p.input.get()) + first * p.input_strides[0];
      char* const destination = p.output + first * p.output_strides[0];
      vector* const buffer = storage.dataBuf();
      kernels::copy_2d({reinterpret_cast<char*>(buffer), width, sizeof(vector)},
                       {source, p.input_strides[0], width}, lanes, length, width);
      vector* const parts =
          plan->exec(buffer, storage.transformBuf(), static_cast<Real>(p.scale), true, 1);
      for (std::int64_t i = 2; i < length && !p.forward; i += 2) parts[i] = -parts[i];
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        Real* const row = reinterpret_cast<Real*>(destination + lane * p.output_strides[0]);
        row[0] = parts[0][static_cast<std::size_t>(lane)];
        row[length % 2 == 0 ? length + 1 : 1] = row[1] = 0;
      }
      kernels::copy_2d({destination + 2 * width, width, p.output_strides[0]},
                       {reinterpret_cast<char*>(parts + 1), sizeof(vector), width}, length - 1,
                       lanes, width);
    }
  };
  const auto groups = static_cast<std::size_t>(p.shape[0] / lanes);
  const std::size_t count = library::detail_fft::util::thread_count(
      threads(), input_of<Real>(p, {p.input, p.output}, shape_of(p)), 1,
      static_cast<std::size_t>(lanes));
  library::detail_threading::execParallel(0, groups, count, some);
  return static_cast<std::int64_t>(groups) * lanes;
}

template <class Real>
void real_to_complex(const FftParams& all) {
  FftParams p = all;
  const std::int64_t done = transform_rows<Real>(p);
  if (done != 0 && done == p.shape[0]) return;
  const Sides part{p.input + done * p.input_strides[0], p.output + done * p.output_strides[0]};
  p.shape[0] -= done;
  library::detail_fft::r2c(input_of<Real>(p, part, shape_of(p)),
                           output_of<std::complex<Real>>(p, part, half_shape_of(p)),
                           static_cast<std::size_t>(p.rank - 1), p.forward,
                           static_cast<Real>(p.scale), threads());
}

template <class Real>
void complex_to_real(const FftParams& p) {
  const Sides all{p.input, p.output};
  library::detail_fft::c2r(
      input_of<std::complex<Real>>(p, all, half_shape_of(p)), output_of<Real>(p, all, shape_of(p)),
      static_cast<std::size_t>(p.rank - 1), p.forward, static_cast<Real>(p.scale), threads());
}

/// Returns false if memory ran out: with valid parameters, ducc throws only std::bad_alloc.
template <class Transform>
bool run(const FftParams& params, Transform transform) noexcept {
  try {
    transform(params);
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace
}  // namespace skerry::ducc
