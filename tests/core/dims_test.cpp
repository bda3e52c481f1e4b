// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/dims.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace skerry {
namespace {

std::vector<std::int64_t> values(const dims& list) { return {list.begin(), list.end()}; }

dims counting(int rank) {
  dims result(rank);
  for (int axis = 0; axis < rank; ++axis) result[axis] = axis + 1;
  return result;
}

class dims_of_rank : public testing::TestWithParam<int> {};

TEST_P(dims_of_rank, copies_and_moves_keep_the_values) {
  const dims original = counting(GetParam());
  dims copy = original;
  EXPECT_EQ(copy, original);
  dims moved = std::move(copy);
  EXPECT_EQ(moved, original);
  dims assigned{1, 2};
  assigned = moved;
  EXPECT_EQ(assigned, original);
  assigned = std::move(moved);
  EXPECT_EQ(assigned, original);
  EXPECT_EQ(values(assigned), values(original));
}

TEST_P(dims_of_rank, copies_into_lists_of_any_rank_are_alike_and_apart) {
  for (const int before : {0, 6, 7, 64}) {
    const dims original = counting(GetParam());
    dims list(before, -1);
    list = original;
    EXPECT_EQ(values(list), values(original)) << before;
    list.push_back(9);
    EXPECT_EQ(original, counting(GetParam())) << before;
  }
}

TEST_P(dims_of_rank, moved_from_is_empty_and_usable) {
  dims source = counting(GetParam());
  const dims target = std::move(source);
  EXPECT_EQ(source.rank(), 0);  // NOLINT: the point of the test
  source.push_back(5);
  EXPECT_EQ(source, dims{5});
}

TEST_P(dims_of_rank, self_assignment_changes_nothing) {
  dims list = counting(GetParam());
  const dims& alias = list;
  list = alias;
  EXPECT_EQ(list, counting(GetParam()));
}

TEST_P(dims_of_rank, insert_puts_a_value_before_every_axis) {
  for (int axis = 0; axis <= GetParam(); ++axis) {
    dims list = counting(GetParam());
    std::vector<std::int64_t> expected = values(list);
    expected.insert(expected.begin() + axis, -7);
    list.insert(axis, -7);
    EXPECT_EQ(values(list), expected);
    EXPECT_EQ(dims(list), list);
  }
}

TEST_P(dims_of_rank, erase_takes_any_axis_out) {
  for (int axis = 0; axis < GetParam(); ++axis) {
    dims list = counting(GetParam());
    std::vector<std::int64_t> expected = values(list);
    expected.erase(expected.begin() + axis);
    list.erase(axis);
    EXPECT_EQ(values(list), expected);
    EXPECT_EQ(dims(list), list);
  }
}

INSTANTIATE_TEST_SUITE_P(around_the_inline_capacity, dims_of_rank,
                         testing::Values(0, 1, 5, 6, 7, 8, 64));

TEST(dims, compares_rank_and_values) {
  EXPECT_EQ(dims({1, 2}), dims({1, 2}));
  EXPECT_NE(dims({1, 2}), dims({1, 2, 1}));
  EXPECT_NE(dims({1, 2}), dims({2, 1}));
  EXPECT_EQ(dims(), dims(0));
}

TEST(dims, assign_replaces_rank_and_values) {
  dims list = counting(9);
  list.assign(3, 4);
  EXPECT_EQ(list, dims({4, 4, 4}));
  list.assign(8, 1);
  EXPECT_EQ(list, dims(8, 1));
}

TEST(dims, grows_and_shrinks_across_the_inline_capacity) {
  dims list;
  for (int i = 0; i < max_rank; ++i) list.push_back(i);
  ASSERT_EQ(list.rank(), max_rank);
  for (int i = 0; i < max_rank; ++i) EXPECT_EQ(list[i], i);
  while (!list.empty()) list.erase(0);
  list.push_back(3);
  EXPECT_EQ(list, dims{3});
}

}  // namespace
}  // namespace skerry
