// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/layout.hpp"
#include "core/plan.hpp"
#include "ops/call/kernel.hpp"
#include "ops/kernel/pointer_plan.hpp"
#include "tests/ops/random_plans.hpp"
#include "tests/ops/unbuilt.hpp"

// Compares the conversions of stored-only dtypes at each level with those of core/float16.hpp and
// core/bfloat16.hpp. This file is compiled for the lowest level and therefore uses the latter.

namespace skerry {
namespace {

class CpuHalves : public random_plans::OfLevel {
 protected:
  template <class To, class From>
  std::vector<To> converted(const std::vector<From>& source) {
    std::vector<To> destination(source.size());
    const Layout layout = c_layout(Dims{static_cast<std::int64_t>(source.size())}, sizeof(To));
    const Layout in = c_layout(layout.shape, sizeof(From));
    const PlanOperand operands[] = {
        {reinterpret_cast<char*>(destination.data()), &layout, sizeof(To), {}},
        {reinterpret_cast<const char*>(source.data()), &in, sizeof(From), {}}};
    const PlanParts parts = PointerPlan::parts(layout.shape, operands);
    const auto& row = table_->cast.kernel[static_cast<int>(dtype_of<From>)];
    const Kernel<Plan>& cast = row[static_cast<int>(dtype_of<To>)];
    EXPECT_TRUE(cast.has_host());
    if (cast.has_host()) run_on_host(cast, parts.first());
    return destination;
  }

  template <class Half, class From>
  void check_narrowing(const std::vector<From>& source) {
    SKERRY_SKIP_UNBUILT(dtype_of<Half>, dtype_of<From>);
    const std::vector<Half> got = converted<Half>(source);
    for (std::size_t i = 0; i < source.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint16_t>(got[i]), std::bit_cast<std::uint16_t>(Half(source[i])))
          << source[i];
    }
  }

  template <class Half>
  void check_widening();
  template <class Half>
  void check_floats();
  template <class Half>
  void check_integers();
};

template <class Half>
Half half_of(unsigned bits) {
  return std::bit_cast<Half>(static_cast<std::uint16_t>(bits));
}

template <class Half>
void CpuHalves::check_widening() {
  SKERRY_SKIP_UNBUILT(dtype_of<Half>, Dtype::float32, Dtype::float64);
  std::vector<Half> all;
  all.reserve(65536);
  for (unsigned bits = 0; bits < 65536; ++bits) all.push_back(half_of<Half>(bits));
  const std::vector<float32> got = converted<float32>(all);
  const std::vector<float64> wide = converted<float64>(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto want = static_cast<float32>(all[i]);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(want)) << i;
    ASSERT_TRUE(wide[i] == want || (std::isnan(wide[i]) && std::isnan(want))) << i;
  }
}

/// Returns numbers of Half, the midpoints between them, the neighbors of both, and random bits.
template <class Half, class From, class Bits>
std::vector<From> near_halves() {
  std::vector<From> values;
  for (unsigned bits = 0; std::isfinite(float32(half_of<Half>(bits + 1))); bits += 3) {
    const From low = float32(half_of<Half>(bits));
    const From high = float32(half_of<Half>(bits + 1));
    for (const From x : {low, low + (high - low) / 2}) {
      for (const From y : {x, std::nextafter(x, From(0)), std::nextafter(x, From(INFINITY))}) {
        values.push_back(y);
        values.push_back(-y);
      }
    }
  }
  for (const From x : {From(Half::max_finite), From(65519), From(65520), From(1e30), From(3.4e38),
                       From(INFINITY)}) {
    values.push_back(x);
    values.push_back(-x);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) values.push_back(std::bit_cast<From>(Bits(random())));
  return values;
}

template <class Half>
void CpuHalves::check_floats() {
  check_narrowing<Half>(near_halves<Half, float32, std::uint32_t>());
  check_narrowing<Half>(near_halves<Half, float64, std::uint64_t>());
}

template <class Half>
void CpuHalves::check_integers() {
  std::vector<std::int32_t> integers;
  for (std::int32_t n = -70'001; n <= 70'001; ++n) integers.push_back(n);
  check_narrowing<Half>(integers);
  const std::int64_t tie = std::int64_t{257} << 54;
  check_narrowing<Half>(std::vector<std::int64_t>{INT64_MIN, -65'520, -65'519, 0, 2049, tie - 1,
                                                  tie, tie + 1, -tie - 1, INT64_MAX});
  check_narrowing<Half>(std::vector<std::uint64_t>{0, 2051, 65'519, 65'520,
                                                   std::uint64_t{257} << 55,
                                                   (std::uint64_t{257} << 55) + 1, UINT64_MAX});
}

TEST_P(CpuHalves, widen_as_core_does) {
  check_widening<float16>();
  check_widening<bfloat16>();
}
TEST_P(CpuHalves, convert_floats_as_core_does) {
  check_floats<float16>();
  check_floats<bfloat16>();
}
TEST_P(CpuHalves, convert_integers_as_core_does) {
  check_integers<float16>();
  check_integers<bfloat16>();
}

INSTANTIATE_TEST_SUITE_P(levels, CpuHalves, testing::ValuesIn(random_plans::levels()),
                         random_plans::level_name);

}  // namespace
}  // namespace skerry
