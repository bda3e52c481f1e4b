// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/views.hpp"

#include "core/errors.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry::testing {
namespace {

using longs = std::vector<int64>;
using list = std::vector<std::int64_t>;

class ManipulationOn : public ::testing::TestWithParam<Device> {
 protected:
  NdArray x = array_of(counting<int64>(6), Dims{2, 3}, GetParam());
};
INSTANTIATE_TEST_SUITE_P(every_device, ManipulationOn, ::testing::ValuesIn(every_device),
                         device_name);

TEST_P(ManipulationOn, reshape_shares_memory_where_the_layout_allows) {
  const NdArray flat = reshape(x, list{-1}, {});
  EXPECT_EQ(flat.memory(), x.memory());
  EXPECT_EQ(values_of<int64>(flat), (longs{0, 1, 2, 3, 4, 5}));
  const NdArray t = transpose(x);
  const NdArray copied = reshape(t, list{6}, {});
  EXPECT_NE(copied.memory(), x.memory());
  EXPECT_EQ(copied.device(), GetParam());
  EXPECT_EQ(values_of<int64>(copied), (longs{0, 3, 1, 4, 2, 5}));
}

TEST_P(ManipulationOn, reshape_respects_the_copy_argument) {
  EXPECT_NE(reshape(x, list{3, 2}, true).memory(), x.memory());
  EXPECT_EQ(values_of<int64>(reshape(transpose(x), list{2, 3}, true)), (longs{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(reshape(x, list{3, 2}, false).memory(), x.memory());
  EXPECT_THROW((void)reshape(transpose(x), list{6}, false), ValueError);
  EXPECT_THROW((void)reshape(x, list{4}, {}), ShapeError);
  EXPECT_THROW((void)reshape(x, list{-1, -1}, {}), ShapeError);
}

TEST_P(ManipulationOn, axes_are_moved_added_dropped_and_reversed_in_views) {
  EXPECT_EQ(values_of<int64>(permute_dims(x, list{1, 0})), (longs{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(expand_dims(x, list{0, -1}).shape(), (Dims{1, 2, 3, 1}));
  EXPECT_EQ(squeeze(expand_dims(x, list{1}), list{1}).shape(), (Dims{2, 3}));
  EXPECT_EQ(values_of<int64>(flip(x, {})), (longs{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(values_of<int64>(flip(x, list{1})), (longs{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values_of<int64>(flip(x, list{})), values_of<int64>(x));
  EXPECT_EQ(flip(x, {}).memory(), x.memory());
  EXPECT_THROW((void)squeeze(x, list{0}), std::invalid_argument);
  EXPECT_THROW((void)expand_dims(x, list{5}), AxisError);
  EXPECT_THROW((void)permute_dims(x, list{0, 0}), ValueError);
}

TEST_P(ManipulationOn, broadcast_views_are_read_only_where_an_axis_was_stretched) {
  const NdArray stretched = broadcast_to(x, Dims{2, 2, 3});
  EXPECT_EQ(values_of<int64>(stretched), (longs{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(stretched.read_only());
  EXPECT_FALSE(broadcast_to(x, Dims{1, 2, 3}).read_only());
  EXPECT_FALSE(broadcast_to(x, Dims{2, 3}).read_only());
  EXPECT_THROW((void)broadcast_to(x, Dims{3}), ShapeError);
}

TEST_P(ManipulationOn, broadcast_arrays_gives_all_the_common_shape) {
  const NdArray arrays[] = {x, array_of(longs{1}, GetParam()),
                            array_of(longs{7, 8}, Dims{2, 1}, GetParam())};
  const std::vector<NdArray> all = broadcast_arrays(arrays);
  for (const NdArray& array : all) EXPECT_EQ(array.shape(), (Dims{2, 3}));
  EXPECT_EQ(values_of<int64>(all[2]), (longs{7, 7, 7, 8, 8, 8}));
}

TEST_P(ManipulationOn, transposes_matrices_and_stacks) {
  EXPECT_EQ(values_of<int64>(transpose(x)), (longs{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(matrix_transpose(expand_dims(x, list{0})).shape(), (Dims{1, 3, 2}));
  EXPECT_THROW((void)transpose(expand_dims(x, list{0})), ShapeError);
  EXPECT_THROW((void)matrix_transpose(reshape(x, list{6}, {})), ShapeError);
}

TEST(manipulation, broadcast_arrays_rejects_arrays_on_different_devices) {
  const NdArray arrays[] = {array_of(longs{1}), array_of(longs{1}), array_of(longs{1}, cuda0)};
  const std::string text = thrown_by<DeviceMismatchError>([&] { (void)broadcast_arrays(arrays); });
  EXPECT_TRUE(mentions(text, "arrays[2].to_device(\"cpu:0\")"));
  EXPECT_TRUE(broadcast_arrays({}).empty());
}

TEST(manipulation, reshapes_to_the_largest_rank) {
  const NdArray one = array_of(longs{5});
  const list ones(64, 1);
  EXPECT_EQ(reshape(one, ones, {}).rank(), 64);
  EXPECT_EQ(values_of<int64>(call("add", reshape(one, ones, {}), one)), (longs{10}));
  EXPECT_THROW((void)reshape(one, list(65, 1), {}), ShapeError);
}

}  // namespace
}  // namespace skerry::testing
