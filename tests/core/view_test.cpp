// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"
#include "tests/core/index_traversal.hpp"

namespace skerry {
namespace {

using namespace testing_traversal;
using axes_list = std::vector<std::int64_t>;

template <class Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing of the expected type was thrown";
}

std::vector<Layout> some_layouts() {
  random_source random(3);
  std::vector<Layout> result;
  for (int i = 0; i < 300; ++i) {
    const Dims shape = random_shape(random, static_cast<int>(between(random, 0, 4)), 0, 3);
    result.push_back(random_layout(random, shape, 4, true));
  }
  return result;
}

TEST(normalize_axis, counts_negative_axes_from_the_end) {
  EXPECT_EQ(normalize_axis(0, 3), 0);
  EXPECT_EQ(normalize_axis(2, 3), 2);
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(-3, 3), 0);
}

TEST(normalize_axis, rejects_axes_outside_the_array) {
  for (const std::int64_t axis : {std::int64_t{3}, std::int64_t{-4}, INT64_MAX, INT64_MIN}) {
    EXPECT_THROW(static_cast<void>(normalize_axis(axis, 3)), AxisError) << axis;
  }
  EXPECT_EQ(message_of<AxisError>([] { static_cast<void>(normalize_axis(3, 3)); }),
            "axis 3 is out of bounds for array of 3 axes; use -3 to 2");
  EXPECT_EQ(message_of<AxisError>([] { static_cast<void>(normalize_axis(0, 0)); }),
            "axis 0 is out of bounds for array of 0 axes");
}

TEST(normalize_axes, keeps_the_order_and_rejects_duplicates) {
  EXPECT_EQ(normalize_axes(axes_list{-1, 0}, 3), Dims({2, 0}));
  EXPECT_EQ(normalize_axes(axes_list{}, 0), Dims{});
  EXPECT_EQ(message_of<ValueError>([] { static_cast<void>(normalize_axes(axes_list{1, -2}, 3)); }),
            "axis -2 is given more than once; name every axis once");
  EXPECT_THROW(static_cast<void>(normalize_axes(axes_list{0, 3}, 3)), AxisError);
  EXPECT_THROW(static_cast<void>(normalize_axes(axes_list(100000, 1), 64)), ValueError);
}

TEST(permute_dims, moves_every_element_to_the_permuted_index) {
  random_source random(4);
  for (const Layout& layout : some_layouts()) {
    axes_list axes(static_cast<std::size_t>(layout.rank()));
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
    std::shuffle(axes.begin(), axes.end(), random);
    const Layout view = permute_dims(layout, axes);
    for_each_index(view.shape, [&](const axes_list& index) {
      axes_list original(index.size());
      for (std::size_t i = 0; i < axes.size(); ++i) {
        original[static_cast<std::size_t>(axes[i])] = index[i];
      }
      ASSERT_EQ(offset_of(view, index), offset_of(layout, original));
    });
    EXPECT_EQ(view.size(), layout.size());
  }
}

TEST(permute_dims, rejects_axes_that_are_not_a_permutation) {
  const Layout layout = c_layout(Dims{2, 3}, 4);
  EXPECT_EQ(permute_dims(layout, axes_list{-1, 0}).shape, Dims({3, 2}));
  EXPECT_THROW(static_cast<void>(permute_dims(layout, axes_list{0})), ValueError);
  EXPECT_THROW(static_cast<void>(permute_dims(layout, axes_list{0, 0})), ValueError);
  EXPECT_THROW(static_cast<void>(permute_dims(layout, axes_list{0, 2})), AxisError);
}

TEST(expand_dims, inserts_axes_of_size_one_in_the_result) {
  const Layout layout = c_layout(Dims{2, 3}, 4);
  EXPECT_EQ(expand_dims(layout, axes_list{0}).shape, Dims({1, 2, 3}));
  EXPECT_EQ(expand_dims(layout, axes_list{-1}).shape, Dims({2, 3, 1}));
  EXPECT_EQ(expand_dims(layout, axes_list{3, 0}).shape, Dims({1, 2, 3, 1}));
  EXPECT_EQ(expand_dims(layout, axes_list{}).shape, Dims({2, 3}));
  for (const Layout& view : some_layouts()) {
    EXPECT_EQ(offsets_of(expand_dims(view, axes_list{0, -1})), offsets_of(view));
  }
}

TEST(expand_dims, rejects_bad_axes_and_too_many) {
  const Layout layout = c_layout(Dims{2, 3}, 4);
  EXPECT_THROW(static_cast<void>(expand_dims(layout, axes_list{3})), AxisError);
  EXPECT_THROW(static_cast<void>(expand_dims(layout, axes_list{-4})), AxisError);
  EXPECT_THROW(static_cast<void>(expand_dims(layout, axes_list{0, 0})), ValueError);
  const Layout full = c_layout(Dims(64, 1), 4);
  EXPECT_THROW(static_cast<void>(expand_dims(full, axes_list{0})), ShapeError);
  EXPECT_EQ(expand_dims(c_layout(Dims(63, 1), 4), axes_list{63}).rank(), 64);
}

TEST(squeeze, removes_axes_of_size_one) {
  const Layout layout = c_layout(Dims{1, 2, 1, 3}, 4);
  EXPECT_EQ(squeeze(layout, axes_list{0}).shape, Dims({2, 1, 3}));
  EXPECT_EQ(squeeze(layout, axes_list{0, -2}).shape, Dims({2, 3}));
  EXPECT_EQ(squeeze(layout, axes_list{}).shape, layout.shape);
  for (const Layout& view : some_layouts()) {
    const Layout wide = expand_dims(view, axes_list{0, -1});
    EXPECT_EQ(squeeze(wide, axes_list{0, -1}), view);
  }
}

TEST(squeeze, rejects_axes_of_other_sizes) {
  const Layout layout = c_layout(Dims{1, 2}, 4);
  EXPECT_EQ(message_of<ShapeError>([&] { static_cast<void>(squeeze(layout, axes_list{1})); }),
            "axis 1 has size 2, not 1: shape (1, 2)");
  EXPECT_THROW(static_cast<void>(squeeze(layout, axes_list{2})), AxisError);
  EXPECT_THROW(static_cast<void>(squeeze(layout, axes_list{0, -2})), ValueError);
  EXPECT_THROW(static_cast<void>(squeeze(c_layout(Dims{0}, 4), axes_list{0})), ShapeError);
}

TEST(flip, reverses_the_named_axes_only) {
  random_source random(5);
  for (const Layout& layout : some_layouts()) {
    axes_list axes;
    for (int axis = 0; axis < layout.rank(); ++axis) {
      if (between(random, 0, 1) == 1) axes.push_back(axis - (axis % 2 == 0 ? layout.rank() : 0));
    }
    const Layout view = flip(layout, axes);
    EXPECT_EQ(view.shape, layout.shape);
    for_each_index(view.shape, [&](const axes_list& index) {
      axes_list original = index;
      for (const std::int64_t axis : axes) {
        const auto i = static_cast<std::size_t>(axis < 0 ? axis + layout.rank() : axis);
        original[i] = layout.shape[static_cast<int>(i)] - 1 - original[i];
      }
      ASSERT_EQ(offset_of(view, index), offset_of(layout, original));
    });
    EXPECT_EQ(extent(view, 4), extent(layout, 4));
  }
}

TEST(resolve_reshape, infers_one_dimension) {
  EXPECT_EQ(resolve_reshape(12, axes_list{3, 4}), Dims({3, 4}));
  EXPECT_EQ(resolve_reshape(12, axes_list{-1}), Dims({12}));
  EXPECT_EQ(resolve_reshape(12, axes_list{2, -1, 3}), Dims({2, 2, 3}));
  EXPECT_EQ(resolve_reshape(1, axes_list{}), Dims{});
  EXPECT_EQ(resolve_reshape(0, axes_list{-1, 3}), Dims({0, 3}));
  EXPECT_EQ(resolve_reshape(0, axes_list{0, 3}), Dims({0, 3}));
}

TEST(resolve_reshape, rejects_shapes_of_another_size) {
  const auto error = [](std::int64_t size, const axes_list& shape) {
    return message_of<ShapeError>([&] { static_cast<void>(resolve_reshape(size, shape)); });
  };
  EXPECT_EQ(error(6, {4}), "6 elements cannot be reshaped to (4,), which has 4");
  EXPECT_EQ(error(6, {4, -1}), "6 elements cannot be reshaped to (4, -1): not a multiple of 4");
  EXPECT_EQ(error(0, {0, -1}),
            "0 elements cannot be reshaped to (0, -1): -1 is ambiguous; give every dimension");
  EXPECT_EQ(error(6, {-1, -1}), "more than one unknown dimension: shape (-1, -1); use -1 once");
  EXPECT_EQ(error(6, {-2, -3}), "shape must not have a negative size: (-2, -3)");
  EXPECT_EQ(error(6, {-1, -6}), "shape must not have a negative size: (-1, -6)");
  const std::int64_t half = std::int64_t{1} << 32;
  EXPECT_NE(error(0, {half, half}).find("too large"), std::string::npos);
  EXPECT_NE(error(0, {0, half, half}).find("too large"), std::string::npos);
  EXPECT_NE(error(1, axes_list(65, 1)).find("too many axes: 65"), std::string::npos);
  EXPECT_NE(error(1, axes_list(65, -1)).find("too many axes: 65"), std::string::npos);
}

/// Returns all factorizations of `size` into `rank` factors.
std::vector<Dims> factorisations(std::int64_t size, int rank) {
  if (rank == 0) return size == 1 ? std::vector<Dims>{Dims{}} : std::vector<Dims>{};
  std::vector<Dims> result;
  for (std::int64_t n = 1; n <= size; ++n) {
    if (size % n != 0) continue;
    for (Dims& rest : factorisations(size / n, rank - 1)) {
      rest.insert(0, n);
      result.push_back(rest);
    }
  }
  return result;
}

/// True if some strides yield the offset of every index of `shape`: the definition of a view.
bool is_affine(const Dims& shape, const std::vector<std::int64_t>& offsets) {
  Layout guess{shape, Dims(shape.rank()), offsets.empty() ? 0 : offsets[0]};
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] > 1) guess.strides[axis] = offsets[static_cast<std::size_t>(step)] - offsets[0];
    step *= shape[axis];
  }
  return offsets_of(guess) == offsets;
}

TEST(reshape_view, exists_exactly_where_strides_can_describe_it) {
  random_source random(6);
  int views = 0;
  int copies = 0;
  for (int i = 0; i < 400; ++i) {
    const int rank = static_cast<int>(between(random, 0, 4));
    const Layout layout = random_layout(random, random_shape(random, rank, 1, 4), 4, true);
    const std::vector<std::int64_t> offsets = offsets_of(layout);
    for (int to_rank = 0; to_rank <= 3; ++to_rank) {
      for (const Dims& shape : factorisations(layout.size(), to_rank)) {
        const std::optional<Layout> view = reshape_view(layout, shape, 4);
        ASSERT_EQ(view.has_value(), is_affine(shape, offsets))
            << to_string(layout.shape) << " strides " << to_string(layout.strides) << " to "
            << to_string(shape);
        (view ? views : copies) += 1;
        if (!view) continue;
        ASSERT_EQ(view->shape, shape);
        ASSERT_EQ(offsets_of(*view), offsets);
      }
    }
  }
  EXPECT_GT(views, 1000);
  EXPECT_GT(copies, 1000);
}

TEST(reshape_view, of_an_empty_array_always_exists) {
  const Layout layout{Dims{3, 0, 2}, Dims{8, 100, -4}, 16};
  const std::optional<Layout> view = reshape_view(layout, Dims{0, 7}, 4);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->shape, Dims({0, 7}));
  EXPECT_EQ(view->offset, 16);
}

}  // namespace
}  // namespace skerry
