// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/cuda/loop_split.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace skerry::native {
namespace {

TEST(cuda_loop_split, gives_every_element_to_one_thread) {
  for (const bool by_rows : {false, true}) {
    for (const std::int64_t retained_size : {1, 2, 3, 31, 1000}) {
      for (const std::int64_t length : {0, 1, 31, 128, 129, 130, 1000, 4097}) {
        const LoopSplit split(retained_size, length, by_rows);
        std::vector<int> visits(static_cast<std::size_t>(retained_size * length));
        for (std::int64_t thread = 0; thread < split.threads(); ++thread) {
          const LoopSplit::Share share = split.share_of(thread);
          ASSERT_LT(share.output_index, retained_size);
          ASSERT_LT(share.part_index, split.parts);
          ASSERT_EQ(
              share.output_index * split.retained_stride() + share.part_index * split.part_stride(),
              thread);
          for (std::int64_t j = share.part_index; j < length; j += split.parts) {
            ++visits[static_cast<std::size_t>(share.output_index * length + j)];
          }
        }
        for (const int count : visits) ASSERT_EQ(count, 1) << retained_size << " x " << length;
      }
    }
  }
}

TEST(cuda_loop_split, ends_in_one_part_with_bounded_shares) {
  for (const std::int64_t retained_size :
       {std::int64_t{1}, std::int64_t{7}, std::int64_t{1} << 20}) {
    for (std::int64_t length : {std::int64_t{1} << 33, std::int64_t{1000003}, std::int64_t{129}}) {
      int passes = 0;
      for (std::int64_t parts = 2; parts > 1; length = parts) {
        const LoopSplit split(retained_size, length, false);
        parts = split.parts;
        ASSERT_LE((length + parts - 1) / parts, LoopSplit::max_share);
        ASSERT_LT(parts, length);
        ASSERT_LT(++passes, 8);
      }
    }
  }
}

ReductionAxes make_axes(std::int64_t retained_size, std::int64_t retained_stride,
                        std::int64_t reduced, std::int64_t reduced_stride) {
  ReductionAxes axes{};
  axes.retained_size = retained_size;
  axes.reduced_size = reduced;
  axes.retained_rank = retained_size > 1;
  axes.reduced_rank = reduced > 1;
  axes.retained_shape[0] = retained_size;
  axes.retained_strides[0] = retained_stride;
  axes.reduced_shape[0] = reduced;
  axes.reduced_strides[0] = reduced_stride;
  return axes;
}

TEST(cuda_loop_split, distinguishes_layouts_of_reductions) {
  EXPECT_TRUE(has_contiguous_rows(make_axes(1, 0, 100, 4), 4));
  EXPECT_TRUE(has_contiguous_rows(make_axes(5, 404, 100, 4), 4));
  EXPECT_TRUE(has_contiguous_rows(make_axes(5, 4, 1, 0), 4));
  EXPECT_FALSE(has_contiguous_rows(make_axes(5, 4, 100, 20), 4));
  EXPECT_FALSE(has_contiguous_rows(make_axes(1, 0, 100, -4), 4));
  EXPECT_TRUE(has_contiguous_rows(make_axes(5, 0, 100, 4), 4));

  EXPECT_TRUE(prefers_rows(make_axes(5, 404, 100, -4)));
  EXPECT_TRUE(prefers_rows(make_axes(1, 0, 100, 40)));
  EXPECT_FALSE(prefers_rows(make_axes(5, 4, 100, 20)));
}

}  // namespace
}  // namespace skerry::native
