// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "ops/elementwise/apply.hpp"
#include "tests/core/refused_mixes.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;
using longs = std::vector<int64>;
using bools = std::vector<bool>;

template <class A, class B>
ndarray choose(const ndarray& condition, const A& x1, const B& x2) {
  return where(as_operand(condition, "condition"), as_operand(x1, "x1"), as_operand(x2, "x2"));
}
template <class A, class B>
ndarray limit(const ndarray& x, const A& min, const B& max) {
  return clip(x, as_operand(min, "min"), as_operand(max, "max"));
}
constexpr operand absent{};

class where_on : public ::testing::TestWithParam<device> {};
INSTANTIATE_TEST_SUITE_P(every_device, where_on, ::testing::ValuesIn(every_device), device_name);

TEST_P(where_on, chooses_between_arrays) {
  const ndarray mask = array_of(bools{true, false, true}, GetParam());
  const ndarray chosen = choose(mask, array_of(doubles{1, 2, 3}, GetParam()),
                                array_of(doubles{-1, -2, -3}, GetParam()));
  EXPECT_EQ(chosen.device(), GetParam());
  EXPECT_EQ(values_of<float64>(chosen), (doubles{1, -2, 3}));
}

TEST_P(where_on, promotes_broadcasts_and_takes_a_scalar_on_either_side) {
  const ndarray mask = array_of(bools{true, false}, dims{2, 1}, GetParam());
  const ndarray row = array_of(std::vector<float32>{1, 2}, GetParam());
  EXPECT_EQ(values_of<float64>(choose(mask, row, array_of(doubles{5, 6}, GetParam()))),
            (doubles{1, 2, 5, 6}));
  EXPECT_EQ(values_of<float32>(choose(mask, row, scalar::of(9.0))),
            (std::vector<float32>{1, 2, 9, 9}));
  EXPECT_EQ(values_of<float32>(choose(mask, scalar::of(std::int64_t{9}), row)),
            (std::vector<float32>{9, 9, 1, 2}));
}

TEST_P(where_on, gives_default_dtypes_for_two_scalars) {
  const ndarray mask = array_of(bools{true, false}, GetParam());
  EXPECT_EQ(
      values_of<int64>(choose(mask, scalar::of(std::int64_t{1}), scalar::of(std::int64_t{2}))),
      (longs{1, 2}));
  EXPECT_EQ(values_of<float64>(choose(mask, scalar::of(std::int64_t{1}), scalar::of(2.5))),
            (doubles{1, 2.5}));
  EXPECT_EQ(values_of<bool>(choose(mask, scalar::of(true), scalar::of(false))),
            (bools{true, false}));
  EXPECT_EQ(values_of<float64>(choose(mask, scalar::of(true), scalar::of(2.5))), (doubles{1, 2.5}));
  const refused_mixes strict;
  EXPECT_THROW((void)choose(mask, scalar::of(true), scalar::of(1.0)), dtype_error);
}

TEST_P(where_on, clip_limits_to_scalars_and_arrays) {
  const ndarray x = array_of(doubles{-5, 0.5, 5}, GetParam());
  EXPECT_EQ(values_of<float64>(limit(x, scalar::of(std::int64_t{-1}), scalar::of(1.0))),
            (doubles{-1, 0.5, 1}));
  EXPECT_EQ(values_of<float64>(clip(x, as_operand(scalar::of(0.0)), absent)), (doubles{0, 0.5, 5}));
  EXPECT_EQ(values_of<float64>(clip(x, absent, as_operand(scalar::of(0.0)))), (doubles{-5, 0, 0}));
  const ndarray low = array_of(std::vector<float32>{0, 1}, dims{2, 1}, GetParam());
  const ndarray high = array_of(doubles{2, 2, 2}, GetParam());
  const ndarray limited = limit(x, low, high);
  EXPECT_EQ(limited.shape(), (dims{2, 3}));
  EXPECT_EQ(values_of<float64>(limited), (doubles{0, 0.5, 2, 1, 1, 2}));
}

TEST_P(where_on, clip_without_bounds_is_a_copy) {
  const ndarray x = array_of(doubles{1, 2}, GetParam());
  const ndarray same = clip(x, absent, absent);
  EXPECT_FALSE(may_overlap(x, same));
  EXPECT_EQ(values_of<float64>(same), (doubles{1, 2}));
}

TEST(where, rejects_conditions_that_are_not_bool_and_dtypes_that_do_not_mix) {
  const refused_mixes strict;
  const ndarray x = array_of(doubles{1, 2});
  EXPECT_TRUE(mentions(thrown_by<dtype_error>([&] { (void)choose(x, x, x); }), "condition"));
  const ndarray mask = array_of(bools{true, false});
  EXPECT_THROW((void)choose(mask, x, array_of(longs{1, 2})), dtype_error);
  EXPECT_THROW((void)choose(mask, x, array_of(doubles{1, 2, 3})), shape_error);
}

TEST(where, rejects_any_argument_on_another_device) {
  const ndarray mask = array_of(bools{true, false});
  const ndarray x = array_of(doubles{1, 2});
  const ndarray there = array_of(doubles{1, 2}, cpu1);
  EXPECT_THROW((void)choose(mask, x, there), device_mismatch_error);
  EXPECT_THROW((void)choose(mask, there, x), device_mismatch_error);
  EXPECT_THROW((void)choose(array_of(bools{true, false}, cuda0), x, x), device_mismatch_error);
  EXPECT_THROW((void)limit(x, there, scalar::of(1.0)), device_mismatch_error);
  EXPECT_THROW((void)limit(x, scalar::of(1.0), there), device_mismatch_error);
}

TEST(clip, propagates_nan_of_values_and_bounds) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ndarray x = array_of(doubles{nan, 1});
  const doubles limited = values_of<float64>(limit(x, scalar::of(0.0), scalar::of(2.0)));
  EXPECT_TRUE(std::isnan(limited[0]));
  EXPECT_EQ(limited[1], 1);
  for (const double value : values_of<float64>(clip(x, as_operand(scalar::of(nan)), absent))) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(clip, rejects_bounds_that_would_change_the_dtype_of_x) {
  const refused_mixes strict;
  const ndarray x = array_of(std::vector<float32>{1, 2});
  EXPECT_THROW((void)limit(x, array_of(doubles{0, 0}), scalar::of(1.0)), dtype_error);
  EXPECT_THROW((void)limit(x, scalar::of(0.0, 1.0), scalar::of(1.0)), dtype_error);
  const ndarray ints = array_of(longs{1, 2});
  EXPECT_THROW((void)limit(ints, scalar::of(0.5), scalar::of(std::int64_t{3})), dtype_error);
  EXPECT_THROW((void)clip(array_of(bools{true}), absent, absent), dtype_error);
  EXPECT_TRUE(mentions(thrown_by<shape_error>([&] {
                         (void)clip(ints, as_operand(array_of(longs{1, 2, 3}), "min"), absent);
                       }),
                       "clip: "));
}

}  // namespace
}  // namespace skerry::testing
