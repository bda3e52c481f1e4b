// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"
#include "tests/core/index_traversal.hpp"

namespace skerry {
namespace {

using namespace testing_traversal;
using bound = std::optional<std::int64_t>;

IndexItem integer_index(std::int64_t index) { return {.kind = IndexKind::integer, .start = index}; }
IndexItem slice(bound start, bound stop, std::int64_t step = 1) {
  return {.kind = IndexKind::slice,
          .start = start.value_or(0),
          .stop = stop.value_or(0),
          .step = step,
          .has_start = start.has_value(),
          .has_stop = stop.has_value()};
}
const IndexItem ellipsis{.kind = IndexKind::ellipsis};
const IndexItem new_axis{.kind = IndexKind::new_axis};

Layout index(const Layout& array, const std::vector<IndexItem>& items) {
  return index_view(array, items);
}

template <class Error>
std::string error_of(const Layout& array, const std::vector<IndexItem>& items) {
  try {
    static_cast<void>(index(array, items));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing of the expected type was thrown";
}

/// Returns the positions that Python's slice selects, by its definition (Language Reference,
/// "Slicings", and the notes on i:j:k under "Common Sequence Operations"), element by element.
std::vector<std::int64_t> selected(bound start, bound stop, std::int64_t step, std::int64_t n) {
  const auto from_end = [n](std::int64_t value) { return value < 0 ? value + n : value; };
  std::vector<std::int64_t> result;
  if (step > 0) {
    std::int64_t i = start ? std::max<std::int64_t>(from_end(*start), 0) : 0;
    const std::int64_t end = stop ? std::min(from_end(*stop), n) : n;
    for (; i < end; i += step) result.push_back(i);
  } else {
    std::int64_t i = start ? std::min(from_end(*start), n - 1) : n - 1;
    const std::int64_t end = stop ? std::max<std::int64_t>(from_end(*stop), -1) : -1;
    for (; i > end; i += step) result.push_back(i);
  }
  return result;
}

TEST(index_view, slices_like_python_for_all_small_bounds_and_steps) {
  std::vector<bound> bounds{std::nullopt};
  for (std::int64_t i = -7; i <= 7; ++i) bounds.emplace_back(i);
  for (std::int64_t n = 0; n <= 5; ++n) {
    const Layout array{Dims{n}, Dims{-4}, 100};
    for (const bound& start : bounds) {
      for (const bound& stop : bounds) {
        for (const std::int64_t step : {1, 2, 3, 9, -1, -2, -3, -9}) {
          std::vector<std::int64_t> expected;
          for (const std::int64_t i : selected(start, stop, step, n)) {
            expected.push_back(100 - 4 * i);
          }
          ASSERT_EQ(offsets_of(index(array, {slice(start, stop, step)})), expected)
              << n << ": " << start.value_or(99) << ':' << stop.value_or(99) << ':' << step;
        }
      }
    }
  }
}

TEST(index_view, clamps_bounds_and_steps_at_the_ends_of_int64) {
  const Layout array = c_layout(Dims{5}, 4);
  EXPECT_EQ(index(array, {slice(INT64_MIN, INT64_MAX)}), array);
  EXPECT_EQ(index(array, {slice(INT64_MAX, INT64_MIN, -1)}).offset, 16);
  EXPECT_EQ(offsets_of(index(array, {slice({}, {}, INT64_MAX)})), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(offsets_of(index(array, {slice({}, {}, INT64_MIN)})), (std::vector<std::int64_t>{16}));
  EXPECT_EQ(index(array, {slice(INT64_MAX, {})}).size(), 0);
}

TEST(index_view, does_not_overflow_past_the_last_element) {
  const Layout array{Dims{2}, Dims{std::int64_t{1} << 62}, 0};
  EXPECT_EQ(index(array, {slice(2, {})}).offset, 0);
  EXPECT_EQ(index(array, {slice(1, {}, 5)}).offset, std::int64_t{1} << 62);
}

TEST(index_view, empty_view_keeps_the_offset) {
  const Layout array{Dims{5, 0}, Dims{4, 4}, 8};
  EXPECT_EQ(index(array, {integer_index(4)}).offset, 8);
  EXPECT_EQ(index(array, {slice({}, {}, -1)}).offset, 8);
  EXPECT_EQ(index(c_layout(Dims{5}, 4), {slice(5, {})}).offset, 0);
}

TEST(index_view, accepts_integers_from_either_end) {
  const Layout array{Dims{2, 3}, Dims{12, 4}, 8};
  EXPECT_EQ(index(array, {integer_index(1), integer_index(2)}),
            (Layout{Dims{}, Dims{}, 8 + 12 + 8}));
  EXPECT_EQ(index(array, {integer_index(-2), integer_index(-1)}), (Layout{Dims{}, Dims{}, 8 + 8}));
  EXPECT_EQ(index(array, {integer_index(1)}), (Layout{Dims{3}, Dims{4}, 20}));
  EXPECT_EQ(index(array, {ellipsis, integer_index(1)}), (Layout{Dims{2}, Dims{12}, 12}));
}

TEST(index_view, places_new_axes_and_the_ellipsis) {
  const Layout array = c_layout(Dims{2, 3, 4}, 4);
  const Layout scalar = c_layout(Dims{}, 4);
  EXPECT_EQ(index(array, {}), array);
  EXPECT_EQ(index(array, {ellipsis}), array);
  EXPECT_EQ(index(scalar, {}), scalar);
  EXPECT_EQ(index(scalar, {ellipsis}), scalar);
  EXPECT_EQ(index(scalar, {new_axis, ellipsis, new_axis}).shape, Dims({1, 1}));
  EXPECT_EQ(index(array, {new_axis}).shape, Dims({1, 2, 3, 4}));
  EXPECT_EQ(index(array, {ellipsis, new_axis}).shape, Dims({2, 3, 4, 1}));
  EXPECT_EQ(index(array, {integer_index(0), ellipsis, new_axis, slice(1, {})}).shape,
            Dims({3, 1, 3}));
  EXPECT_EQ(index(array, {integer_index(0), integer_index(0), integer_index(0), ellipsis}).shape,
            Dims{});
  EXPECT_EQ(index(array, {slice(0, 1), integer_index(1), new_axis, slice(3, {}, -2)}),
            (Layout{Dims{1, 1, 2}, Dims{48, 0, -8}, 16 + 12}));
}

TEST(index_view, agrees_with_index_arithmetic_on_random_indices) {
  random_source random(7);
  for (int i = 0; i < 2000; ++i) {
    const int rank = static_cast<int>(between(random, 0, 4));
    const Layout array = random_layout(random, random_shape(random, rank, 1, 4), 4, true);
    std::vector<IndexItem> items;
    // One row per axis of the array: the selected positions; `keeps_axis` marks the rows that
    // remain axes.
    std::vector<std::vector<std::int64_t>> axis_positions;
    std::vector<bool> keeps_axis;
    Dims expected_shape;
    for (int axis = 0; axis < rank; ++axis) {
      if (between(random, 0, 4) == 0) {
        items.push_back(new_axis);
        expected_shape.push_back(1);
      }
      const std::int64_t n = array.shape[axis];
      if (between(random, 0, 2) == 0) {
        const std::int64_t position = between(random, -n, n - 1);
        items.push_back(integer_index(position));
        axis_positions.push_back({position < 0 ? position + n : position});
        keeps_axis.push_back(false);
      } else {
        const std::int64_t step = between(random, 1, 3) * (between(random, 0, 1) == 0 ? 1 : -1);
        const bound start = between(random, -n - 1, n + 1);
        const bound stop = between(random, 0, 2) == 0 ? bound() : between(random, -n - 1, n + 1);
        items.push_back(slice(start, stop, step));
        axis_positions.push_back(selected(start, stop, step, n));
        keeps_axis.push_back(true);
        expected_shape.push_back(static_cast<std::int64_t>(axis_positions.back().size()));
      }
    }
    Dims counts;
    for (const auto& positions : axis_positions) {
      counts.push_back(static_cast<std::int64_t>(positions.size()));
    }
    std::vector<std::int64_t> expected;
    for_each_index(counts, [&](const std::vector<std::int64_t>& selection) {
      std::vector<std::int64_t> position(selection.size());
      for (std::size_t axis = 0; axis < selection.size(); ++axis) {
        position[axis] = axis_positions[axis][static_cast<std::size_t>(selection[axis])];
      }
      expected.push_back(offset_of(array, position));
    });
    const Layout view = index(array, items);
    ASSERT_EQ(view.shape, expected_shape);
    ASSERT_EQ(offsets_of(view), expected);
  }
}

TEST(index_view, rejects_integers_out_of_bounds) {
  const Layout array = c_layout(Dims{3, 0}, 4);
  EXPECT_EQ(error_of<IndexError>(array, {integer_index(3)}),
            "index 3 is out of bounds: axis 0 has size 3; use -3 to 2");
  EXPECT_EQ(error_of<IndexError>(array, {integer_index(-4)}),
            "index -4 is out of bounds: axis 0 has size 3; use -3 to 2");
  EXPECT_EQ(error_of<IndexError>(array, {ellipsis, integer_index(0)}),
            "index 0 is out of bounds: axis 1 has size 0");
  EXPECT_THROW(static_cast<void>(index(array, {integer_index(INT64_MIN)})), IndexError);
  EXPECT_THROW(static_cast<void>(index(array, {integer_index(INT64_MAX)})), IndexError);
}

TEST(index_view, rejects_too_many_indices_and_ellipses) {
  const Layout array = c_layout(Dims{2, 3}, 4);
  EXPECT_EQ(error_of<IndexError>(array, {integer_index(0), integer_index(0), slice({}, {})}),
            "too many indices: 3 for an array of rank 2, shape (2, 3)");
  EXPECT_EQ(error_of<IndexError>(array, {ellipsis, integer_index(0), ellipsis}),
            "2 ellipses in one index; use '...' once");
  EXPECT_THROW(static_cast<void>(index(c_layout(Dims{}, 4), {integer_index(0)})), IndexError);
  EXPECT_THROW(static_cast<void>(index(array, std::vector<IndexItem>(100000, integer_index(0)))),
               IndexError);
}

TEST(index_view, rejects_a_zero_step_and_too_many_axes) {
  const Layout array = c_layout(Dims{2, 3}, 4);
  EXPECT_EQ(error_of<ValueError>(array, {slice({}, {}, 0)}),
            "slice step is 0; use a positive or negative step");
  EXPECT_EQ(index(array, std::vector<IndexItem>(62, new_axis)).rank(), 64);
  EXPECT_EQ(error_of<ShapeError>(array, std::vector<IndexItem>(63, new_axis)),
            "too many axes: 65; at most 64 are possible");
}

}  // namespace
}  // namespace skerry
