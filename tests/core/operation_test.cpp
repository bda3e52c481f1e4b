// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/operation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "core/errors.hpp"

namespace skerry {
namespace {

TEST(operation, errors_begin_with_the_innermost_name_of_their_thread) {
  EXPECT_STREQ(ValueError("too long").what(), "too long") << "no operation is set";
  const OperationScope outer("sort");
  EXPECT_STREQ(ValueError("too long").what(), "sort: too long");
  {
    const OperationScope inner("take");
    EXPECT_STREQ(DeviceError("lost", Device{}, 1, true).what(), "take: lost");
    EXPECT_STREQ(OutOfMemoryError("full", Device{}, 1).what(), "take: full");
    EXPECT_STREQ(DeviceMismatchError("two", {}).what(), "take: two");
    std::string text;
    std::thread([&] { text = IndexError("elsewhere").what(); }).join();
    EXPECT_EQ(text, "elsewhere");
  }
  EXPECT_STREQ(AxisError("gone").what(), "sort: gone");
}

TEST(operation, is_restored_after_an_error) {
  const OperationScope outer("sort");
  try {
    const OperationScope inner("take");
    throw IndexError("9");
  } catch (const IndexError& error) {
    EXPECT_STREQ(error.what(), "take: 9");
    EXPECT_STREQ(current_operation(), "sort");
  }
}

}  // namespace
}  // namespace skerry
