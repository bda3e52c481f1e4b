// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/cuda/row_split.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

// Tests, on the host, how CUDA's reductions of rows are split.

namespace skerry::native {
namespace {

/// Checks both ways to read rows: 16 bytes at a time, and item by item.
void check_rows(std::int64_t rows, std::int64_t length, std::int64_t itemsize) {
  for (const int vector : {static_cast<int>(16 / itemsize), 1}) {
    const int loads = 4;
    const RowSplit split(rows, length, itemsize, vector, loads);
    const std::string label = std::to_string(rows) + " x " + std::to_string(length);
    // Lanes of a row are neighbors in a warp, or a whole block.
    ASSERT_TRUE(std::has_single_bit(static_cast<unsigned>(split.lanes))) << label;
    ASSERT_TRUE(split.lanes <= RowSplit::warp || split.lanes == RowSplit::threads) << label;
    ASSERT_GE(split.parts * split.part_length, length) << label;
    ASSERT_LT((split.parts - 1) * split.part_length, length) << label;
    if (split.parts > 1) {
      ASSERT_EQ(split.part_length % (RowSplit::threads * vector * loads), 0) << label;
    }
    if (split.is_short) {
      ASSERT_GE(split.lanes * vector, length) << label;
    }
    ASSERT_LE(split.part_length / split.lanes, RowSplit::max_share) << label;
  }
}

TEST(cuda_row_split, gives_every_element_to_one_lane) {
  for (const std::int64_t itemsize : {1, 2, 4, 8, 16}) {
    for (const std::int64_t rows : {1, 2, 5, 1000, 8192, 1 << 20}) {
      for (std::int64_t length = 1; length < 40; ++length) check_rows(rows, length, itemsize);
      for (std::int64_t length = 64; length < (std::int64_t{1} << 30); length *= 2) {
        for (const std::int64_t more : {-1, 0, 1}) check_rows(rows, length + more, itemsize);
      }
    }
  }
}

TEST(cuda_row_split, second_pass_is_one_part) {
  for (std::int64_t parts = 1; parts < 20000; parts += 1 + parts / 7) {
    const RowSplit split = RowSplit::in_one_pass(3, parts, 24, 4);
    ASSERT_EQ(split.parts, 1);
    ASSERT_EQ(split.part_length, parts);
    ASSERT_TRUE(std::has_single_bit(static_cast<unsigned>(split.lanes))) << parts;
  }
}

}  // namespace
}  // namespace skerry::native
