// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/dims.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace skerry {
namespace {

std::vector<std::int64_t> values(const Dims& list) { return {list.begin(), list.end()}; }

Dims counting(int rank) {
  Dims result(rank);
  for (int axis = 0; axis < rank; ++axis) result[axis] = axis + 1;
  return result;
}

class DimsOfRank : public testing::TestWithParam<int> {};

TEST_P(DimsOfRank, copies_and_moves_keep_the_values) {
  const Dims original = counting(GetParam());
  Dims copy = original;
  EXPECT_EQ(copy, original);
  Dims moved = std::move(copy);
  EXPECT_EQ(moved, original);
  Dims assigned{1, 2};
  assigned = moved;
  EXPECT_EQ(assigned, original);
  assigned = std::move(moved);
  EXPECT_EQ(assigned, original);
  EXPECT_EQ(values(assigned), values(original));
}

TEST_P(DimsOfRank, copies_into_lists_of_any_rank_are_equal_and_independent) {
  for (const int old_rank : {0, 6, 7, 64}) {
    const Dims original = counting(GetParam());
    Dims list(old_rank, -1);
    list = original;
    EXPECT_EQ(values(list), values(original)) << old_rank;
    list.push_back(9);
    EXPECT_EQ(original, counting(GetParam())) << old_rank;
  }
}

TEST_P(DimsOfRank, moved_from_is_empty_and_usable) {
  Dims source = counting(GetParam());
  const Dims target = std::move(source);
  EXPECT_EQ(source.rank(), 0);  // NOLINT: the point of the test
  source.push_back(5);
  EXPECT_EQ(source, Dims{5});
}

TEST_P(DimsOfRank, self_assignment_changes_nothing) {
  Dims list = counting(GetParam());
  const Dims& alias = list;
  list = alias;
  EXPECT_EQ(list, counting(GetParam()));
}

TEST_P(DimsOfRank, insert_puts_a_value_before_every_axis) {
  for (int axis = 0; axis <= GetParam(); ++axis) {
    Dims list = counting(GetParam());
    std::vector<std::int64_t> expected = values(list);
    expected.insert(expected.begin() + axis, -7);
    list.insert(axis, -7);
    EXPECT_EQ(values(list), expected);
    EXPECT_EQ(Dims(list), list);
  }
}

TEST_P(DimsOfRank, erase_removes_any_axis) {
  for (int axis = 0; axis < GetParam(); ++axis) {
    Dims list = counting(GetParam());
    std::vector<std::int64_t> expected = values(list);
    expected.erase(expected.begin() + axis);
    list.erase(axis);
    EXPECT_EQ(values(list), expected);
    EXPECT_EQ(Dims(list), list);
  }
}

INSTANTIATE_TEST_SUITE_P(around_the_inline_capacity, DimsOfRank,
                         testing::Values(0, 1, 5, 6, 7, 8, 64));

TEST(dims, compares_rank_and_values) {
  EXPECT_EQ(Dims({1, 2}), Dims({1, 2}));
  EXPECT_NE(Dims({1, 2}), Dims({1, 2, 1}));
  EXPECT_NE(Dims({1, 2}), Dims({2, 1}));
  EXPECT_EQ(Dims(), Dims(0));
}

TEST(dims, assign_replaces_rank_and_values) {
  Dims list = counting(9);
  list.assign(3, 4);
  EXPECT_EQ(list, Dims({4, 4, 4}));
  list.assign(8, 1);
  EXPECT_EQ(list, Dims(8, 1));
}

TEST(dims, grows_and_shrinks_across_the_inline_capacity) {
  Dims list;
  for (int i = 0; i < max_rank; ++i) list.push_back(i);
  ASSERT_EQ(list.rank(), max_rank);
  for (int i = 0; i < max_rank; ++i) EXPECT_EQ(list[i], i);
  while (!list.empty()) list.erase(0);
  list.push_back(3);
  EXPECT_EQ(list, Dims{3});
}

}  // namespace
}  // namespace skerry
