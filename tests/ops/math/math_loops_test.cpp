// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/layout.hpp"
#include "core/plan.hpp"
#include "device/cpu/info.hpp"
#include "ops/call/kernel.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/kernel/pointer_plan.hpp"
#include "ops/math/complex.hpp"
#include "ops/math/real.hpp"
#include "ops/table/cpu/fill.hpp"
#include "ops/table/table.hpp"
#include "tests/ops/math/accuracy.hpp"
#include "tests/ops/unbuilt.hpp"

// Tests loops over real functions, at every level that this machine supports: results are
// within 1 ulp of libm's in long double, and have the bits of the scalar function at any position
// in an array.

namespace skerry {
namespace {

using testing::append_random;
using testing::arguments;
using testing::error_in_ulps;

struct Level {
  const char* name;
  void (*fill)(KernelTable&);
  bool has_portable_functions;  ///< otherwise libm's are called
};

std::vector<Level> levels() {
  std::vector<Level> all;
#if defined(SKERRY_WITH_CPU_generic)
  all.push_back({"generic", cpu::fill_generic, ops::math::has_portable_functions});
#endif
#if defined(SKERRY_WITH_CPU_v8)
  if (cpu::supported_isa() >= cpu::Isa::v8) all.push_back({"v8", cpu::fill_v8, true});
#endif
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

/// Appends numbers of every magnitude, next to multiples of pi / 2 and to 1, and around the limits
/// of exponentials.
template <class T>
void append_hard(std::vector<T>& values) {
  using limits = std::numeric_limits<T>;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<T> fraction(T(0.5), T(1));
  const auto append = [&](T x) {
    for (const T neighbor : {x, std::nextafter(x, T(0)), std::nextafter(x, limits::infinity())}) {
      values.push_back(neighbor);
      values.push_back(-neighbor);
    }
  };
  for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; ++e) {
    for (const T x : {T(0.5), T(0.625), T(0.75), T(0.875), fraction(random)}) {
      append(std::ldexp(x, e));
    }
  }
  const T largest = std::log(limits::max());
  for (int i = 0; i < 5000; ++i) {
    const auto multiple = static_cast<long double>(random() >> (i % 60));
    append(static_cast<T>(multiple * 1.57079632679489661923L));
    append(T(1) + std::exp2(-T(limits::digits) * fraction(random)));
    append(T(1) - std::exp2(-T(limits::digits) * fraction(random)));
    append(largest + (fraction(random) - T(0.75)) * T(limits::digits));
  }
}

template <class T>
std::vector<T> values() {
  std::vector<T> result = arguments<T>();
  append_random(result, 10000);
  append_hard(result);
  return result;
}

/// Appends pairs of special values, then pairs for which pow and atan2 have results of all
/// magnitudes.
template <class T>
void append_pairs(std::vector<T>& x1, std::vector<T>& x2) {
  const auto append = [&](T a, T b) {
    x1.push_back(a);
    x2.push_back(b);
  };
  for (const T a : arguments<T>()) {
    for (const T b : arguments<T>()) append(a, b);
  }
  std::vector<T> any = values<T>();
  std::mt19937_64 random(6);
  std::uniform_real_distribution<T> unit(T(-1), T(1));
  const T max_exponent = std::numeric_limits<T>::max_exponent + std::numeric_limits<T>::digits;
  std::shuffle(any.begin(), any.end(), random);
  for (const T x : any) {
    append(x, any[random() % any.size()]);
    append(x, x * (T(1) + unit(random)));
    append(T(10) * unit(random), T(10) * unit(random));
    append(x, max_exponent * unit(random) / std::log2(std::fabs(x)));
    append(std::fabs(x), std::trunc(T(20) * unit(random)));
  }
}

/// Computes runs of several lengths, which end inside a vector or at its end. Some blocks contain
/// huge elements, so that both the fast form and the slow path are taken.
template <class T>
std::vector<T> computed_by(const Kernel<Plan>& tested,
                           const std::vector<const std::vector<T>*>& inputs) {
  const std::size_t size = inputs[0]->size();
  std::vector<T> result(size);
  std::size_t length = 1;
  for (std::size_t begin = 0; begin < size; begin += length) {
    length = std::min<std::size_t>(begin % 61 + 1, size - begin);
    const Layout layout = c_layout(Dims{static_cast<std::int64_t>(length)}, sizeof(T));
    std::vector<PlanOperand> operands;
    const auto append = [&](const T* elements) {
      operands.push_back(
          {.data = const_cast<char*>(reinterpret_cast<const char*>(elements + begin)),
           .layout = &layout,
           .itemsize = sizeof(T),
           .value = {}});
    };
    append(result.data());
    for (const std::vector<T>* input : inputs) append(input->data());
    PointerPlan::parts(layout.shape, operands).for_each([&](const Plan& plan) {
      run_on_host(tested, plan);
    });
  }
  return result;
}

template <class T>
bool is_same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<ops::bits_t<T>>(a) == std::bit_cast<ops::bits_t<T>>(b);
}

// These return the operation's result, given the function's. Only pow differs: some powers are
// products.
template <class T>
T result_of_atan2(T, T, T function) {
  return function;
}
template <class T>
T result_of_hypot(T, T, T function) {
  return function;
}
template <class T>
T result_of_pow(T base, T exponent, T function) {
  if (exponent == 2) return base * base;
  if (exponent == 3) return ops::math::cube(base);
  return exponent == -1 ? 1 / base : function;
}

template <class T>
class MathLoops : public ::testing::Test {
 protected:
  template <class Own, class Libm, class... Inputs>
  void expect_right(const char* name, Own portable_function, Libm libm,
                    long double (*reference)(decltype(static_cast<long double>(Inputs{}[0]))...),
                    const Inputs&... inputs) {
    SKERRY_SKIP_UNBUILT(dtype_of<T>);
    for (const Level& level : levels()) {
      const auto table = std::make_unique<KernelTable>();
      level.fill(*table);
      const op_id index = find_op(name).value();
      const Kernel<Plan>& tested = table->elementwise.kernel[index][static_cast<int>(dtype_of<T>)];
      ASSERT_TRUE(tested.has_host());
      const std::vector<T> result = computed_by<T>(tested, {&inputs...});
      int wrong = 0;
      for (std::size_t i = 0; i < result.size() && wrong < 10; ++i) {
        const T scalar =
            level.has_portable_functions ? portable_function(inputs[i]...) : libm(inputs[i]...);
        const double error = error_in_ulps(result[i], reference(inputs[i]...));
        if (error <= 1 && is_same(result[i], scalar)) continue;
        ++wrong;
        ADD_FAILURE() << name << (... + (" " + ::testing::PrintToString(inputs[i]))) << ": "
                      << result[i] << ", scalar " << scalar << ", error " << error << " ulp, "
                      << level.name;
      }
    }
  }
};
using reals = ::testing::Types<float32, float64>;
TYPED_TEST_SUITE(MathLoops, reals);

#define SKERRY_UNARY(name, ...)                                                \
  TYPED_TEST(MathLoops, name##_is_within_1_ulp_and_the_same_everywhere) {      \
    using T = TypeParam;                                                       \
    this->expect_right(                                                        \
        #name, [](T x) { return ops::math::portable::name(x); },               \
        [](T x) { return ops::math::libm::name(x); }, std::name, values<T>()); \
  }
SKERRY_UNARY_FUNCTIONS(SKERRY_UNARY)
#undef SKERRY_UNARY

#define SKERRY_BINARY(name, ...)                                                                 \
  TYPED_TEST(MathLoops, name##_is_within_1_ulp_and_the_same_everywhere) {                        \
    using T = TypeParam;                                                                         \
    std::vector<T> x1;                                                                           \
    std::vector<T> x2;                                                                           \
    append_pairs(x1, x2);                                                                        \
    this->expect_right(                                                                          \
        #name, [](T a, T b) { return result_of_##name(a, b, ops::math::portable::name(a, b)); }, \
        [](T a, T b) { return result_of_##name(a, b, ops::math::libm::name(a, b)); }, std::name, \
        x1, x2);                                                                                 \
  }
SKERRY_BINARY_FUNCTIONS(SKERRY_BINARY)
#undef SKERRY_BINARY

/// Returns logaddexp in long double, with an error of 2^-64; relative to the terms if they cancel.
long double logaddexp(long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const long double greater = std::max(a, b);
  const long double lesser = std::min(a, b);
  if (std::isinf(greater)) return greater;
  return greater < 0 && greater > -1 ? std::log1p(std::expm1(greater) + std::exp(lesser))
                                     : greater + std::log1p(std::exp(lesser - greater));
}

TYPED_TEST(MathLoops, logaddexp_is_within_1_ulp_and_the_same_everywhere) {
  using T = TypeParam;
  std::vector<T> any1;
  std::vector<T> any2;
  append_pairs(any1, any2);
  std::vector<T> x1;
  std::vector<T> x2;
  for (std::size_t i = 0; i < any1.size(); ++i) {
    // Long double has 11 bits more than float64, too few if more than these cancel.
    const long double greater = std::max(any1[i], any2[i]);
    const long double want = logaddexp(any1[i], any2[i]);
    if (greater < 0 && std::fabs(want) < -greater / 64) continue;
    x1.push_back(any1[i]);
    x2.push_back(any2[i]);
  }
  const auto portable_function = [](T a, T b) { return ops::math::portable::logaddexp(a, b); };
  this->expect_right("logaddexp", portable_function, portable_function, logaddexp, x1, x2);
}

/// Expected values were computed with 120 digits (mpmath); both dtypes represent the arguments
/// exactly.
TEST(logaddexp, is_accurate_where_the_terms_cancel) {
  struct Row {
    double x1, x2, want;
  };
  const auto check = [](const Row& row, auto zero) {
    using T = decltype(zero);
    const T a = static_cast<T>(row.x1);
    const T b = static_cast<T>(row.x2);
    for (const T result :
         {ops::math::portable::logaddexp(a, b), ops::math::portable::logaddexp(b, a)}) {
      EXPECT_LE(error_in_ulps(result, row.want), 1) << row.x1 << ", " << row.x2;
    }
  };
  for (const Row& row : {Row{-0x1.6147aep-1, -0x1.63feecp-1, 0x1.0563c6d6f8dbcp-11},
                         Row{-0x1.666666p-2, -0x1.38815p+0, -0x1.358aa6d0fbff7p-12},
                         Row{-0x1.47ae14p-6, -0x1.f5e38ap+1, 0x1.4c58eb0e37fadp-16},
                         Row{-0x1.6147aep-1, -0x1.6480bp-1, 0x1.4e36dfca1e532p-18},
                         Row{-0x1.666666p-2, -0x1.38406ep+0, -0x1.8a3dcdb89e273p-19},
                         Row{-0x1.47ae14p-6, -0x1.f603fap+1, 0x1.a97b960c1c08ap-23},
                         Row{-0x1.6147aep-1, -0x1.6481fcp-1, 0x1.a148840db41d6p-25},
                         Row{-0x1.666666p-2, -0x1.383fc8p+0, -0x1.08c79424ca75ep-26},
                         Row{-0x1.47ae14p-6, -0x1.f6044ep+1, -0x1.4ee5ac6fbdce6p-33}}) {
    check(row, 0.0);
    check(row, 0.0f);
  }
  for (const Row& row :
       {Row{-0x1.6147ae147ae14p-1, -0x1.6481ff28018c3p-1, 0x1.1202edbe4a816p-31},
        Row{-0x1.6666666666666p-2, -0x1.383fc6e70df14p+0, -0x1.44b2ea96312e4p-32},
        Row{-0x1.47ae147ae147bp-6, -0x1.f6044dbdd07f8p+1, 0x1.5c59423a3c79dp-36},
        Row{-0x1.6147ae147ae14p-1, -0x1.6481ff30965f3p-1, 0x1.18934eeabcb70p-41},
        Row{-0x1.6666666666666p-2, -0x1.383fc6e2c387cp+0, -0x1.4c81c817cda23p-42}}) {
    check(row, 0.0);
  }
}

/// Returns factors of products whose parts cancel, vanish or are zeros of either sign.
template <class T>
std::vector<T> complex_values() {
  using R = typename T::value_type;
  using limits = std::numeric_limits<R>;
  std::vector<R> parts = {R(0),
                          R(0.5),
                          R(1),
                          R(3),
                          limits::denorm_min(),
                          limits::min(),
                          limits::max(),
                          limits::infinity()};
  append_random(parts, 1);
  std::vector<T> result;
  for (const R re : parts) {
    for (const R im : parts) {
      for (const T z : {T{re, im}, T{-re, im}, T{re, -im}, T{-re, -im}}) result.push_back(z);
    }
  }
  return result;
}

template <class T>
class ComplexLoops : public ::testing::Test {
 protected:
  template <class Scalar>
  void expect_same(const char* name, Scalar scalar) {
    SKERRY_SKIP_UNBUILT(dtype_of<T>);
    const std::vector<T> values = complex_values<T>();
    std::vector<T> x1;
    std::vector<T> x2;
    for (const T a : values) {
      for (const T b : values) {
        x1.push_back(a);
        x2.push_back(b);
      }
    }
    for (const Level& level : levels()) {
      const auto table = std::make_unique<KernelTable>();
      level.fill(*table);
      const op_id index = find_op(name).value();
      const Kernel<Plan>& tested = table->elementwise.kernel[index][static_cast<int>(dtype_of<T>)];
      const std::vector<T> result = computed_by<T>(tested, {&x1, &x2});
      int wrong = 0;
      for (std::size_t i = 0; i < result.size() && wrong < 10; ++i) {
        const T want = scalar(x1[i], x2[i]);
        if (is_same(result[i].re, want.re) && is_same(result[i].im, want.im)) continue;
        ++wrong;
        ADD_FAILURE() << name << " (" << x1[i].re << ", " << x1[i].im << ") (" << x2[i].re << ", "
                      << x2[i].im << "): (" << result[i].re << ", " << result[i].im << "), not ("
                      << want.re << ", " << want.im << "), " << level.name;
      }
    }
  }
};
using complexes = ::testing::Types<complex64, complex128>;
TYPED_TEST_SUITE(ComplexLoops, complexes);

TYPED_TEST(ComplexLoops, products_are_the_same_everywhere) {
  using T = TypeParam;
  this->expect_same(
      "multiply", [](T a, T b) { return T{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; });
}

TYPED_TEST(ComplexLoops, quotients_are_the_same_everywhere) {
  using T = TypeParam;
  this->expect_same("divide", [](T a, T b) { return ops::math::divide(a, b); });
}

TYPED_TEST(ComplexLoops, functions_are_the_same_at_every_position) {
  using T = TypeParam;
  const std::vector<T> values = complex_values<T>();
  std::vector<T> moved = values;
  moved.insert(moved.begin(), T(1));
  for (const Level& level : levels()) {
    const auto table = std::make_unique<KernelTable>();
    level.fill(*table);
    for (const char* name : {"exp", "expm1", "log", "log10", "log1p", "log2"}) {
      const op_id index = find_op(name).value();
      const Kernel<Plan>& tested = table->elementwise.kernel[index][static_cast<int>(dtype_of<T>)];
      const std::vector<T> first = computed_by<T>(tested, {&values});
      const std::vector<T> second = computed_by<T>(tested, {&moved});
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_TRUE(is_same(first[i].re, second[i + 1].re) &&
                    is_same(first[i].im, second[i + 1].im))
            << name << " (" << values[i].re << ", " << values[i].im << "), " << level.name;
      }
    }
  }
}

}  // namespace
}  // namespace skerry
