// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/apply.hpp"

#include "core/errors.hpp"
#include "ops/call/enqueue.hpp"
#include "tests/core/refused_mixes.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;
using longs = std::vector<int64>;

class apply_on : public ::testing::TestWithParam<device> {};
INSTANTIATE_TEST_SUITE_P(every_device, apply_on, ::testing::ValuesIn(every_device), device_name);

TEST_P(apply_on, adds_arrays_and_stays_on_their_device) {
  const ndarray sum = call("add", array_of(doubles{1, 2, 3}, GetParam()),
                           array_of(doubles{10, 20, 30}, GetParam()));
  EXPECT_EQ(sum.device(), GetParam());
  EXPECT_EQ(values_of<float64>(sum), (doubles{11, 22, 33}));
}

TEST_P(apply_on, takes_scalars_on_either_side) {
  const ndarray x = array_of(doubles{1, 2, 4}, GetParam());
  EXPECT_EQ(values_of<float64>(call("divide", x, scalar::of(2.0))), (doubles{0.5, 1, 2}));
  EXPECT_EQ(values_of<float64>(call("divide", scalar::of(std::int64_t{8}), x)), (doubles{8, 4, 2}));
}

TEST_P(apply_on, broadcasts_rows_and_columns) {
  const ndarray column = array_of(doubles{10, 20}, dims{2, 1}, GetParam());
  const ndarray row = array_of(doubles{1, 2, 3}, GetParam());
  const ndarray sum = call("add", column, row);
  EXPECT_EQ(sum.shape(), (dims{2, 3}));
  EXPECT_EQ(values_of<float64>(sum), (doubles{11, 12, 13, 21, 22, 23}));
}

TEST_P(apply_on, promotes_arrays_of_different_dtypes) {
  const ndarray sum = call("add", array_of(std::vector<float32>{1, 2}, GetParam()),
                           array_of(doubles{0.5, 0.25}, GetParam()));
  EXPECT_EQ(values_of<float64>(sum), (doubles{1.5, 2.25}));
}

TEST_P(apply_on, converts_a_repeated_operand_of_another_dtype) {
  const ndarray row = array_of(std::vector<float32>{1, 2, 3}, GetParam());
  const ndarray rows = row.view(broadcast_to("test", row.layout(), dims{2, 3}));
  const ndarray sum =
      call("add", rows, array_of(doubles{1, 1, 1, 2, 2, 2}, dims{2, 3}, GetParam()));
  EXPECT_EQ(values_of<float64>(sum), (doubles{2, 3, 4, 3, 4, 5}));
}

TEST_P(apply_on, compares_into_bool) {
  const ndarray less =
      call("less", array_of(longs{1, 5, 3}, GetParam()), scalar::of(std::int64_t{3}));
  EXPECT_EQ(values_of<bool>(less), (std::vector<bool>{true, false, false}));
}

TEST_P(apply_on, gives_an_empty_result_for_no_elements) {
  const ndarray none = array_of(doubles{}, dims{0, 3}, GetParam());
  EXPECT_EQ(call("add", none, scalar::of(1.0)).shape(), (dims{0, 3}));
  EXPECT_EQ(call("add", none, array_of(doubles{1, 2, 3}, GetParam())).shape(), (dims{0, 3}));
}

TEST_P(apply_on, works_on_zero_dimensional_arrays) {
  const ndarray sum = call("add", array_of(doubles{1}, dims{}, GetParam()),
                           array_of(doubles{2}, dims{}, GetParam()));
  EXPECT_EQ(sum.rank(), 0);
  EXPECT_EQ(values_of<float64>(sum), (doubles{3}));
}

TEST_P(apply_on, agrees_with_a_plain_loop_around_block_edges) {
  for (const std::int64_t n : {1, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 100003}) {
    const ndarray x = array_of(counting<float64>(2 * n), GetParam());
    layout stepped{dims{n}, dims{16}, 0};
    layout backwards{dims{n}, dims{-8}, (2 * n - 1) * 8};
    const ndarray sum = call("subtract", x.view(stepped), x.view(backwards));
    doubles expected;
    for (std::int64_t i = 0; i < n; ++i) expected.push_back(double(2 * i) - double(2 * n - 1 - i));
    EXPECT_EQ(values_of<float64>(sum), expected) << n;
  }
}

TEST_P(apply_on, agrees_with_a_plain_loop_over_more_axes_than_a_plan_has) {
  // Twelve axes of which no two coalesce: each is every second element of its extent.
  dims shape(12);
  dims strides(12);
  std::int64_t stride = 8;
  for (int axis = 0; axis < 12; ++axis) {
    shape[axis] = axis % 3 == 0 ? 3 : 2;
    strides[axis] = stride;
    stride *= shape[axis] + 1;
  }
  const ndarray x = array_of(counting<float64>(stride / 8), GetParam());
  const ndarray view = x.view({shape, strides, 0});
  const doubles before = values_of<float64>(view);
  const ndarray twice = call("add", view, view);
  doubles expected;
  for (const double value : before) expected.push_back(value + value);
  EXPECT_EQ(values_of<float64>(twice), expected);
}

TEST_P(apply_on, keeps_an_order_that_all_operands_share) {
  const ndarray x = array_of(doubles{1, 2, 3, 4, 5, 6}, dims{2, 3}, GetParam());
  const ndarray t = x.view({dims{3, 2}, dims{8, 24}, 0});
  const ndarray sum = call("add", t, t);
  EXPECT_EQ(sum.strides(), (dims{8, 24}));
  EXPECT_EQ(values_of<float64>(sum), (doubles{2, 8, 4, 10, 6, 12}));
  const ndarray mixed = call("add", t, array_of(doubles(6, 1.0), dims{3, 2}, GetParam()));
  EXPECT_TRUE(mixed.is_c_contiguous());
  EXPECT_EQ(values_of<float64>(mixed), (doubles{2, 5, 3, 6, 4, 7}));
}

TEST_P(apply_on, in_place_writes_the_target_itself) {
  const ndarray x = array_of(doubles{1, 2, 3}, GetParam());
  call_into("multiply", x, scalar::of(2.0));
  EXPECT_EQ(values_of<float64>(x), (doubles{2, 4, 6}));
  call_into("add", x, x);
  EXPECT_EQ(values_of<float64>(x), (doubles{4, 8, 12}));
  call_into("add", x, array_of(std::vector<float32>{1}, GetParam()));
  EXPECT_EQ(values_of<float64>(x), (doubles{5, 9, 13}));
}

TEST_P(apply_on, in_place_over_overlapping_views_equals_copy_semantics) {
  const ndarray x = array_of(counting<float64>(1000, 1.0), GetParam());
  const ndarray tail = x.view({dims{999}, dims{8}, 8});
  const ndarray head = x.view({dims{999}, dims{8}, 0});
  call_into("add", tail, head);
  doubles expected{1};
  for (int i = 1; i < 1000; ++i) expected.push_back(i + (i + 1.0));
  EXPECT_EQ(values_of<float64>(x), expected);
}

TEST_P(apply_on, in_place_over_its_own_reverse_equals_copy_semantics) {
  const ndarray x = array_of(doubles{1, 2, 3, 4}, GetParam());
  call_into("subtract", x, x.view({dims{4}, dims{-8}, 24}));
  EXPECT_EQ(values_of<float64>(x), (doubles{-3, -1, 1, 3}));
}

TEST_P(apply_on, in_place_rejects_what_would_change_dtype_or_shape) {
  const ndarray ints = array_of(std::vector<int32>{1, 2}, GetParam());
  EXPECT_THROW(call_into("add", ints, array_of(longs{1, 2}, GetParam())), dtype_error);
  EXPECT_THROW(call_into("add", ints, scalar::of(1.5)), dtype_error);
  EXPECT_THROW(call_into("divide", ints, scalar::of(std::int64_t{2})), dtype_error);
  EXPECT_THROW(call_into("add", ints, array_of(std::vector<int32>{1, 2}, dims{2, 1}, GetParam())),
               shape_error);
  const ndarray floats = array_of(std::vector<float32>{1, 2}, GetParam());
  const std::string text = thrown_by<dtype_error>(
      [&] { call_into("add", floats, array_of(doubles{1, 2}, GetParam())); });
  EXPECT_TRUE(mentions(text, "float64"));
  EXPECT_EQ(values_of<int32>(ints), (std::vector<int32>{1, 2}));
  EXPECT_EQ(values_of<float32>(floats), (std::vector<float32>{1, 2}));
}

TEST_P(apply_on, in_place_rejects_targets_that_can_not_be_written) {
  const ndarray x = array_of(doubles{1, 2}, GetParam());
  const std::string text =
      thrown_by<read_only_error>([&] { call_into("add", x.read_only_view(), scalar::of(1.0)); });
  EXPECT_TRUE(mentions(text, "copy"));
  const ndarray repeated = x.view({dims{3, 2}, dims{0, 8}, 0});
  EXPECT_THROW(call_into("add", repeated, scalar::of(1.0)), read_only_error);
  EXPECT_EQ(values_of<float64>(x), (doubles{1, 2}));
}

TEST(apply, names_devices_arguments_and_remedy_on_a_device_mismatch) {
  const ndarray x1 = array_of(doubles{1, 2, 3}, cuda0);
  const ndarray x2 = array_of(doubles{1, 2, 3}, cpu0);
  const std::string text = thrown_by<device_mismatch_error>([&] { (void)call("add", x1, x2); });
  EXPECT_EQ(text,
            "add: arguments are on different devices: x1 (float64 (3,)) on cuda:0, "
            "x2 (float64 (3,)) on cpu:0; move one explicitly, e.g. x2.to_device(\"cuda:0\")");
}

TEST(apply, rejects_different_devices_of_one_kind_and_zero_dimensional_arrays) {
  const ndarray x = array_of(doubles{1}, dims{}, cpu0);
  EXPECT_THROW((void)call("add", x, array_of(doubles{1}, dims{}, cpu1)), device_mismatch_error);
  EXPECT_THROW(call_into("add", x, array_of(doubles{1}, dims{}, cuda0)), device_mismatch_error);
  EXPECT_THROW((void)call("add", array_of(doubles{1}, cuda0), array_of(doubles{1}, cuda1)),
               device_mismatch_error);
}

TEST(apply, reports_the_device_before_the_dtype_and_the_dtype_before_the_shape) {
  const refused_mixes strict;
  const ndarray x = array_of(std::vector<bool>{true, false});
  EXPECT_THROW((void)call("add", x, array_of(doubles{1, 2, 3}, cuda0)), device_mismatch_error);
  EXPECT_THROW((void)call("add", x, array_of(doubles{1, 2, 3})), dtype_error);
  EXPECT_THROW((void)call("logaddexp", array_of(longs{1, 2}), array_of(longs{1, 2, 3})),
               dtype_error);
}

TEST(apply, in_place_reports_the_device_then_the_target_then_the_dtype_then_the_shape) {
  const refused_mixes strict;
  const ndarray x = array_of(doubles{1, 2});
  const ndarray flags = array_of(std::vector<bool>{true, false, true});
  EXPECT_THROW(call_into("add", x.read_only_view(), array_of(doubles{1, 2}, cuda0)),
               device_mismatch_error);
  EXPECT_THROW(call_into("add", x.read_only_view(), flags), read_only_error);
  EXPECT_THROW(call_into("add", x.read_only_view(), scalar::of(true)), read_only_error);
  EXPECT_THROW(call_into("add", x, flags), dtype_error);
  EXPECT_THROW(call_into("less", x, array_of(doubles{1, 2, 3})), dtype_error);
  EXPECT_THROW(call_into("add", x, array_of(doubles{1, 2, 3})), shape_error);
}

TEST(apply, lists_the_dtypes_that_an_operation_takes) {
  const refused_mixes strict;
  const std::string text = thrown_by<dtype_error>([] { (void)call("sin", array_of(longs{1, 2})); });
  EXPECT_TRUE(mentions(text, "sin: int64"));
  EXPECT_TRUE(mentions(text, "float32, float64, complex64, complex128"));
}

TEST(apply, rejects_scalars_that_the_dtype_does_not_hold) {
  const refused_mixes strict;
  const ndarray bytes = array_of(std::vector<int8>{1, 2});
  EXPECT_THROW((void)call("add", bytes, scalar::of(std::int64_t{128})), overflow_error);
  EXPECT_THROW((void)call("add", bytes, scalar::of(1.0)), dtype_error);
  EXPECT_THROW((void)call("add", bytes, scalar::of(true)), dtype_error);
}

TEST(apply, widens_a_real_array_for_a_complex_scalar) {
  const ndarray sum = call("add", array_of(doubles{1, 2}), scalar::of(0.0, 1.0));
  EXPECT_EQ(values_of<complex128>(sum), (std::vector<complex128>{{1, 1}, {2, 1}}));
}

TEST(apply, rejects_shapes_that_do_not_broadcast_and_results_that_are_too_large) {
  const ndarray x = array_of(doubles{1, 2, 3});
  EXPECT_THROW((void)call("add", x, array_of(doubles{1, 2})), shape_error);
  const std::int64_t huge = std::int64_t{1} << 31;
  const ndarray tall = x.view({dims{huge, 1}, dims{0, 8}, 0});
  const ndarray wide = x.view({dims{1, huge}, dims{8, 0}, 0});
  EXPECT_THROW((void)call("add", tall, wide), shape_error);
}

TEST(apply, gives_the_same_when_a_cuda_launch_is_split_for_32_bit_indices) {
  const ndarray x = array_of(counting<float64>(600), dims{20, 30}, cuda0);
  const ndarray t = x.view({dims{30, 20}, dims{8, 240}, 0});
  const ndarray y = array_of(counting<float64>(600, 7.0), dims{30, 20}, cuda0);
  const doubles whole = values_of<float64>(call("subtract", t, y));
  set_index_limit(256);
  const doubles split = values_of<float64>(call("subtract", t, y));
  set_index_limit(index_limit_32bit);
  EXPECT_EQ(split, whole);
}

}  // namespace
}  // namespace skerry::testing
