// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cuda/strided_traversal.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "ops/kernel/pointer_plan.hpp"

// Simulates all threads of a launch on the host. Each element of a plan must belong to one thread,
// and the thread must read the inputs at the plan's offsets, or from the tile that the block has
// copied.

namespace skerry::native {
namespace {

using traversal = StridedTraversal<3>;

/// Returns a plan of an output and two inputs; strides and item sizes are in bytes.
Plan plan_of(const std::vector<std::int64_t>& shape,
             const std::vector<std::vector<std::int64_t>>& strides,
             const std::vector<std::int64_t>& itemsize) {
  static char memory[1];
  PointerPlan plan;
  plan.operand_count = 3;
  plan.rank = static_cast<std::int32_t>(shape.size());
  for (std::size_t operand = 0; operand < 3; ++operand) {
    plan.data[operand] = memory;
    plan.itemsize[operand] = itemsize[operand];
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      plan.strides[operand][axis] = strides[operand][axis];
    }
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    plan.shape[axis] = shape[axis];
    plan.size *= shape[axis];
  }
  return plan;
}

/// The elements of a plan: a map from the output's offset to the inputs' offsets.
using elements = std::map<std::int64_t, std::vector<std::int64_t>>;

elements elements_of(const Plan& plan) {
  elements result;
  for (std::int64_t index = 0; index < plan.size; ++index) {
    std::int64_t offsets[3] = {};
    std::int64_t rest = index;
    for (int axis = 0; axis < plan.rank; ++axis) {
      for (int i = 0; i < 3; ++i) offsets[i] += rest % plan.shape[axis] * plan.strides[i][axis];
      rest /= plan.shape[axis];
    }
    result[offsets[0]] = {offsets[1], offsets[2]};
  }
  return result;
}

/// The tile of an input that a block copies: a map from offsets in shared memory to the input's.
template <int Operand>
std::map<std::int64_t, std::int64_t> tile_of(const traversal& over, const Plan& plan,
                                             std::uint32_t block) {
  std::map<std::int64_t, std::int64_t> tile;
  if (over.pitch[Operand] == 0) return tile;
  for (std::uint32_t thread = 0; thread < traversal::block_threads; ++thread) {
    const auto copied = over.copies<Operand>(over.locate(block, thread), thread);
    std::int64_t source = copied.source_offset;
    std::int64_t tile_offset = copied.shared_offset;
    for (std::uint32_t i = copied.items.position; i < copied.items.end; i += over.lines()) {
      EXPECT_TRUE(tile.emplace(tile_offset, source).second) << "two items at " << tile_offset;
      EXPECT_LE(tile_offset + plan.itemsize[Operand], over.shared_bytes);
      EXPECT_GE(tile_offset, over.tile_begin[Operand]);
      source += static_cast<std::int64_t>(over.lines()) * over.along_fast[Operand];
      tile_offset += static_cast<std::int64_t>(over.lines()) * over.pitch[Operand];
    }
  }
  return tile;
}

void traverse_block(const traversal& over, const Plan& plan, std::uint32_t block,
                    elements& visited_elements) {
  const std::map<std::int64_t, std::int64_t> tiles[] = {
      {}, tile_of<1>(over, plan, block), tile_of<2>(over, plan, block)};
  for (std::uint32_t thread = 0; thread < traversal::block_threads; ++thread) {
    auto here = over.locate(block, thread);
    auto [position, end] = over.deal(here, block, thread);
    std::int64_t offsets[] = {here.byte_offsets[0], here.byte_offsets[1], here.byte_offsets[2]};
    for (; position < end; position += over.step) {
      std::vector<std::int64_t> inputs;
      for (int i = 1; i < 3; ++i) {
        inputs.push_back(over.pitch[i] != 0 ? tiles[i].at(offsets[i]) : offsets[i]);
      }
      EXPECT_TRUE(visited_elements.emplace(offsets[0], inputs).second) << "twice: " << offsets[0];
      for (int i = 0; i < 3; ++i) offsets[i] += over.steps[i];
    }
  }
}

traversal expect_all_elements(const Plan& plan) {
  traversal over;
  EXPECT_TRUE(over.assign(plan));
  elements visited_elements;
  for (std::uint32_t block = 0; block < over.blocks(); ++block) {
    traverse_block(over, plan, block, visited_elements);
  }
  EXPECT_EQ(visited_elements, elements_of(plan));
  return over;
}

TEST(cuda_strided_walk, gives_each_element_to_one_thread) {
  const std::vector<std::int64_t> four(3, 4);
  expect_all_elements(plan_of({}, {{}, {}, {}}, four));
  for (const std::int64_t n : {1, 2, 7, 8, 9, 127, 128, 129, 255, 256, 257, 1023, 1025, 5000}) {
    expect_all_elements(plan_of({n}, {{4}, {-8}, {0}}, four));
    expect_all_elements(plan_of({n, 3}, {{4, 4 * n}, {0, 4}, {8, 0}}, four));
    expect_all_elements(plan_of({3, n}, {{4, 12}, {4, 0}, {0, 8}}, four));
    expect_all_elements(plan_of({2, n, 3}, {{4, 8, 8 * n}, {4, 0, 8}, {0, -4, 0}}, four));
  }
}

TEST(cuda_strided_walk, reads_a_broadcast_row_once_per_thread) {
  const std::int64_t row = 4 * 300;
  const auto over = expect_all_elements(
      plan_of({300, 64, 5}, {{4, row, 64 * row}, {4, row, 64 * row}, {4, 0, row}}, {4, 4, 4}));
  EXPECT_EQ(over.steps[2], 0);
  EXPECT_NE(over.steps[1], 0);
}

TEST(cuda_strided_walk, copies_tiles_of_transposed_inputs) {
  for (const std::int64_t item : {1, 2, 4, 8, 16}) {
    for (const std::int64_t n : {16, 31, 32, 33, 63, 64, 65}) {
      for (const std::int64_t m : {16, 32, 65}) {
        const auto over = expect_all_elements(plan_of(
            {n, m}, {{item, n * item}, {item, n * item}, {m * item, -item}}, {item, item, item}));
        EXPECT_EQ(over.pitch[1], 0);
        EXPECT_NE(over.pitch[2], 0);
        EXPECT_EQ(over.pitch[2] % item, 0);
      }
    }
  }
}

TEST(cuda_strided_walk, copies_tiles_between_other_axes) {
  const auto over = expect_all_elements(
      plan_of({40, 3, 35}, {{8, 320, 960}, {3 * 35, 35, 1}, {35 * 24, 8, 24}}, {8, 1, 8}));
  EXPECT_NE(over.pitch[1], 0);
  EXPECT_EQ(over.pitch[2], 0);
  // Both have items of 16 bytes and take a third of a block's shared memory each.
  const auto both = expect_all_elements(
      plan_of({33, 17}, {{16, 33 * 16}, {17 * 16, 16}, {-18 * 16, 16}}, {16, 16, 16}));
  EXPECT_NE(both.pitch[1], 0);
  EXPECT_NE(both.pitch[2], 0);
  EXPECT_LE(both.shared_bytes, traversal::max_shared_bytes);
}

TEST(cuda_strided_walk, uses_no_tiles_for_short_axes_or_contiguous_rows) {
  const auto has_tiles = [](const Plan& plan) {
    traversal over;
    EXPECT_TRUE(over.assign(plan));
    return over.has_tiles();
  };
  EXPECT_FALSE(has_tiles(plan_of({15, 99}, {{4, 60}, {396, 4}, {396, 4}}, {4, 4, 4})));
  EXPECT_FALSE(has_tiles(plan_of({99, 15}, {{4, 396}, {60, 4}, {60, 4}}, {4, 4, 4})));
  EXPECT_FALSE(has_tiles(plan_of({99, 99}, {{4, 396}, {-4, 396}, {4, 0}}, {4, 4, 4})));
  EXPECT_FALSE(has_tiles(plan_of({99, 99}, {{4, 396}, {0, 4}, {8, 800}}, {4, 4, 4})));
}

TEST(cuda_strided_walk, rejects_plans_beyond_32_bit_indexing) {
  traversal over;
  EXPECT_FALSE(over.assign(plan_of({2, 2}, {{4, 8}, {4, index_limit_32bit}, {0, 0}}, {4, 4, 4})));
}

// Steps are a whole number of sectors, and offsets fit 32 bits.
TEST(cuda_strided_walk, walks_the_longest_axes) {
  const std::int64_t n = index_limit_32bit - 1;
  traversal over;
  ASSERT_TRUE(over.assign(plan_of({n}, {{1}, {-1}, {0}}, {1, 1, 1})));
  EXPECT_EQ(over.step % 32, 0U);
  EXPECT_GE(static_cast<std::int64_t>(over.step) * traversal::share, n);
  const auto last = over.step - 1;
  auto here = over.locate(last / traversal::block_threads, last % traversal::block_threads);
  const auto last_elements =
      over.deal(here, last / traversal::block_threads, last % traversal::block_threads);
  EXPECT_EQ(last_elements.position, last);
  EXPECT_EQ(here.byte_offsets[1], -static_cast<std::int64_t>(last));
}

}  // namespace
}  // namespace skerry::native
