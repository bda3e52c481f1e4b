// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "both.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "device/memory.hpp"
#include "device/transfer.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/move/copy.hpp"

namespace skerry::testing {
namespace {

using numbers = std::vector<std::complex<double>>;

NdArray on_host(const numbers& values, const Dims& shape) {
  StorageRef memory = allocate(cpu, values.size() * sizeof values[0]);
  if (!values.empty()) std::memcpy(memory->data(), values.data(), values.size() * sizeof values[0]);
  return {std::move(memory), c_layout(shape, sizeof values[0]), Dtype::complex128};
}

/// Converts the numbers to `type`; drops fractions and imaginary parts that it can't represent.
NdArray as_type(const numbers& values, const Dims& shape, Dtype type, Device device) {
  const NdArray wide = on_host(values, shape);
  if (kind(type) == DtypeKind::complex_floating) return to_device(astype(wide, type, true), device);
  const Layout real_part{wide.shape(), wide.strides(), 0};
  const NdArray real(wide.memory(), real_part, Dtype::float64);
  return to_device(astype(real, type, true), device);
}

numbers values_of(const NdArray& x) {
  const NdArray host = copy_c_order(astype(to_device(x, cpu), Dtype::complex128, true));
  numbers values(static_cast<std::size_t>(host.size()));
  if (!values.empty()) std::memcpy(values.data(), host.data(), values.size() * sizeof values[0]);
  return values;
}

bool is_same(double actual, double expected, double allowed) {
  if (std::isnan(expected)) return std::isnan(actual);
  return actual == expected || std::fabs(actual - expected) <= allowed;
}

}  // namespace

NdArray sample(Dtype type, const Dims& shape, Device device, int seed) {
  const bool is_unsigned =
      kind(type) == DtypeKind::unsigned_integer || kind(type) == DtypeKind::boolean;
  const double scale = is_floating(type) ? 0.25 : 1;
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  numbers values;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto step = static_cast<double>((i * 7 + seed * 5 + i / 19) % 23);
    const double real = is_unsigned ? step : (step - 11) * scale;
    values.emplace_back(kind(type) == DtypeKind::boolean ? std::fmod(step, 2) : real,
                        (static_cast<double>((i * 5 + seed) % 13) - 6) * scale);
  }
  return as_type(values, shape, type, device);
}

NdArray sample_factors(Dtype type, const Dims& shape, Device device) {
  if (!is_floating(type)) return sample(type, shape, device);
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  const bool is_complex = kind(type) == DtypeKind::complex_floating;
  const std::complex<double> turn = is_complex ? std::complex<double>(0, 1) : -1;
  numbers values;
  for (std::int64_t i = 0; i < size; ++i) {
    const double modulus = i % 257 == 3 ? 2 : i % 257 == 7 ? 0.5 : 1;
    values.push_back(modulus * ((i * 7 + i / 19) % 3 == 0 ? turn : 1.0));
  }
  return as_type(values, shape, type, device);
}

NdArray without_first(const NdArray& x, std::int64_t count) {
  return x.view({.shape = Dims{x.shape()[0] - count},
                 .strides = x.strides(),
                 .offset = x.layout().offset + count * x.strides()[0]});
}

NdArray sample_indices(std::int64_t limit, const Dims& shape, Device device) {
  const NdArray some = sample(Dtype::uint8, shape, cpu);
  numbers values = values_of(some);
  std::int64_t i = 0;
  for (auto& value : values) value = static_cast<double>((i++ * 31 + 7) % limit);
  return as_type(values, shape, Dtype::int64, device);
}

NdArray sample_matrices(Dtype type, std::int64_t count, std::int64_t side, Device device) {
  numbers values;
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t i = 0; i < side; ++i) {
      for (std::int64_t j = 0; j < side; ++j) {
        const double decay = 1.0 / (1.0 + std::fabs(static_cast<double>(i - j)));
        const double skew = i == j ? 0 : (i < j ? 0.1 : -0.1) / (1.0 + static_cast<double>(i + j));
        const double ridge = i == j ? static_cast<double>(side + k + i) : 0;
        values.emplace_back(decay + ridge, skew);
      }
    }
  }
  return as_type(values, Dims{count, side, side}, type, device);
}

double tolerance_of(Dtype type) {
  // Two units in the last place.
  if (type == Dtype::float16) return 2e-3;
  if (type == Dtype::bfloat16) return 1.6e-2;
  return type == Dtype::float32 || type == Dtype::complex64 ? 2e-5 : 1e-11;
}

void expect_same(const NdArray& actual, const NdArray& expected, double tolerance) {
  ASSERT_EQ(actual.shape(), expected.shape());
  ASSERT_EQ(actual.dtype(), expected.dtype());
  const numbers left = values_of(actual);
  const numbers right = values_of(expected);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double size = std::abs(right[i]);
    const double allowed = std::isfinite(size) ? tolerance * std::max(1.0, size) : 0;
    ASSERT_TRUE(is_same(left[i].real(), right[i].real(), allowed) &&
                is_same(left[i].imag(), right[i].imag(), allowed))
        << "element " << i << " is " << left[i] << " on CUDA and " << right[i] << " on the CPU";
  }
}

}  // namespace skerry::testing
