// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cuda/offset.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "ops/kernel/pointer_plan.hpp"

// Compares the index arithmetic of the CUDA kernels with plain division, on the host.

namespace skerry::native {
namespace {

constexpr std::int64_t two_31 = std::int64_t{1} << 31;

template <class Word>
std::vector<Word> words_near_edges(int bits) {
  std::vector<Word> words;
  for (int bit = 0; bit <= bits; ++bit) {
    const Word power = Word{1} << bit;
    for (const Word word : {power - 1, power, power + 1, Word(power + power / 3)}) {
      if (word < (Word{1} << bits)) words.push_back(word);
    }
  }
  return words;
}

template <class Word>
void expect_quotients(int bits, int random_count) {
  std::mt19937_64 random(1994);
  auto divisors = words_near_edges<Word>(bits);
  auto dividends = divisors;
  for (int i = 0; i < random_count; ++i) {
    const auto mask = (Word{1} << bits) - 1;
    divisors.push_back((static_cast<Word>(random()) & mask) >> (random() % bits));
    dividends.push_back((static_cast<Word>(random()) & mask) >> (random() % bits));
  }
  for (const Word divisor : divisors) {
    if (divisor == 0) continue;
    const FastDivider<Word> divider(divisor);
    for (const Word n : dividends) {
      ASSERT_EQ(divider.quotient(n), n / divisor) << n << " / " << divisor;
      const auto both = divider.divide(static_cast<std::int64_t>(n));
      ASSERT_EQ(static_cast<Word>(both.quotient), n / divisor);
      ASSERT_EQ(static_cast<Word>(both.remainder), n % divisor);
    }
    // A wrong magic number first shows next to multiples of the divisor.
    const Word max_quotient = ((Word{1} << bits) - 1) / divisor;
    for (const Word multiple : {Word{1}, Word(max_quotient / 2 + 1), max_quotient}) {
      const Word n = multiple * divisor;
      ASSERT_EQ(divider.quotient(n), multiple) << n << " / " << divisor;
      ASSERT_EQ(divider.quotient(n - 1), (n - 1) / divisor) << n - 1 << " / " << divisor;
    }
  }
}

TEST(cuda_offset, fast_divider_agrees_with_division_in_32_bits) {
  expect_quotients<std::uint32_t>(31, 300);
}

TEST(cuda_offset, fast_divider_agrees_with_division_in_64_bits) {
  expect_quotients<std::uint64_t>(63, 300);
}

/// Returns the byte offset of element `index`, axis 0 fastest.
std::int64_t reference_offset(std::int64_t index, int rank, const std::int64_t* shape,
                              const std::int64_t* strides) {
  std::int64_t bytes = 0;
  for (int axis = 0; axis < rank; ++axis) {
    bytes += index % shape[axis] * strides[axis];
    index /= shape[axis];
  }
  return bytes;
}

/// Returns all indices of a small range; of a large one, the first, the last and some others.
std::vector<std::int64_t> sample(std::int64_t size) {
  std::vector<std::int64_t> indices;
  const std::int64_t step = size <= 5000 ? 1 : size / 5000;
  for (std::int64_t index = 0; index < size; index += step) indices.push_back(index);
  indices.push_back(size - 1);
  return indices;
}

Plan make_plan(const std::vector<std::int64_t>& shape,
               const std::vector<std::vector<std::int64_t>>& strides) {
  PointerPlan plan;
  plan.operand_count = static_cast<std::int32_t>(strides.size());
  plan.rank = static_cast<std::int32_t>(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    plan.shape[axis] = shape[axis];
    plan.size *= shape[axis];
    for (std::size_t operand = 0; operand < strides.size(); ++operand) {
      plan.strides[operand][axis] = strides[operand][axis];
    }
  }
  return plan;
}

void expect_offsets(const Plan& operands) {
  StridedOffsets<2> offsets;
  ASSERT_TRUE(offsets.assign(operands));
  for (const std::int64_t index : sample(operands.size)) {
    std::int32_t operand_offsets[2];
    offsets.locate(static_cast<std::uint32_t>(index), operand_offsets);
    for (int operand = 0; operand < 2; ++operand) {
      ASSERT_EQ(operand_offsets[operand],
                reference_offset(index, operands.rank, operands.shape, operands.strides[operand]))
          << "operand " << operand << ", index " << index << " of " << operands.size;
    }
  }
}

TEST(cuda_offset, strided_offsets_of_every_rank) {
  expect_offsets(make_plan({}, {{}, {}}));
  expect_offsets(make_plan({1000}, {{4}, {-8}}));
  expect_offsets(make_plan({31, 33}, {{8, 31 * 8}, {33 * 8, 8}}));
  expect_offsets(make_plan({7, 1, 5}, {{1, 0, 7}, {0, 0, 3}}));
  expect_offsets(make_plan({2, 3, 2, 3, 2, 3, 2, 3}, {{4, 8, 24, 48, 144, 288, 864, 1728},
                                                      {0, -4, 12, 0, -24, 48, 144, -288}}));
}

TEST(cuda_offset, strided_offsets_up_to_the_32_bit_limit) {
  expect_offsets(make_plan({two_31 - 1}, {{1}, {-1}}));
  expect_offsets(make_plan({46340, 46340}, {{1, 46340}, {46340, 1}}));
  expect_offsets(make_plan({65537, 32767}, {{1, 65537}, {-1, -65537}}));
  expect_offsets(make_plan({2, two_31 / 4}, {{4, 0}, {2, 4}}));
  expect_offsets(make_plan({2, 2}, {{two_31 - 2, 1}, {-(two_31 - 2), -1}}));
}

TEST(cuda_offset, strided_offsets_reject_plans_beyond_32_bit_indexing) {
  StridedOffsets<1> offsets;
  EXPECT_FALSE(offsets.assign(make_plan({two_31}, {{0}})));
  EXPECT_FALSE(offsets.assign(make_plan({3}, {{two_31 / 2}})));
  EXPECT_FALSE(offsets.assign(make_plan({2}, {{two_31}})));
  EXPECT_FALSE(offsets.assign(make_plan({2, 2}, {{-(two_31 - 1), 1}})));
}

TEST(cuda_offset, axis_offsets_of_any_size) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {}, {129}, {5, 7}, {3, 1, 4, 1, 5}, {2, 3, 2, 3, 2, 3, 2, 3}, {100003, 99991}};
  for (const auto& shape : shapes) {
    std::vector<std::int64_t> strides;
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) {
      strides.push_back(strides.size() % 2 == 1 ? -16 * size : 16 * size);
      size *= extent;
    }
    const auto rank = static_cast<std::int32_t>(shape.size());
    const AxisOffsets offsets(rank, shape.data(), strides.data());
    for (const std::int64_t index : sample(size)) {
      ASSERT_EQ(offsets.offset(index), reference_offset(index, rank, shape.data(), strides.data()))
          << index;
    }
  }
}

}  // namespace
}  // namespace skerry::native
