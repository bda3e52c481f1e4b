// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"
#include "tests/core/index_traversal.hpp"

namespace skerry {
namespace {

using namespace testing_traversal;

Dims broadcast(const Dims& a, const Dims& b) { return broadcast_shapes(std::array{&a, &b}); }

template <class F>
std::string shape_error_of(F&& f) {
  try {
    f();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "accepted";
}

struct BroadcastCase {
  Dims a, b, expected;
};

// The examples of the standard's "Broadcasting" page, then empty and scalar shapes.
const BroadcastCase accepted[] = {
    {{8, 1, 6, 1}, {7, 1, 5}, {8, 7, 6, 5}},
    {{5, 4}, {1}, {5, 4}},
    {{5, 4}, {4}, {5, 4}},
    {{15, 3, 5}, {15, 1, 5}, {15, 3, 5}},
    {{15, 3, 5}, {3, 5}, {15, 3, 5}},
    {{15, 3, 5}, {3, 1}, {15, 3, 5}},
    {{}, {}, {}},
    {{}, {2, 3}, {2, 3}},
    {{0}, {1}, {0}},
    {{3, 1}, {0}, {3, 0}},
    {{1, 1, 1}, {1}, {1, 1, 1}},
};

const BroadcastCase rejected[] = {
    {{3}, {4}, {}},
    {{2, 1}, {8, 4, 3}, {}},
    {{15, 3, 5}, {15, 3}, {}},
    {{0}, {2}, {}},
};

TEST(broadcast_shapes, follows_the_examples_of_the_standard) {
  for (const auto& [a, b, expected] : accepted) {
    SCOPED_TRACE(to_string(a) + " with " + to_string(b));
    EXPECT_EQ(broadcast(a, b), expected);
    EXPECT_EQ(broadcast(b, a), expected);
    EXPECT_EQ(broadcast_two(a, b), expected);
    EXPECT_EQ(broadcast_two(b, a), expected);
  }
  for (const auto& [a, b, unused] : rejected) {
    SCOPED_TRACE(to_string(a) + " with " + to_string(b));
    EXPECT_THROW(broadcast(a, b), ShapeError);
    EXPECT_THROW(broadcast(b, a), ShapeError);
    EXPECT_EQ(broadcast_two(a, b), std::nullopt);
    EXPECT_EQ(broadcast_two(b, a), std::nullopt);
  }
}

TEST(broadcast_shapes, names_shapes_and_the_axis_that_differs) {
  EXPECT_EQ(
      shape_error_of([] { broadcast(Dims{8, 1, 6}, Dims{7, 5}); }),
      "shapes (8, 1, 6) and (7, 5) cannot be broadcast: axis -1 has sizes 6 and 5; sizes must be "
      "equal or 1");
  const Dims a{2, 3}, b{1, 1}, c{4, 1};
  EXPECT_EQ(
      shape_error_of([&] { static_cast<void>(broadcast_shapes(std::array{&a, &b, &c})); }),
      "shapes (2, 3), (1, 1) and (4, 1) cannot be broadcast: axis -2 has sizes 2 and 4; sizes must "
      "be equal or 1");
}

TEST(broadcast_shapes, accepts_any_number_of_shapes) {
  const Dims a{3, 1}, b{1, 4}, c{}, d{2, 1, 1};
  EXPECT_EQ(broadcast_shapes(std::array{&a, &b, &c, &d}), Dims({2, 3, 4}));
  EXPECT_EQ(broadcast_shapes(std::array{&a}), a);
  EXPECT_EQ(broadcast_shapes({}), Dims{});
}

TEST(broadcast_to, repeats_elements_along_new_and_expanded_axes) {
  random_source random(2);
  for (int i = 0; i < 1000; ++i) {
    const Dims shape = random_shape(random, static_cast<int>(between(random, 0, 4)), 1, 3);
    Dims own_shape = shape;
    for (std::int64_t& n : own_shape) n = between(random, 0, 2) == 0 ? 1 : n;
    while (own_shape.rank() > 0 && own_shape[0] == 1 && between(random, 0, 1) == 0)
      own_shape.erase(0);
    const Layout layout = random_layout(random, own_shape, 4, false);
    const Layout wide = broadcast_to(layout, shape);
    ASSERT_EQ(wide.shape, shape);
    for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
      std::vector<std::int64_t> in_own(index.end() - own_shape.rank(), index.end());
      for (int axis = 0; axis < own_shape.rank(); ++axis) {
        if (own_shape[axis] == 1) in_own[static_cast<std::size_t>(axis)] = 0;
      }
      ASSERT_EQ(offset_of(wide, index), offset_of(layout, in_own));
    });
  }
}

TEST(broadcast_to, rejects_shapes_that_do_not_fit) {
  const Layout layout = c_layout(Dims{2, 3}, 4);
  const auto error = [&](const Dims& shape) {
    return shape_error_of([&] { static_cast<void>(broadcast_to(layout, shape)); });
  };
  EXPECT_EQ(error(Dims{2, 4}),
            "shape (2, 3) does not broadcast to (2, 4): axis -1 has sizes 3 and 4; the first "
            "must be equal or 1");
  EXPECT_EQ(error(Dims{3}), "shape (2, 3) does not broadcast to (3,): it has 2 axes, more than 1");
  EXPECT_NE(error(Dims{2, 1}), "accepted");
  EXPECT_NE(error(Dims{-1, 2, 3}), "accepted");
  EXPECT_NE(error(Dims{2, 0}), "accepted");
}

TEST(broadcast_to, rejects_views_whose_size_would_overflow) {
  const Layout one = c_layout(Dims{}, 4);
  const std::int64_t half = std::int64_t{1} << 32;
  EXPECT_THROW(static_cast<void>(broadcast_to(one, Dims{half, half})), ShapeError);
  EXPECT_THROW(static_cast<void>(broadcast_to(one, Dims{half, half, 0})), ShapeError);
  EXPECT_EQ(broadcast_to(one, Dims{half, 1000}).size(), half * 1000);
}

}  // namespace
}  // namespace skerry
