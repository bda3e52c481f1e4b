// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/reduction.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace skerry::emulation::nccl {

namespace {

enum Type { int8 = 0, int32 = 2, int64 = 4, float16 = 6, float32 = 7, bfloat16 = 9 };
enum Operation { sum, prod, max, min, average };

template <class T>
std::vector<T> reduce(const std::vector<std::vector<T>>& inputs, Reduction reduction) {
  if (reduction.order.empty()) {
    reduction.order.resize(inputs.size());
    std::iota(reduction.order.begin(), reduction.order.end(), 0);
  }
  std::vector<T> result(inputs[0].size());
  reduce_range(
      reduction,
      [&](int rank, std::size_t first, std::size_t) {
        return inputs[static_cast<std::size_t>(rank)].data() + first;
      },
      0, result.size(), result.data());
  return result;
}

TEST(Reduction, integers_wrap_around) {
  const std::vector<std::vector<std::int8_t>> inputs = {{127, -128, 5}, {1, -1, 7}};
  EXPECT_EQ(reduce(inputs, {.type = int8, .operation = sum}),
            (std::vector<std::int8_t>{-128, 127, 12}));
  EXPECT_EQ(reduce(inputs, {.type = int8, .operation = prod}),
            (std::vector<std::int8_t>{127, -128, 35}));
}

TEST(Reduction, an_average_of_integers_is_truncated) {
  const std::vector<std::vector<std::int32_t>> inputs = {{7, -7}, {0, 0}};
  EXPECT_EQ(reduce(inputs, {.type = int32, .operation = average}),
            (std::vector<std::int32_t>{3, -3}));
}

TEST(Reduction, a_number_wins_over_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> inputs = {{nan, 2}, {1, nan}};
  EXPECT_EQ(reduce(inputs, {.type = float32, .operation = max}), (std::vector<float>{1, 2}));
  EXPECT_EQ(reduce(inputs, {.type = float32, .operation = min}), (std::vector<float>{1, 2}));
}

TEST(Reduction, ranks_are_reduced_in_the_requested_order) {
  const std::vector<std::vector<float>> inputs = {{1e8F}, {1}, {-1e8F}};
  EXPECT_EQ(reduce(inputs, {.type = float32, .operation = sum})[0], 0);
  EXPECT_EQ(reduce(inputs, {.type = float32, .operation = sum, .order = {0, 2, 1}})[0], 1);
}

TEST(Reduction, halves_are_rounded_once_or_after_each_rank) {
  // 2048 + 1 rounds to 2048 in float16.
  const std::vector<std::vector<std::uint16_t>> inputs = {{0x6800}, {0x3c00}, {0x3c00}};
  Reduction reduction{.type = float16, .operation = sum};
  EXPECT_EQ(reduce(inputs, reduction)[0], 0x6801);
  reduction.rounds_partial_results = true;
  EXPECT_EQ(reduce(inputs, reduction)[0], 0x6800);
}

TEST(Reduction, bfloat16_is_rounded_to_nearest_even) {
  // 1 + 2^-8 lies between two numbers; 1 + 3 * 2^-8 too.
  const std::vector<std::vector<std::uint16_t>> inputs = {{0x3f80, 0x3f81}, {0x3b80, 0x3b80}};
  EXPECT_EQ(reduce(inputs, {.type = bfloat16, .operation = sum}),
            (std::vector<std::uint16_t>{0x3f80, 0x3f82}));
}

TEST(Reduction, a_premultiplied_sum_keeps_all_bits_of_its_factor) {
  const std::int64_t factor = (std::int64_t{1} << 60) + 1;
  Reduction reduction{.type = int64, .operation = premultiplied_sum};
  std::memcpy(reduction.factor.data(), &factor, sizeof factor);
  const std::vector<std::vector<std::int64_t>> inputs = {{3}, {4}};
  EXPECT_EQ(reduce(inputs, reduction)[0], 7 * factor);
}

TEST(Reduction, float8_is_not_reduced) {
  EXPECT_TRUE(can_reduce(bfloat16));
  EXPECT_FALSE(can_reduce(10));
  EXPECT_FALSE(can_reduce(-1));
}

}  // namespace

}  // namespace skerry::emulation::nccl
