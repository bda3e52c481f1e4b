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
NdArray choose(const NdArray& condition, const A& x1, const B& x2) {
  return where(as_operand(condition, "condition"), as_operand(x1, "x1"), as_operand(x2, "x2"));
}
template <class A, class B>
NdArray limit(const NdArray& x, const A& min, const B& max) {
  return clip(x, as_operand(min, "min"), as_operand(max, "max"));
}
constexpr Operand absent{};

class WhereOn : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(every_device, WhereOn, ::testing::ValuesIn(every_device), device_name);

TEST_P(WhereOn, chooses_between_arrays) {
  const NdArray mask = array_of(bools{true, false, true}, GetParam());
  const NdArray result = choose(mask, array_of(doubles{1, 2, 3}, GetParam()),
                                array_of(doubles{-1, -2, -3}, GetParam()));
  EXPECT_EQ(result.device(), GetParam());
  EXPECT_EQ(values_of<float64>(result), (doubles{1, -2, 3}));
}

TEST_P(WhereOn, promotes_broadcasts_and_takes_a_scalar_on_either_side) {
  const NdArray mask = array_of(bools{true, false}, Dims{2, 1}, GetParam());
  const NdArray row = array_of(std::vector<float32>{1, 2}, GetParam());
  EXPECT_EQ(values_of<float64>(choose(mask, row, array_of(doubles{5, 6}, GetParam()))),
            (doubles{1, 2, 5, 6}));
  EXPECT_EQ(values_of<float32>(choose(mask, row, Scalar::from_value(9.0))),
            (std::vector<float32>{1, 2, 9, 9}));
  EXPECT_EQ(values_of<float32>(choose(mask, Scalar::from_value(std::int64_t{9}), row)),
            (std::vector<float32>{9, 9, 1, 2}));
}

TEST_P(WhereOn, gives_default_dtypes_for_two_scalars) {
  const NdArray mask = array_of(bools{true, false}, GetParam());
  EXPECT_EQ(values_of<int64>(choose(mask, Scalar::from_value(std::int64_t{1}),
                                    Scalar::from_value(std::int64_t{2}))),
            (longs{1, 2}));
  EXPECT_EQ(values_of<float64>(
                choose(mask, Scalar::from_value(std::int64_t{1}), Scalar::from_value(2.5))),
            (doubles{1, 2.5}));
  EXPECT_EQ(values_of<bool>(choose(mask, Scalar::from_value(true), Scalar::from_value(false))),
            (bools{true, false}));
  EXPECT_EQ(values_of<float64>(choose(mask, Scalar::from_value(true), Scalar::from_value(2.5))),
            (doubles{1, 2.5}));
  const RefusedMixes strict;
  EXPECT_THROW((void)choose(mask, Scalar::from_value(true), Scalar::from_value(1.0)), DtypeError);
}

TEST_P(WhereOn, clip_limits_to_scalars_and_arrays) {
  const NdArray x = array_of(doubles{-5, 0.5, 5}, GetParam());
  EXPECT_EQ(
      values_of<float64>(limit(x, Scalar::from_value(std::int64_t{-1}), Scalar::from_value(1.0))),
      (doubles{-1, 0.5, 1}));
  EXPECT_EQ(values_of<float64>(clip(x, as_operand(Scalar::from_value(0.0)), absent)),
            (doubles{0, 0.5, 5}));
  EXPECT_EQ(values_of<float64>(clip(x, absent, as_operand(Scalar::from_value(0.0)))),
            (doubles{-5, 0, 0}));
  const NdArray low = array_of(std::vector<float32>{0, 1}, Dims{2, 1}, GetParam());
  const NdArray high = array_of(doubles{2, 2, 2}, GetParam());
  const NdArray limited = limit(x, low, high);
  EXPECT_EQ(limited.shape(), (Dims{2, 3}));
  EXPECT_EQ(values_of<float64>(limited), (doubles{0, 0.5, 2, 1, 1, 2}));
}

TEST_P(WhereOn, clip_without_bounds_is_a_copy) {
  const NdArray x = array_of(doubles{1, 2}, GetParam());
  const NdArray same = clip(x, absent, absent);
  EXPECT_FALSE(may_overlap(x, same));
  EXPECT_EQ(values_of<float64>(same), (doubles{1, 2}));
}

TEST(where, rejects_conditions_that_are_not_bool_and_dtypes_that_do_not_mix) {
  const RefusedMixes strict;
  const NdArray x = array_of(doubles{1, 2});
  EXPECT_TRUE(mentions(thrown_by<DtypeError>([&] { (void)choose(x, x, x); }), "condition"));
  const NdArray mask = array_of(bools{true, false});
  EXPECT_THROW((void)choose(mask, x, array_of(longs{1, 2})), DtypeError);
  EXPECT_THROW((void)choose(mask, x, array_of(doubles{1, 2, 3})), ShapeError);
}

TEST(where, rejects_any_argument_on_another_device) {
  const NdArray mask = array_of(bools{true, false});
  const NdArray x = array_of(doubles{1, 2});
  const NdArray other_array = array_of(doubles{1, 2}, cpu1);
  EXPECT_THROW((void)choose(mask, x, other_array), DeviceMismatchError);
  EXPECT_THROW((void)choose(mask, other_array, x), DeviceMismatchError);
  EXPECT_THROW((void)choose(array_of(bools{true, false}, cuda0), x, x), DeviceMismatchError);
  EXPECT_THROW((void)limit(x, other_array, Scalar::from_value(1.0)), DeviceMismatchError);
  EXPECT_THROW((void)limit(x, Scalar::from_value(1.0), other_array), DeviceMismatchError);
}

TEST(clip, propagates_nan_of_values_and_bounds) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const NdArray x = array_of(doubles{nan, 1});
  const doubles limited =
      values_of<float64>(limit(x, Scalar::from_value(0.0), Scalar::from_value(2.0)));
  EXPECT_TRUE(std::isnan(limited[0]));
  EXPECT_EQ(limited[1], 1);
  for (const double value :
       values_of<float64>(clip(x, as_operand(Scalar::from_value(nan)), absent))) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(clip, rejects_bounds_that_would_change_the_dtype_of_x) {
  const RefusedMixes strict;
  const NdArray x = array_of(std::vector<float32>{1, 2});
  EXPECT_THROW((void)limit(x, array_of(doubles{0, 0}), Scalar::from_value(1.0)), DtypeError);
  EXPECT_THROW((void)limit(x, Scalar::from_value(0.0, 1.0), Scalar::from_value(1.0)), DtypeError);
  const NdArray ints = array_of(longs{1, 2});
  EXPECT_THROW((void)limit(ints, Scalar::from_value(0.5), Scalar::from_value(std::int64_t{3})),
               DtypeError);
  EXPECT_THROW((void)clip(array_of(bools{true}), absent, absent), DtypeError);
  EXPECT_TRUE(mentions(thrown_by<ShapeError>([&] {
                         (void)clip(ints, as_operand(array_of(longs{1, 2, 3}), "min"), absent);
                       }),
                       "cannot be broadcast"));
}

}  // namespace
}  // namespace skerry::testing
