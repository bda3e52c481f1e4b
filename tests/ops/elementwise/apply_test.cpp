// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/apply.hpp"

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/enqueue.hpp"
#include "tests/core/refused_mixes.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;
using longs = std::vector<int64>;

class ApplyOn : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(every_device, ApplyOn, ::testing::ValuesIn(every_device), device_name);

TEST_P(ApplyOn, adds_arrays_and_stays_on_their_device) {
  const NdArray sum = call("add", array_of(doubles{1, 2, 3}, GetParam()),
                           array_of(doubles{10, 20, 30}, GetParam()));
  EXPECT_EQ(sum.device(), GetParam());
  EXPECT_EQ(values_of<float64>(sum), (doubles{11, 22, 33}));
}

TEST_P(ApplyOn, takes_scalars_on_either_side) {
  const NdArray x = array_of(doubles{1, 2, 4}, GetParam());
  EXPECT_EQ(values_of<float64>(call("divide", x, Scalar::from_value(2.0))), (doubles{0.5, 1, 2}));
  EXPECT_EQ(values_of<float64>(call("divide", Scalar::from_value(std::int64_t{8}), x)),
            (doubles{8, 4, 2}));
}

TEST_P(ApplyOn, broadcasts_rows_and_columns) {
  const NdArray column = array_of(doubles{10, 20}, Dims{2, 1}, GetParam());
  const NdArray row = array_of(doubles{1, 2, 3}, GetParam());
  const NdArray sum = call("add", column, row);
  EXPECT_EQ(sum.shape(), (Dims{2, 3}));
  EXPECT_EQ(values_of<float64>(sum), (doubles{11, 12, 13, 21, 22, 23}));
}

TEST_P(ApplyOn, promotes_arrays_of_different_dtypes) {
  const NdArray sum = call("add", array_of(std::vector<float32>{1, 2}, GetParam()),
                           array_of(doubles{0.5, 0.25}, GetParam()));
  EXPECT_EQ(values_of<float64>(sum), (doubles{1.5, 2.25}));
}

TEST_P(ApplyOn, converts_a_repeated_operand_of_another_dtype) {
  const NdArray row = array_of(std::vector<float32>{1, 2, 3}, GetParam());
  const NdArray rows = row.view(broadcast_to(row.layout(), Dims{2, 3}));
  const NdArray sum =
      call("add", rows, array_of(doubles{1, 1, 1, 2, 2, 2}, Dims{2, 3}, GetParam()));
  EXPECT_EQ(values_of<float64>(sum), (doubles{2, 3, 4, 3, 4, 5}));
}

TEST_P(ApplyOn, comparisons_return_bool) {
  const NdArray less =
      call("less", array_of(longs{1, 5, 3}, GetParam()), Scalar::from_value(std::int64_t{3}));
  EXPECT_EQ(values_of<bool>(less), (std::vector<bool>{true, false, false}));
}

TEST_P(ApplyOn, returns_an_empty_result_for_empty_arrays) {
  const NdArray none = array_of(doubles{}, Dims{0, 3}, GetParam());
  EXPECT_EQ(call("add", none, Scalar::from_value(1.0)).shape(), (Dims{0, 3}));
  EXPECT_EQ(call("add", none, array_of(doubles{1, 2, 3}, GetParam())).shape(), (Dims{0, 3}));
}

TEST_P(ApplyOn, works_on_zero_dimensional_arrays) {
  const NdArray sum = call("add", array_of(doubles{1}, Dims{}, GetParam()),
                           array_of(doubles{2}, Dims{}, GetParam()));
  EXPECT_EQ(sum.rank(), 0);
  EXPECT_EQ(values_of<float64>(sum), (doubles{3}));
}

TEST_P(ApplyOn, agrees_with_a_plain_loop_around_block_edges) {
  for (const std::int64_t n : {1, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 100003}) {
    const NdArray x = array_of(counting<float64>(2 * n), GetParam());
    Layout strided{Dims{n}, Dims{16}, 0};
    Layout backwards{Dims{n}, Dims{-8}, (2 * n - 1) * 8};
    const NdArray sum = call("subtract", x.view(strided), x.view(backwards));
    doubles expected;
    for (std::int64_t i = 0; i < n; ++i) expected.push_back(double(2 * i) - double(2 * n - 1 - i));
    EXPECT_EQ(values_of<float64>(sum), expected) << n;
  }
}

TEST_P(ApplyOn, agrees_with_a_plain_loop_over_more_axes_than_a_plan_has) {
  // Twelve axes with gaps, so that no two of them coalesce.
  Dims shape(12);
  Dims strides(12);
  std::int64_t stride = 8;
  for (int axis = 0; axis < 12; ++axis) {
    shape[axis] = axis % 3 == 0 ? 3 : 2;
    strides[axis] = stride;
    stride *= shape[axis] + 1;
  }
  const NdArray x = array_of(counting<float64>(stride / 8), GetParam());
  const NdArray view = x.view({shape, strides, 0});
  const doubles original_values = values_of<float64>(view);
  const NdArray twice = call("add", view, view);
  doubles expected;
  for (const double value : original_values) expected.push_back(value + value);
  EXPECT_EQ(values_of<float64>(twice), expected);
}

TEST_P(ApplyOn, keeps_the_axis_order_that_all_operands_share) {
  const NdArray x = array_of(doubles{1, 2, 3, 4, 5, 6}, Dims{2, 3}, GetParam());
  const NdArray t = x.view({Dims{3, 2}, Dims{8, 24}, 0});
  const NdArray sum = call("add", t, t);
  EXPECT_EQ(sum.strides(), (Dims{8, 24}));
  EXPECT_EQ(values_of<float64>(sum), (doubles{2, 8, 4, 10, 6, 12}));
  const NdArray mixed = call("add", t, array_of(doubles(6, 1.0), Dims{3, 2}, GetParam()));
  EXPECT_TRUE(mixed.is_c_contiguous());
  EXPECT_EQ(values_of<float64>(mixed), (doubles{2, 5, 3, 6, 4, 7}));
}

TEST_P(ApplyOn, in_place_writes_the_target_itself) {
  const NdArray x = array_of(doubles{1, 2, 3}, GetParam());
  call_into("multiply", x, Scalar::from_value(2.0));
  EXPECT_EQ(values_of<float64>(x), (doubles{2, 4, 6}));
  call_into("add", x, x);
  EXPECT_EQ(values_of<float64>(x), (doubles{4, 8, 12}));
  call_into("add", x, array_of(std::vector<float32>{1}, GetParam()));
  EXPECT_EQ(values_of<float64>(x), (doubles{5, 9, 13}));
}

TEST_P(ApplyOn, in_place_over_overlapping_views_equals_copy_semantics) {
  const NdArray x = array_of(counting<float64>(1000, 1.0), GetParam());
  const NdArray tail = x.view({Dims{999}, Dims{8}, 8});
  const NdArray head = x.view({Dims{999}, Dims{8}, 0});
  call_into("add", tail, head);
  doubles expected{1};
  for (int i = 1; i < 1000; ++i) expected.push_back(i + (i + 1.0));
  EXPECT_EQ(values_of<float64>(x), expected);
}

TEST_P(ApplyOn, in_place_over_its_own_reverse_equals_copy_semantics) {
  const NdArray x = array_of(doubles{1, 2, 3, 4}, GetParam());
  call_into("subtract", x, x.view({Dims{4}, Dims{-8}, 24}));
  EXPECT_EQ(values_of<float64>(x), (doubles{-3, -1, 1, 3}));
}

TEST_P(ApplyOn, in_place_rejects_results_of_a_higher_kind_or_another_shape) {
  const NdArray ints = array_of(std::vector<int32>{1, 2}, GetParam());
  EXPECT_THROW(call_into("add", ints, Scalar::from_value(1.5)), DtypeError);
  EXPECT_THROW(call_into("divide", ints, Scalar::from_value(std::int64_t{2})), DtypeError);
  EXPECT_THROW(call_into("add", ints, array_of(std::vector<int32>{1, 2}, Dims{2, 1}, GetParam())),
               ShapeError);
  const std::string text =
      thrown_by<DtypeError>([&] { call_into("add", ints, array_of(doubles{1, 2}, GetParam())); });
  EXPECT_TRUE(mentions(text, "float64"));
  EXPECT_EQ(values_of<int32>(ints), (std::vector<int32>{1, 2}));
}

TEST_P(ApplyOn, in_place_converts_results_within_a_kind) {
  const NdArray ints = array_of(std::vector<int32>{1, 2}, GetParam());
  call_into("add", ints, array_of(longs{1, std::int64_t{1} << 32}, GetParam()));
  EXPECT_EQ(values_of<int32>(ints), (std::vector<int32>{2, 2}));
  const NdArray floats = array_of(std::vector<float32>{1, 2}, GetParam());
  call_into("multiply", floats, array_of(doubles{0.1, 2}, GetParam()));
  EXPECT_EQ(values_of<float32>(floats), (std::vector<float32>{0.1F, 4}));
}

TEST_P(ApplyOn, in_place_rejects_read_only_and_broadcast_targets) {
  const NdArray x = array_of(doubles{1, 2}, GetParam());
  const std::string text = thrown_by<ReadOnlyError>(
      [&] { call_into("add", x.read_only_view(), Scalar::from_value(1.0)); });
  EXPECT_TRUE(mentions(text, "copy"));
  const NdArray repeated = x.view({Dims{3, 2}, Dims{0, 8}, 0});
  EXPECT_THROW(call_into("add", repeated, Scalar::from_value(1.0)), ReadOnlyError);
  EXPECT_EQ(values_of<float64>(x), (doubles{1, 2}));
}

TEST(apply, names_devices_arguments_and_remedy_on_a_device_mismatch) {
  const NdArray x1 = array_of(doubles{1, 2, 3}, cuda0);
  const NdArray x2 = array_of(doubles{1, 2, 3}, cpu0);
  const std::string text = thrown_by<DeviceMismatchError>([&] { (void)call("add", x1, x2); });
  EXPECT_EQ(text,
            "arguments are on different devices: x1 (float64 (3,)) on cuda:0, "
            "x2 (float64 (3,)) on cpu:0; move one explicitly, e.g. x2.to_device(\"cuda:0\")");
}

TEST(apply, rejects_different_devices_of_one_kind_and_zero_dimensional_arrays) {
  const NdArray x = array_of(doubles{1}, Dims{}, cpu0);
  EXPECT_THROW((void)call("add", x, array_of(doubles{1}, Dims{}, cpu1)), DeviceMismatchError);
  EXPECT_THROW(call_into("add", x, array_of(doubles{1}, Dims{}, cuda0)), DeviceMismatchError);
  EXPECT_THROW((void)call("add", array_of(doubles{1}, cuda0), array_of(doubles{1}, cuda1)),
               DeviceMismatchError);
}

TEST(apply, reports_the_device_before_the_dtype_and_the_dtype_before_the_shape) {
  const RefusedMixes strict;
  const NdArray x = array_of(std::vector<bool>{true, false});
  EXPECT_THROW((void)call("add", x, array_of(doubles{1, 2, 3}, cuda0)), DeviceMismatchError);
  EXPECT_THROW((void)call("add", x, array_of(doubles{1, 2, 3})), DtypeError);
  EXPECT_THROW((void)call("logaddexp", array_of(longs{1, 2}), array_of(longs{1, 2, 3})),
               DtypeError);
}

TEST(apply, in_place_reports_the_device_then_the_target_then_the_dtype_then_the_shape) {
  const RefusedMixes strict;
  const NdArray x = array_of(doubles{1, 2});
  const NdArray flags = array_of(std::vector<bool>{true, false, true});
  EXPECT_THROW(call_into("add", x.read_only_view(), array_of(doubles{1, 2}, cuda0)),
               DeviceMismatchError);
  EXPECT_THROW(call_into("add", x.read_only_view(), flags), ReadOnlyError);
  EXPECT_THROW(call_into("add", x.read_only_view(), Scalar::from_value(true)), ReadOnlyError);
  EXPECT_THROW(call_into("add", x, flags), DtypeError);
  EXPECT_THROW(call_into("less", x, array_of(doubles{1, 2, 3})), DtypeError);
  EXPECT_THROW(call_into("add", x, array_of(doubles{1, 2, 3})), ShapeError);
}

TEST(apply, error_lists_the_dtypes_that_an_operation_accepts) {
  const RefusedMixes strict;
  const std::string text = thrown_by<DtypeError>([] { (void)call("sin", array_of(longs{1, 2})); });
  EXPECT_TRUE(mentions(text, "int64 is not accepted"));
  EXPECT_TRUE(mentions(text, "float32, float64, complex64, complex128"));
}

TEST(apply, strict_promotion_rejects_scalars_of_another_kind_or_out_of_range) {
  const RefusedMixes strict;
  const NdArray bytes = array_of(std::vector<int8>{1, 2});
  EXPECT_THROW((void)call("add", bytes, Scalar::from_value(std::int64_t{128})), OverflowError);
  EXPECT_THROW((void)call("add", bytes, Scalar::from_value(1.0)), DtypeError);
  EXPECT_THROW((void)call("add", bytes, Scalar::from_value(true)), DtypeError);
}

TEST(apply, widens_a_real_array_for_a_complex_scalar) {
  const NdArray sum = call("add", array_of(doubles{1, 2}), Scalar::from_value(0.0, 1.0));
  EXPECT_EQ(values_of<complex128>(sum), (std::vector<complex128>{{1, 1}, {2, 1}}));
}

TEST(apply, rejects_shapes_that_do_not_broadcast_and_results_that_are_too_large) {
  const NdArray x = array_of(doubles{1, 2, 3});
  EXPECT_THROW((void)call("add", x, array_of(doubles{1, 2})), ShapeError);
  const std::int64_t huge = std::int64_t{1} << 31;
  const NdArray tall = x.view({Dims{huge, 1}, Dims{0, 8}, 0});
  const NdArray wide = x.view({Dims{1, huge}, Dims{8, 0}, 0});
  EXPECT_THROW((void)call("add", tall, wide), ShapeError);
}

TEST(apply, cuda_launches_split_for_32_bit_indices_give_the_same_result) {
  const NdArray x = array_of(counting<float64>(600), Dims{20, 30}, cuda0);
  const NdArray t = x.view({Dims{30, 20}, Dims{8, 240}, 0});
  const NdArray y = array_of(counting<float64>(600, 7.0), Dims{30, 20}, cuda0);
  const doubles whole = values_of<float64>(call("subtract", t, y));
  set_index_limit(256);
  const doubles split = values_of<float64>(call("subtract", t, y));
  set_index_limit(index_limit_32bit);
  EXPECT_EQ(split, whole);
}

}  // namespace
}  // namespace skerry::testing
