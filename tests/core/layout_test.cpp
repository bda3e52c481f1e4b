// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "tests/core/index_traversal.hpp"

namespace skerry {
namespace {

using namespace testing_traversal;

constexpr std::int64_t item = 4;

/// Calls `check` with layouts of every rank up to four, including empty and broadcast ones.
template <class F>
void for_random_layouts(F&& check) {
  random_source random(20260101);
  for (int i = 0; i < 3000; ++i) {
    const int rank = static_cast<int>(between(random, 0, 4));
    const Dims shape = random_shape(random, rank, between(random, 0, 8) == 0 ? 0 : 1, 4);
    const Layout layout = random_layout(random, shape, item, i % 2 == 0);
    SCOPED_TRACE("shape " + to_string(layout.shape) + " strides " + to_string(layout.strides));
    check(layout);
    if (testing::Test::HasFailure()) return;
  }
}

Layout reversed_axes(const Layout& layout) {
  Layout result = layout;
  std::reverse(result.shape.begin(), result.shape.end());
  std::reverse(result.strides.begin(), result.strides.end());
  return result;
}

bool counts_up(const std::vector<std::int64_t>& offsets) {
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] != offsets[i - 1] + item) return false;
  }
  return true;
}

std::string shape_error_of(const std::vector<std::int64_t>& shape, std::int64_t itemsize) {
  try {
    check_shape(shape, itemsize);
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(to_string_of_shape, prints_as_python_does) {
  EXPECT_EQ(to_string(Dims{}), "()");
  EXPECT_EQ(to_string(Dims{5}), "(5,)");
  EXPECT_EQ(to_string(Dims{2, 3}), "(2, 3)");
  EXPECT_EQ(to_string(Dims{-1, 0, 7}), "(-1, 0, 7)");
}

TEST(check_shape, returns_the_bytes) {
  EXPECT_EQ(check_shape(Dims{}, 8), 8);
  EXPECT_EQ(check_shape(Dims{2, 3}, 4), 24);
  EXPECT_EQ(check_shape(Dims{2, 0, 3}, 4), 0);
  EXPECT_EQ(check_shape(Dims{INT64_MAX}, 1), INT64_MAX);
  EXPECT_EQ(check_shape(Dims{std::int64_t{1} << 59}, 8), std::int64_t{1} << 62);
  EXPECT_EQ(check_shape(Dims(64, 1), 8), 8);
}

TEST(check_shape, rejects_negative_dimensions) {
  EXPECT_EQ(shape_error_of({2, -1}, 4), "shape must not have a negative size: (2, -1)");
  EXPECT_NE(shape_error_of({0, INT64_MIN}, 4).find("negative"), std::string::npos);
}

TEST(check_shape, rejects_more_than_64_axes) {
  EXPECT_EQ(shape_error_of(std::vector<std::int64_t>(65, 1), 4),
            "too many axes: 65; at most 64 are possible");
  EXPECT_NE(shape_error_of(std::vector<std::int64_t>(100000, 1), 4).find("100000"),
            std::string::npos);
}

TEST(check_shape, rejects_sizes_from_2_to_the_63_even_with_a_zero_dimension) {
  const std::int64_t half = std::int64_t{1} << 32;
  EXPECT_NE(shape_error_of({half, half}, 1).find("too large"), std::string::npos);
  EXPECT_NE(shape_error_of({half, half, 0}, 1).find("too large"), std::string::npos);
  EXPECT_NE(shape_error_of({0, half, half}, 1).find("too large"), std::string::npos);
  EXPECT_NE(shape_error_of({INT64_MAX}, 2).find("too large"), std::string::npos);
  EXPECT_NE(shape_error_of({std::int64_t{1} << 60}, 8).find("too large"), std::string::npos);
  EXPECT_NE(shape_error_of({INT64_MAX, INT64_MAX, INT64_MAX}, 16).find("too large"),
            std::string::npos);
}

TEST(c_layout, strides_grow_from_the_last_axis) {
  random_source random(1);
  for (int rank = 0; rank <= 5; ++rank) {
    const Layout layout = c_layout(random_shape(random, rank, 1, 4), item);
    EXPECT_TRUE(counts_up(offsets_of(layout)));
    EXPECT_EQ(layout.offset, 0);
  }
  EXPECT_EQ(c_layout(Dims{2, 3, 4}, 8).strides, Dims({96, 32, 8}));
}

TEST(c_layout, of_an_empty_shape_has_the_strides_of_one_element) {
  EXPECT_EQ(c_layout(Dims{3, 0, 2}, 8).strides, Dims({16, 16, 8}));
  EXPECT_EQ(c_layout(Dims{0}, 8).strides, Dims({8}));
}

TEST(is_c_contiguous, agrees_with_the_addresses) {
  int contiguous = 0;
  for_random_layouts([&](const Layout& layout) {
    const bool expected = counts_up(offsets_of(layout));
    contiguous += expected ? 1 : 0;
    EXPECT_EQ(is_c_contiguous(layout, item), expected);
    EXPECT_EQ(is_f_contiguous(reversed_axes(layout), item), expected);
  });
  EXPECT_GT(contiguous, 100);
}

TEST(is_c_contiguous, ignores_the_strides_of_single_and_empty_axes) {
  EXPECT_TRUE(is_c_contiguous({Dims{1, 3, 1}, Dims{-99, 4, 7}, 8}, 4));
  EXPECT_TRUE(is_f_contiguous({Dims{1, 3, 1}, Dims{-99, 4, 7}, 8}, 4));
  EXPECT_TRUE(is_c_contiguous({Dims{5, 0}, Dims{1, 1}, 0}, 4));
  EXPECT_TRUE(is_c_contiguous({Dims{0, 5}, Dims{1, 1}, 0}, 4));
  EXPECT_FALSE(is_c_contiguous({Dims{3}, Dims{-4}, 8}, 4));
}

TEST(overlaps_itself, never_misses_a_shared_byte) {
  int disjoint_count = 0;
  for_random_layouts([&](const Layout& layout) {
    std::vector<std::int64_t> offsets = offsets_of(layout);
    std::sort(offsets.begin(), offsets.end());
    bool shared = false;
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      shared = shared || offsets[i] - offsets[i - 1] < item;
    }
    if (shared) {
      EXPECT_TRUE(overlaps_itself(layout, item));
    }
    disjoint_count += overlaps_itself(layout, item) ? 0 : 1;
  });
  EXPECT_GT(disjoint_count, 100);
}

TEST(overlaps_itself, is_false_for_slices_and_true_for_broadcasts) {
  EXPECT_FALSE(overlaps_itself({Dims{3, 4}, Dims{64, -8}, 32}, 4));
  EXPECT_FALSE(overlaps_itself({Dims{1, 4}, Dims{0, 4}, 0}, 4));
  EXPECT_FALSE(overlaps_itself({Dims{0, 4}, Dims{0, 0}, 0}, 4));
  EXPECT_TRUE(overlaps_itself({Dims{3, 4}, Dims{0, 4}, 0}, 4));
  EXPECT_TRUE(overlaps_itself({Dims{3, 4}, Dims{4, 4}, 0}, 4));  // a sliding window
  EXPECT_TRUE(overlaps_itself({Dims{3}, Dims{2}, 0}, 4));
}

TEST(extent, spans_the_addresses) {
  for_random_layouts([](const Layout& layout) {
    const std::vector<std::int64_t> offsets = offsets_of(layout);
    const auto [first, last] = extent(layout, item);
    if (offsets.empty()) {
      EXPECT_EQ(first, last);
    } else {
      EXPECT_EQ(first, *std::min_element(offsets.begin(), offsets.end()));
      EXPECT_EQ(last, *std::max_element(offsets.begin(), offsets.end()) + item);
    }
  });
}

TEST(dense_layout_like, is_dense_and_orders_elements_as_the_original) {
  for_random_layouts([](const Layout& layout) {
    const Layout dense = dense_layout_like(layout, 8);
    EXPECT_EQ(dense.shape, layout.shape);
    EXPECT_EQ(dense.offset, 0);
    std::vector<std::int64_t> offsets = offsets_of(dense);
    std::sort(offsets.begin(), offsets.end());
    EXPECT_TRUE(offsets.empty() || offsets.back() == 8 * (dense.size() - 1));
    EXPECT_EQ(std::adjacent_find(offsets.begin(), offsets.end()), offsets.end());
    if (layout.size() == 0 || overlaps_itself(layout, item)) return;
    // Of two axes, the one with the larger stride keeps the larger stride.
    for (int i = 0; i < layout.rank(); ++i) {
      for (int j = 0; j < layout.rank(); ++j) {
        if (layout.shape[i] < 2 || layout.shape[j] < 2) continue;
        if (std::abs(layout.strides[i]) > std::abs(layout.strides[j])) {
          EXPECT_GT(dense.strides[i], dense.strides[j]);
        }
      }
    }
  });
}

TEST(dense_layout_like, keeps_fortran_order_and_drops_gaps_and_signs) {
  EXPECT_EQ(dense_layout_like({Dims{2, 3}, Dims{4, 8}, 0}, 8).strides, Dims({8, 16}));
  EXPECT_EQ(dense_layout_like({Dims{2, 3}, Dims{-12, 100}, 12}, 4).strides, Dims({4, 8}));
}

TEST(dense_layout_like, is_c_order_where_the_original_is_broadcast_or_empty) {
  EXPECT_EQ(dense_layout_like({Dims{2, 3}, Dims{4, 0}, 0}, 4), c_layout(Dims{2, 3}, 4));
  EXPECT_EQ(dense_layout_like({Dims{2, 3}, Dims{0, 4}, 0}, 4), c_layout(Dims{2, 3}, 4));
  EXPECT_EQ(dense_layout_like({Dims{2, 2}, Dims{4, 4}, 0}, 4), c_layout(Dims{2, 2}, 4));
  EXPECT_EQ(dense_layout_like({Dims{2, 0}, Dims{4, 8}, 0}, 4), c_layout(Dims{2, 0}, 4));
}

}  // namespace
}  // namespace skerry
