// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "core/plan.hpp"
#include "ops/call/kernel.hpp"
#include "ops/elementwise/all.hpp"
#include "ops/kernel/pointer_plan.hpp"
#include "ops/move/cpu/cast.hpp"
#include "ops/table/table.hpp"
#include "tests/ops/random_plans.hpp"
#include "tests/ops/unbuilt.hpp"

// Compares the elementwise kernels of every level that this machine supports with scalar
// loops over the same functors, for random plans of every rank and kind of stride, and for sizes
// around block edges.

namespace skerry {
namespace {

using random_plans::check_functor;

class CpuElementwise : public random_plans::OfLevel {};

template <class Op, class T>
void check_operation(const KernelTable& table, int index, int rounds) {
  SCOPED_TRACE(std::string(Op::info.name) + " of " + name(dtype_of<T>));
  const Kernel<Plan>& tested = table.elementwise.kernel[index][static_cast<int>(dtype_of<T>)];
  // The modulus of a complex number uses a vectorized hypot, which is not exact either.
  constexpr bool is_modulus = ops::same_v<Op, ops::abs> && ops::complex_floating<T>;
  const bool is_exact = !Op::info.expensive && !is_modulus;
  const double tolerance = is_exact ? 0 : random_plans::tolerance_of(dtype_of<T>);
  if constexpr (ops::supports<Op, T, 1>) {
    check_functor<Op, ops::result_t<Op, T>, T>(tested, 1, rounds, tolerance);
  } else if constexpr (ops::supports<Op, T, 2>) {
    check_functor<Op, ops::result_t<Op, T, T>, T, T>(tested, 2, rounds, tolerance);
  } else if constexpr (ops::supports<Op, T, 3>) {
    check_functor<Op, ops::result_t<Op, T, T, T>, T, T, T>(tested, 3, rounds, tolerance);
  } else {
    EXPECT_FALSE(tested.has_host());
  }
}

TEST_P(CpuElementwise, cover_random_plans_of_every_arity_and_item_size) {
  constexpr int add = unary_count + ops::index_of<ops::add, ops::binary_ops>;
  constexpr int less = unary_count + ops::index_of<ops::less, ops::binary_ops>;
  constexpr int clip = unary_count + binary_count;
  constexpr int abs = ops::index_of<ops::abs, ops::unary_ops>;
  constexpr int exp = ops::index_of<ops::exp, ops::unary_ops>;
  check_operation<ops::add, int8>(*table_, add, 40);
  check_operation<ops::add, uint16>(*table_, add, 40);
  check_operation<ops::add, float16>(*table_, add, 40);
  check_operation<ops::add, bfloat16>(*table_, add, 40);
  check_operation<ops::add, float32>(*table_, add, 80);
  check_operation<ops::add, float64>(*table_, add, 40);
  check_operation<ops::add, complex64>(*table_, add, 30);
  check_operation<ops::add, complex128>(*table_, add, 40);
  check_operation<ops::less, float32>(*table_, less, 40);
  check_operation<ops::less, int64>(*table_, less, 30);
  check_operation<ops::clip, int16>(*table_, clip, 40);
  check_operation<ops::clip, float64>(*table_, clip, 40);
  check_operation<ops::abs, complex128>(*table_, abs, 30);
  check_operation<ops::abs, int32>(*table_, abs, 40);
  check_operation<ops::exp, float32>(*table_, exp, 20);
}

template <class T, class... Ops>
void check_list(const KernelTable& table, int first, ops::type_list<Ops...>) {
  (check_operation<Ops, T>(table, first++, 2), ...);
}
template <class T>
void check_all(const KernelTable& table) {
  check_list<T>(table, 0, ops::unary_ops{});
  check_list<T>(table, unary_count, ops::binary_ops{});
  check_list<T>(table, unary_count + binary_count, ops::ternary_ops{});
}

TEST_P(CpuElementwise, match_the_scalar_functors) {
  check_all<bool>(*table_);
  check_all<int8>(*table_);
  check_all<uint64>(*table_);
  check_all<float16>(*table_);
  check_all<bfloat16>(*table_);
  check_all<float32>(*table_);
  check_all<float64>(*table_);
  check_all<complex64>(*table_);
}

TEST_P(CpuElementwise, work_in_place) {
  constexpr int add = unary_count + ops::index_of<ops::add, ops::binary_ops>;
  for (const std::int64_t n : {1, 31, 33, 4097, 100003}) {
    std::vector<float> x(static_cast<std::size_t>(2 * n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1000);
    for (const std::int64_t step : {4, 8}) {
      std::vector<float> y = x;
      const Layout layout{.shape = Dims{n}, .strides = Dims{step}};
      const PlanOperand all = {reinterpret_cast<char*>(y.data()), &layout, 4, {}};
      const PlanOperand operands[] = {all, all, all};
      const PlanParts parts = PointerPlan::parts(layout.shape, operands);
      run_on_host(table_->elementwise.kernel[add][static_cast<int>(Dtype::float32)], parts.first());
      for (std::int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i * step / 4);
        ASSERT_EQ(y[k], 2 * x[k]) << n << ' ' << i;
      }
    }
  }
}

template <class From, class To>
void check_cast(const KernelTable& table) {
  const Kernel<Plan>& tested =
      table.cast.kernel[static_cast<int>(dtype_of<From>)][static_cast<int>(dtype_of<To>)];
  SCOPED_TRACE(std::string(name(dtype_of<From>)) + " to " + name(dtype_of<To>));
  if constexpr (ops::complex_floating<From> && ops::real_numeric<To>) {
    EXPECT_FALSE(tested.has_host());
  } else {
    check_functor<kernels::convert<To>, To, From>(tested, 6, 3, 0);
  }
}
template <class From>
void check_casts(const KernelTable& table) {
#define SKERRY_CHECK(name, type, kind, typestr) check_cast<From, type>(table);
  SKERRY_FOR_EACH_DTYPE(SKERRY_CHECK)
#undef SKERRY_CHECK
}

TEST_P(CpuElementwise, cast_between_all_dtypes) {
#define SKERRY_CHECK(name, type, kind, typestr) check_casts<type>(*table_);
  SKERRY_FOR_EACH_DTYPE(SKERRY_CHECK)
#undef SKERRY_CHECK
}

TEST_P(CpuElementwise, casts_of_floats_out_of_range_give_the_smallest_integer) {
  SKERRY_SKIP_UNBUILT(Dtype::float64, Dtype::int64);
  const double unfit[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
  const PlanOperand source = {reinterpret_cast<const char*>(unfit), nullptr, 8, {}};
  for (const double value : unfit) {
    std::int64_t destination = 0;
    const Layout one{};
    const PlanOperand operands[] = {
        {reinterpret_cast<char*>(&destination), &one, 8, {}},
        PlanOperand::from_element(Element::from_value(value), source.itemsize)};
    const PlanParts parts = PointerPlan::parts(one.shape, operands);
    const auto& row = table_->cast.kernel[static_cast<int>(Dtype::float64)];
    run_on_host(row[static_cast<int>(Dtype::int64)], parts.first());
    EXPECT_EQ(destination, INT64_MIN) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(levels, CpuElementwise, testing::ValuesIn(random_plans::levels()),
                         random_plans::level_name);

}  // namespace
}  // namespace skerry
