// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/axis_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tests/core/index_traversal.hpp"

namespace skerry {
namespace {

using namespace testing_traversal;

using axes = std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>;

template <int Arrays>
axes contents(const AxisList<Arrays>& list) {
  axes result;
  for (int i = 0; i < list.size(); ++i) {
    const auto& [extent, strides] = list[i];
    result.push_back({extent, {strides, strides + Arrays}});
  }
  return result;
}

TEST(axis_list, drops_axes_of_one_element) {
  AxisList<1> list;
  list.add(1, {4});
  list.add(3, {4});
  list.add(0, {8});
  EXPECT_EQ(contents(list), (axes{{3, {4}}}));
}

TEST(axis_list, orders_by_stride_of_the_first_array_then_of_the_next) {
  AxisList<2> list;
  list.add(2, {-64, 8});
  list.add(3, {16, 32});
  list.add(4, {0, 8});
  list.add(5, {16, -4});
  list.order();
  EXPECT_EQ(contents(list), (axes{{4, {0, 8}}, {5, {16, -4}}, {3, {16, 32}}, {2, {-64, 8}}}));
}

TEST(axis_list, keeps_the_order_of_axes_with_equal_strides) {
  AxisList<1> list;
  list.add(2, {8});
  list.add(3, {0});
  list.add(4, {-8});
  list.add(5, {0});
  list.order();
  EXPECT_EQ(contents(list), (axes{{3, {0}}, {5, {0}}, {2, {8}}, {4, {-8}}}));
}

TEST(axis_list, flips_axes_with_a_negative_stride_of_the_first_array) {
  AxisList<3> list;
  list.add(3, {-4, 8, 0});
  list.add(5, {16, -16, 0});
  char buffer[256];
  char* data[] = {buffer + 128, buffer + 64, nullptr};
  list.flip_negative(data);
  EXPECT_EQ(contents(list), (axes{{3, {4, -8, 0}}, {5, {16, -16, 0}}}));
  EXPECT_EQ(data[0], buffer + 128 - 8);
  EXPECT_EQ(data[1], buffer + 64 + 16);
  EXPECT_EQ(data[2], nullptr);
}

TEST(axis_list, coalesces_axes_that_every_array_traverses_as_one) {
  AxisList<2> list;
  list.add(4, {4, 0});
  list.add(3, {16, 0});
  list.add(2, {48, 8});  // the second array moves
  list.add(5, {96, 16});
  list.coalesce();
  EXPECT_EQ(contents(list), (axes{{12, {4, 0}}, {10, {48, 8}}}));
}

TEST(axis_list, coalesces_axes_with_negative_strides) {
  AxisList<1> list;
  list.add(4, {-4});
  list.add(3, {-16});
  list.coalesce();
  EXPECT_EQ(contents(list), (axes{{12, {-4}}}));
}

TEST(axis_list, does_not_coalesce_where_the_stride_would_overflow) {
  AxisList<1> list;
  list.add(std::int64_t{1} << 62, {8});
  list.add(2, {0});  // 2^65, truncated to 64 bits
  list.coalesce();
  EXPECT_EQ(list.size(), 2);
}

TEST(axis_list, writes_all_axes_or_nothing) {
  AxisList<2> list;
  list.add(3, {4, 8});
  list.add(5, {100, 200});
  std::int32_t rank = -1;
  std::array<std::int64_t, 2> shape{};
  std::array<std::int64_t, 2> first{};
  std::array<std::int64_t, 2> second{};
  EXPECT_FALSE(list.write(1, rank, shape.data(), first.data(), second.data()));
  EXPECT_EQ(rank, -1);
  EXPECT_EQ(shape[0], 0);
  EXPECT_TRUE(list.write(2, rank, shape.data(), first.data(), second.data()));
  EXPECT_EQ(rank, 2);
  EXPECT_EQ(shape, (std::array<std::int64_t, 2>{3, 5}));
  EXPECT_EQ(first, (std::array<std::int64_t, 2>{4, 100}));
  EXPECT_EQ(second, (std::array<std::int64_t, 2>{8, 200}));
}

TEST(axis_list, accepts_the_maximum_rank_of_an_array) {
  AxisList<4> list;
  for (int axis = 0; axis < max_rank; ++axis) list.add(2, {4, 8, 0, -4});
  EXPECT_EQ(list.size(), max_rank);
}

using address_pair = std::pair<std::int64_t, std::int64_t>;

/// Returns the pairs of addresses of two arrays at each index, sorted.
std::vector<address_pair> addresses(const axes& list, const address_pair& start) {
  Dims shape(static_cast<int>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) shape[static_cast<int>(i)] = list[i].first;
  std::vector<address_pair> result;
  for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
    address_pair pair = start;
    for (std::size_t i = 0; i < list.size(); ++i) {
      pair.first += index[i] * list[i].second[0];
      pair.second += index[i] * list[i].second[1];
    }
    result.push_back(pair);
  });
  std::sort(result.begin(), result.end());
  return result;
}

TEST(axis_list, visits_the_same_elements_of_random_layouts_after_every_step) {
  random_source random(15);
  constexpr std::int64_t base_address = std::int64_t{1} << 40;
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    const Dims shape = random_shape(random, static_cast<int>(between(random, 0, 5)), 1, 4);
    const Layout first = random_layout(random, shape, 4, true);
    const Layout second = random_layout(random, shape, 8, true);
    AxisList<2> list;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      list.add(shape[axis], {first.strides[axis], second.strides[axis]});
    }
    char* data[] = {reinterpret_cast<char*>(base_address),
                    reinterpret_cast<char*>(2 * base_address)};
    const auto visited = [&] {
      return addresses(contents(list), {reinterpret_cast<std::intptr_t>(data[0]),
                                        reinterpret_cast<std::intptr_t>(data[1])});
    };
    const auto expected = visited();
    list.order();
    EXPECT_EQ(visited(), expected);
    list.flip_negative(data);
    EXPECT_EQ(visited(), expected);
    list.coalesce();
    EXPECT_EQ(visited(), expected);
    for (int axis = 0; axis < list.size(); ++axis) EXPECT_GE(list[axis].strides[0], 0);
  }
}

}  // namespace
}  // namespace skerry
