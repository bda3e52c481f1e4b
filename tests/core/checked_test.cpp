// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/checked.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace skerry {
namespace {

TEST(checked, returns_the_result_where_it_fits) {
  EXPECT_EQ(checked_add(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_EQ(checked_subtract(INT64_MIN + 1, 1), INT64_MIN);
  EXPECT_EQ(checked_multiply(std::int64_t{1} << 31, std::int64_t{1} << 31), std::int64_t{1} << 62);
  EXPECT_EQ(checked_multiply(INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(checked_multiply(0, INT64_MAX), 0);
}

TEST(checked, is_empty_where_it_overflows) {
  EXPECT_EQ(checked_add(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checked_add(INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(checked_subtract(INT64_MIN, 1), std::nullopt);
  EXPECT_EQ(checked_subtract(0, INT64_MIN), std::nullopt);
  EXPECT_EQ(checked_multiply(std::int64_t{1} << 32, std::int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(checked_multiply(INT64_MIN, -1), std::nullopt);
}

}  // namespace
}  // namespace skerry
