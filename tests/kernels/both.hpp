// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/ndarray.hpp"
#include "device/registry.hpp"

/// Launches every kernel on a CUDA device and compares the result with the CPU's. The device is a
/// GPU if the machine has one (`make gpu-check` runs tests/kernels under compute-sanitizer),
/// otherwise a rehearsed device, which checks the order of the work and the lifetime of its memory.
namespace skerry::testing {

inline constexpr Device cpu{DeviceKind::cpu, 0};
inline constexpr Device cuda{cuda_kind, 0};

inline constexpr Dtype every_dtype[] = {
#define SKERRY_ENUMERATOR(name, type, kind, typestr) Dtype::name,
    SKERRY_FOR_EACH_DTYPE(SKERRY_ENUMERATOR)
#undef SKERRY_ENUMERATOR
};
/// The dtypes in which NVIDIA's libraries compute.
inline constexpr Dtype floating_dtypes[] = {Dtype::float32, Dtype::float64, Dtype::complex64,
                                            Dtype::complex128};

/// Returns small numbers, of both signs if the dtype is signed, and zeros; the same on every
/// device.
[[nodiscard]] NdArray sample(Dtype type, const Dims& shape, Device device, int seed = 0);
/// Returns the same, but for floating-point dtypes numbers whose products are exact, nonzero and in
/// range: 1 and -1 (for complex dtypes 1 and i), a few of them times 2, and about as many times
/// 1/2.
[[nodiscard]] NdArray sample_factors(Dtype type, const Dims& shape, Device device);
/// Returns a 1-D array without its first `count` elements, so that it is not aligned for wide
/// loads.
[[nodiscard]] NdArray without_first(const NdArray& x, std::int64_t count);
/// Returns int64 numbers from 0 to limit - 1, unordered.
[[nodiscard]] NdArray sample_indices(std::int64_t limit, const Dims& shape, Device device);
/// Returns `count` dense square matrices: well conditioned, Hermitian and positive definite.
[[nodiscard]] NdArray sample_matrices(Dtype type, std::int64_t count, std::int64_t side,
                                      Device device);

/// Fails unless both have the same shape, dtype and elements; floating ones within `tolerance` of
/// their modulus (or of one). NaN equals NaN.
void expect_same(const NdArray& actual, const NdArray& expected, double tolerance);

/// Returns the relative tolerance for floating-point results of libraries and libm.
[[nodiscard]] double tolerance_of(Dtype type);

/// Calls `f(device)`, which returns an array, for the CPU and for CUDA, and compares the results.
template <class F>
void compare(const std::string& label, F&& f, double tolerance = 0) {
  SCOPED_TRACE(label);
  const NdArray actual = f(cuda);
  EXPECT_EQ(actual.device(), cuda);
  expect_same(actual, f(cpu), tolerance);
}

[[nodiscard]] inline std::string case_label(const char* op, Dtype type) {
  return std::string(op) + " of " + name(type);
}

}  // namespace skerry::testing
