// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/cuda/moments.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

// Computes var on the host with the accumulation of CUDA's loops.

namespace skerry::native {
namespace {

/// Accumulates as a thread does: groups, then the rest.
template <class T>
ops::Moments<float64> fold(const T* x, std::size_t n) {
  using run = GroupedMoments<ops::var, T>;
  auto a = run::template identity<ops::Moments<float64>>();
  std::size_t i = 0;
  for (; i + run::group <= n; i += run::group) {
    T items[run::group];
    for (int k = 0; k < run::group; ++k) items[k] = x[i + static_cast<std::size_t>(k)];
    a = run::combine(a, run::load_group(items));
  }
  for (; i < n; ++i) a = run::combine(a, run::load(x[i]));
  return a;
}

/// Accumulates in `threads` parts, whose results are then combined.
template <class T>
T variance(const std::vector<T>& x, std::size_t threads) {
  using run = GroupedMoments<ops::var, T>;
  auto all = run::template identity<ops::Moments<float64>>();
  const std::size_t share = (x.size() + threads - 1) / threads;
  for (std::size_t first = 0; first < x.size(); first += share) {
    all = run::combine(all, fold(x.data() + first, std::min(share, x.size() - first)));
  }
  return run::finish(all, {static_cast<int64>(x.size()), 0});
}

template <class T>
double exact_variance(const std::vector<T>& x) {
  long double mean = 0;
  for (const T value : x) mean += value;
  mean /= static_cast<long double>(x.size());
  long double squares = 0;
  for (const T value : x) squares += (value - mean) * (value - mean);
  return static_cast<double>(squares / static_cast<long double>(x.size()));
}

TEST(CudaReduceMoments, AreAccurateForALargeMean) {
  std::mt19937 random(20261122);
  std::uniform_real_distribution<float> spread(0, 1);
  for (const std::size_t n : {2, 3, 4, 5, 31, 500, 100'003}) {
    for (const std::size_t threads : {1, 2, 37}) {
      std::vector<float32> x(n);
      for (float32& value : x) value = 4096 + spread(random);
      const double exact = exact_variance(x);
      EXPECT_NEAR(variance(x, threads), exact, 1e-6 * exact) << n << " by " << threads;
      const std::vector<float64> wide(x.begin(), x.end());
      EXPECT_NEAR(variance(wide, threads), exact, 1e-12 * exact) << n;
    }
  }
}

TEST(CudaReduceMoments, AreZeroForEqualElements) {
  for (const std::size_t n : {1, 2, 4, 7, 1001}) {
    EXPECT_EQ(variance(std::vector<float32>(n, 0.1f), 3), 0) << n;
    EXPECT_EQ(variance(std::vector<float64>(n, 0.1), 3), 0) << n;
  }
}

TEST(CudaReduceMoments, AreNanForNonFiniteElements) {
  for (const float32 bad : {std::numeric_limits<float32>::infinity(), std::nanf("")}) {
    for (const std::size_t n : {1, 4, 6}) {
      std::vector<float32> x(n, 1);
      x[n - 1] = bad;
      EXPECT_TRUE(std::isnan(variance(x, 2))) << bad << " of " << n;
    }
  }
}

TEST(CudaReduceMoments, AreNanForNoElements) {
  EXPECT_TRUE(std::isnan(variance(std::vector<float32>{}, 1)));
}

}  // namespace
}  // namespace skerry::native
