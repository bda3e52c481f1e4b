// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/layout.hpp"
#include "core/plan.hpp"
#include "ops/kernels/cpu/fill.hpp"
#include "ops/kernels/table.hpp"
#include "ops/registry.hpp"
#include "tests/ops/accuracy.hpp"

// Functions in the loops over them: at every level that this
// machine runs, against libm's in long double.

namespace skerry {
namespace {

using testing::append_random;
using testing::arguments;
using testing::error_in_ulps;

struct level {
  const char* name;
  void (*fill)(kernel_table&);
  bool has_own_loops;  ///< else libm's are called
};

std::vector<level> levels() {
  std::vector<level> all;
#if defined(SKERRY_WITH_CPU_v2)
  all.push_back({"v2", cpu::fill_v2, false});
#endif
#if defined(SKERRY_WITH_CPU_v3)
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back({"v3", cpu::fill_v3, true});
#endif
#if defined(SKERRY_WITH_CPU_v4)
  if (__builtin_cpu_supports("x86-64-v4")) all.push_back({"v4", cpu::fill_v4, true});
#endif
  return all;
}

/// Random ones, and those around the ends of intervals in every power of two.
template <class T>
std::vector<T> values() {
  std::vector<T> result = arguments<T>();
  append_random(result, 20000);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<T> fraction(T(0.5), T(1));
  for (int e = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
       e < std::numeric_limits<T>::max_exponent; ++e) {
    for (const T x : {T(0.5), T(0.625), T(0.75), T(0.875), fraction(random)}) {
      for (const T near : {x, std::nextafter(x, T(0)), std::nextafter(x, T(1))}) {
        result.push_back(std::ldexp(near, e));
        result.push_back(-std::ldexp(near, e));
      }
    }
  }
  return result;
}

/// In runs of several lengths, which end within a vector or at its end.
template <class T>
std::vector<T> computed_by(const kernel& tested, const std::vector<T>& x) {
  std::vector<T> result(x.size());
  std::size_t length = 1;
  for (std::size_t begin = 0; begin < x.size(); begin += length) {
    length = std::min<std::size_t>(begin % 61 + 1, x.size() - begin);
    const layout place = c_layout(dims{static_cast<std::int64_t>(length)}, sizeof(T));
    const auto operand = [&](const T* at) {
      return plan_operand{.data = const_cast<char*>(reinterpret_cast<const char*>(at + begin)),
                          .where = &place,
                          .itemsize = sizeof(T),
                          .value = {}};
    };
    const std::vector<plan_operand> operands = {operand(result.data()), operand(x.data())};
    plan_parts(place.shape, operands).for_each([&](const plan& part) { tested.host(&part); });
  }
  return result;
}

template <class T>
class vector_math : public ::testing::Test {
 protected:
  void expect_within(const char* name, double most, long double (*reference)(long double)) {
    const std::vector<T> x = values<T>();
    for (const level& each : levels()) {
      const auto table = std::make_unique<kernel_table>();
      each.fill(*table);
      const op_id index = find_op(name).value();
      const kernel& tested = table->elementwise.loop[index][static_cast<int>(dtype_of<T>)];
      ASSERT_NE(tested.host, nullptr);
      const std::vector<T> result = computed_by(tested, x);
      int wrong = 0;
      for (std::size_t i = 0; i < x.size() && wrong < 10; ++i) {
        const double allowed = each.has_own_loops ? most : 4;
        if (error_in_ulps(result[i], reference(x[i])) <= allowed) continue;
        ++wrong;
        ADD_FAILURE() << name << '(' << x[i] << ") = " << result[i] << " at " << each.name;
      }
    }
  }
};
using reals = ::testing::Types<float32, float64>;
TYPED_TEST_SUITE(vector_math, reals);

TYPED_TEST(vector_math, log_is_right_at_every_level) { this->expect_within("log", 4, std::log); }

TYPED_TEST(vector_math, tanh_is_right_at_every_level) {
  this->expect_within("tanh", 1.5, std::tanh);
}

}  // namespace
}  // namespace skerry
