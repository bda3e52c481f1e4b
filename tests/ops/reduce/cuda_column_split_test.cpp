// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/cuda/column_split.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

// Tests, on the host, how CUDA's reductions along columns are split.

namespace skerry::native {
namespace {

const std::int64_t lengths[] = {1,   2,    3,    7,     8,       9,         127,
                                128, 1000, 4097, 65536, 1000003, 1LL << 24, 1LL << 33};

TEST(cuda_column_split, gives_every_element_to_one_thread) {
  for (const std::int64_t columns : {1, 2, 3, 5, 8, 25, 33, 64, 257, 100'000, 1 << 22}) {
    for (const std::int64_t length : lengths) {
      const ColumnSplit split(columns, length);
      const std::string label = std::to_string(length) + " x " + std::to_string(columns);
      ASSERT_TRUE(std::has_single_bit(static_cast<unsigned>(split.lanes))) << label;
      ASSERT_EQ(split.lanes * split.rows(), ColumnSplit::threads) << label;
      ASSERT_GE(split.blocks_wide() * split.lanes, columns) << label;
      ASSERT_GE(split.parts * split.part_length, length) << label;
      ASSERT_LT((split.parts - 1) * split.part_length, length) << label;
      if (split.parts > 1) {
        ASSERT_EQ(split.part_length % split.rows(), 0) << label;
      }
      ASSERT_LE(split.part_length, ColumnSplit::max_share * split.rows()) << label;
    }
  }
}

TEST(cuda_column_split, leaves_few_threads_without_a_column) {
  for (std::int64_t columns = 8; columns < 3000; ++columns) {
    const ColumnSplit split(columns, 100'000);
    ASSERT_LT(split.blocks_wide() * split.lanes - columns,
              columns <= 32 ? ColumnSplit::min_lanes : (columns + 3) / 4 + 1)
        << columns;
  }
}

TEST(cuda_column_split, needs_a_second_pass_only_to_fill_a_gpu) {
  EXPECT_GT(ColumnSplit(1, 1 << 24).parts, 500);
  EXPECT_GT(ColumnSplit(2048, 8192).parts, 8);
  EXPECT_EQ(ColumnSplit(1 << 20, 30'000).parts, 1);
  EXPECT_EQ(ColumnSplit(25, 100).parts, 1);
}

TEST(cuda_column_split, second_pass_is_one_part) {
  for (const std::int64_t columns : {1, 3, 4, 132, 8192}) {
    for (const std::int64_t parts : {2, 3, 64, 1024, 100'000}) {
      const ColumnSplit split = ColumnSplit::in_one_pass(columns, parts);
      ASSERT_EQ(split.parts, 1);
      ASSERT_EQ(split.part_length, parts);
      ASSERT_GE(split.blocks_wide() * split.lanes, columns);
      ASSERT_LE(split.lanes, ColumnSplit::min_lanes);
    }
  }
}

}  // namespace
}  // namespace skerry::native
