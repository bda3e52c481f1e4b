// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ops/kernel/pointer_plan.hpp"
#include "tests/core/index_traversal.hpp"

namespace skerry {
namespace {

using namespace testing_traversal;

/// Addresses of the operands for one element; 0 for a value.
using addresses = std::array<std::int64_t, Plan::max_operands>;

/// A plan's arguments with fake memory: operand k starts at address (k + 1) * 2^40, so that
/// addresses of different operands never collide.
struct PlanSetup {
  Dims shape;
  std::vector<Layout> layouts;  ///< output first
  std::vector<std::int64_t> itemsizes;
  std::vector<bool> by_value;

  PlanSetup(Dims full, std::vector<Layout> arrays, std::int64_t itemsize = 4)
      : shape(std::move(full)),
        layouts(std::move(arrays)),
        itemsizes(layouts.size(), itemsize),
        by_value(layouts.size(), false) {}

  static std::int64_t origin(std::size_t operand) {
    return static_cast<std::int64_t>(operand + 1) << 40;
  }
  [[nodiscard]] std::vector<PlanOperand> operands() const {
    std::vector<PlanOperand> result;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (by_value[i]) {
        result.push_back(PlanOperand::from_element(Element::from_value(float(i)), itemsizes[i]));
      } else {
        const auto address = static_cast<std::uintptr_t>(origin(i) + layouts[i].offset);
        result.push_back({.data = reinterpret_cast<const char*>(address),
                          .layout = &layouts[i],
                          .itemsize = itemsizes[i]});
      }
    }
    return result;
  }
  [[nodiscard]] PlanParts parts(std::int64_t limit = INT64_MAX) const {
    return PointerPlan::parts(shape, operands(), limit);
  }

  /// Returns the addresses by the definition of broadcasting, index by index.
  [[nodiscard]] std::vector<addresses> expected() const {
    std::vector<addresses> result;
    for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
      addresses row{};
      for (std::size_t i = 0; i < layouts.size(); ++i) {
        if (by_value[i]) continue;
        const Layout& layout = layouts[i];
        std::vector<std::int64_t> own_index(index.end() - layout.rank(), index.end());
        for (int axis = 0; axis < layout.rank(); ++axis) {
          if (layout.shape[axis] == 1) own_index[static_cast<std::size_t>(axis)] = 0;
        }
        row[i] = origin(i) + offset_of(layout, own_index);
      }
      result.push_back(row);
    });
    std::sort(result.begin(), result.end());
    return result;
  }
};

/// Reads a plan as a kernel does, element by element with div and mod.
void append(const Plan& plan, std::vector<addresses>& result) {
  for (std::int64_t element = 0; element < plan.size; ++element) {
    addresses row{};
    for (int i = 0; i < plan.operand_count; ++i) {
      if (plan.is_value(i)) continue;
      std::int64_t rest = element;
      std::int64_t offset = 0;
      for (int axis = 0; axis < plan.rank; ++axis) {
        offset += rest % plan.shape[axis] * plan.strides[i][axis];
        rest /= plan.shape[axis];
      }
      row[static_cast<std::size_t>(i)] = reinterpret_cast<std::intptr_t>(plan.data[i]) + offset;
    }
    result.push_back(row);
  }
}

/// Checks the guarantees that every part gives to kernels.
void check_invariants(const Plan& plan, std::int64_t limit) {
  ASSERT_GE(plan.size, 1);
  ASSERT_LE(plan.rank, Plan::max_axes);
  std::int64_t size = 1;
  for (int axis = 0; axis < plan.rank; ++axis) {
    size *= plan.shape[axis];
    ASSERT_GT(plan.strides[0][axis], 0);
    if (axis > 0) {
      ASSERT_GE(plan.strides[0][axis], plan.strides[0][axis - 1]);
    }
  }
  ASSERT_EQ(plan.size, size);
  bool unit = plan.rank <= 1;
  for (int i = 0; i < plan.operand_count; ++i) {
    unit = unit && !plan.is_value(i) && (plan.rank == 0 || plan.strides[i][0] == plan.itemsize[i]);
    if (plan.is_value(i) || plan.size == 1) continue;
    std::int64_t nbytes = plan.itemsize[i];
    for (int axis = 0; axis < plan.rank; ++axis) {
      nbytes += (plan.shape[axis] - 1) * std::abs(plan.strides[i][axis]);
    }
    ASSERT_LT(nbytes, limit);
    ASSERT_LT(plan.size, limit);
  }
  ASSERT_EQ(plan.contiguous, unit);
}

void check_against_oracle(const PlanSetup& setup, std::int64_t limit = INT64_MAX) {
  SCOPED_TRACE("shape " + to_string(setup.shape) + " limit " + std::to_string(limit));
  PlanParts parts = setup.parts(limit);
  const std::vector<addresses> expected = setup.expected();
  for (int round = 0; round < 2; ++round) {  // for_each restores the parts
    std::vector<addresses> visited;
    std::int64_t count = 0;
    parts.for_each([&](const Plan& plan) {
      ++count;
      check_invariants(plan, limit);
      append(plan, visited);
    });
    ASSERT_EQ(count, parts.count());
    ASSERT_EQ(parts.empty(), expected.empty());
    std::sort(visited.begin(), visited.end());
    ASSERT_EQ(visited, expected);
  }
}

/// Returns an input of a random shape that broadcasts to `shape`.
Layout random_input(random_source& random, const Dims& shape, std::int64_t itemsize) {
  Dims own_shape = shape;
  for (std::int64_t& n : own_shape) n = between(random, 0, 3) == 0 ? 1 : n;
  while (own_shape.rank() > 0 && own_shape[0] == 1 && between(random, 0, 1) == 0)
    own_shape.erase(0);
  return random_layout(random, own_shape, itemsize, true);
}

PlanSetup random_setup(random_source& random, const Dims& shape) {
  const std::int64_t itemsizes[] = {1, 2, 4, 8, 16};
  const auto operand_count = static_cast<std::size_t>(between(random, 1, Plan::max_operands));
  PlanSetup result(shape, {});
  for (std::size_t i = 0; i < operand_count; ++i) {
    const std::int64_t itemsize = itemsizes[between(random, 0, 4)];
    result.itemsizes.push_back(itemsize);
    const bool same_order = between(random, 0, 2) == 0;
    result.layouts.push_back(i == 0       ? random_layout(random, shape, itemsize, false)
                             : same_order ? dense_layout_like(result.layouts[0], itemsize)
                                          : random_input(random, shape, itemsize));
    result.by_value.push_back(i > 0 && between(random, 0, 5) == 0);
  }
  return result;
}

TEST(plan_parts, visit_every_element_of_random_layouts_once) {
  random_source random(8);
  for (int i = 0; i < 3000 && !testing::Test::HasFatalFailure(); ++i) {
    const int rank = static_cast<int>(between(random, 0, 5));
    const Dims shape = random_shape(random, rank, between(random, 0, 9) == 0 ? 0 : 1, 4);
    check_against_oracle(random_setup(random, shape));
  }
}

TEST(plan_parts, visit_every_element_once_below_any_limit) {
  random_source random(9);
  for (int i = 0; i < 3000 && !testing::Test::HasFatalFailure(); ++i) {
    const int rank = static_cast<int>(between(random, 0, 4));
    const Dims shape = random_shape(random, rank, between(random, 0, 9) == 0 ? 0 : 1, 5);
    const std::int64_t limits[] = {1, 2, 3, 17, 33, 64, 100, 257, 1000};
    check_against_oracle(random_setup(random, shape), limits[between(random, 0, 8)]);
  }
}

TEST(plan_parts, visit_every_element_of_many_axes_of_size_two) {
  random_source random(10);
  for (const int rank : {8, 9, 10, 12}) {
    for (int i = 0; i < 10 && !testing::Test::HasFatalFailure(); ++i) {
      const PlanSetup setup = random_setup(random, Dims(rank, 2));
      check_against_oracle(setup);
      check_against_oracle(setup, 200);
    }
  }
}

TEST(plan_parts, coalesce_twenty_axes_in_c_order_into_one) {
  const Dims shape(20, 2);
  const PlanSetup setup(shape, {c_layout(shape, 4), c_layout(shape, 4)});
  const PlanParts parts = setup.parts();
  EXPECT_EQ(parts.count(), 1);
  EXPECT_EQ(parts.first().rank, 1);
  EXPECT_EQ(parts.first().shape[0], 1 << 20);
  EXPECT_TRUE(parts.first().contiguous);
}

/// The input has the axes of the output in reverse order, so that nothing coalesces.
PlanSetup reversed(int rank) {
  const Dims shape(rank, 2);
  Layout backwards = c_layout(shape, 4);
  std::reverse(backwards.strides.begin(), backwards.strides.end());
  return {shape, {c_layout(shape, 4), backwards}};
}

TEST(plan_parts, loop_over_axes_beyond_eight) {
  check_against_oracle(reversed(20 - 6));
  PlanParts parts = reversed(20).parts();
  EXPECT_EQ(parts.first().rank, Plan::max_axes);
  EXPECT_EQ(parts.count(), 1 << 12);
  std::int64_t elements = 0;
  std::int64_t input_addresses = 0;
  parts.for_each([&](const Plan& plan) {
    elements += plan.size;
    input_addresses += reinterpret_cast<std::intptr_t>(plan.data[1]) - PlanSetup::origin(1);
  });
  EXPECT_EQ(elements, 1 << 20);
  // Twelve axes are looped over: those with strides 4, 8, …, 2^13 in the input, each at index 1
  // half of the time.
  EXPECT_EQ(input_addresses, (std::int64_t{1} << 11) * (4 * ((1 << 12) - 1)));
}

TEST(plan_parts, plan_thirty_and_sixty_four_axes) {
  const PlanParts thirty = reversed(30).parts();
  EXPECT_EQ(thirty.count(), std::int64_t{1} << 22);
  EXPECT_EQ(thirty.first().size, 256);
  const PlanSetup ones(Dims(64, 1), {c_layout(Dims(64, 1), 4), c_layout(Dims(64, 1), 4)});
  check_against_oracle(ones);
  EXPECT_EQ(ones.parts().first().rank, 0);
  Dims some(64, 1);
  for (int axis = 0; axis < 64; axis += 6) some[axis] = 2;
  Layout backwards = c_layout(some, 4);
  std::reverse(backwards.strides.begin(), backwards.strides.end());
  backwards.shape = some;
  Layout fitting = c_layout(some, 4);
  std::int64_t stride = 4;
  for (int axis = 0; axis < 64; ++axis) {
    fitting.strides[axis] = stride;
    stride *= some[axis];
  }
  check_against_oracle({some, {c_layout(some, 4), fitting}});
}

TEST(plan_parts, empty_shape_has_no_parts) {
  for (const Dims& shape : {Dims{0}, Dims{3, 0}, Dims{0, 0, 2}}) {
    PlanParts parts = PlanSetup(shape, {c_layout(shape, 4), c_layout(shape, 4)}).parts(16);
    EXPECT_TRUE(parts.empty());
    EXPECT_EQ(parts.count(), 0);
    parts.for_each([](const Plan&) { ADD_FAILURE(); });
  }
}

TEST(plan_parts, one_element_has_rank_zero) {
  const PlanParts parts =
      PlanSetup(Dims{1, 1}, {c_layout(Dims{1, 1}, 4), c_layout(Dims{}, 4)}).parts();
  EXPECT_EQ(parts.first().rank, 0);
  EXPECT_EQ(parts.first().size, 1);
  EXPECT_TRUE(parts.first().contiguous);
}

TEST(plan_parts, flatten_operands_that_share_any_dense_order) {
  const Dims shape{2, 3, 4};
  const Layout fortran{shape, Dims{4, 8, 24}, 0};
  const Plan plan = PlanSetup(shape, {fortran, fortran}).parts().first();
  EXPECT_EQ(plan.rank, 1);
  EXPECT_EQ(plan.shape[0], 24);
  EXPECT_TRUE(plan.contiguous);
}

TEST(plan_parts, order_axes_by_the_output) {
  const Dims shape{2, 3};
  const Plan plan = PlanSetup(shape, {{shape, Dims{4, 8}, 0}, c_layout(shape, 4)}).parts().first();
  ASSERT_EQ(plan.rank, 2);
  EXPECT_EQ(plan.shape[0], 2);
  EXPECT_EQ(plan.shape[1], 3);
  EXPECT_EQ(plan.strides[0][0], 4);
  EXPECT_EQ(plan.strides[0][1], 8);
  EXPECT_EQ(plan.strides[1][0], 12);
  EXPECT_EQ(plan.strides[1][1], 4);
  EXPECT_FALSE(plan.contiguous);
}

TEST(plan_parts, flip_axes_with_a_negative_output_stride) {
  const Layout backwards{Dims{5}, Dims{-4}, 16};
  const Plan both = PlanSetup(Dims{5}, {backwards, backwards}).parts().first();
  EXPECT_TRUE(both.contiguous);
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(both.data[0]), PlanSetup::origin(0));
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(both.data[1]), PlanSetup::origin(1));
  const Plan one = PlanSetup(Dims{5}, {backwards, c_layout(Dims{5}, 4)}).parts().first();
  EXPECT_EQ(one.strides[0][0], 4);
  EXPECT_EQ(one.strides[1][0], -4);
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(one.data[1]), PlanSetup::origin(1) + 16);
}

TEST(plan_parts, coalesce_axes_that_every_operand_traverses_as_one) {
  const Dims shape{2, 3, 4};
  const Layout row{Dims{4}, Dims{4}, 0};
  const Plan with_row = PlanSetup(shape, {c_layout(shape, 4), row}).parts().first();
  ASSERT_EQ(with_row.rank, 2);  // (6, 4): the row repeats over both outer axes
  EXPECT_EQ(with_row.shape[0], 4);
  EXPECT_EQ(with_row.shape[1], 6);
  EXPECT_EQ(with_row.strides[1][1], 0);
  const Layout column{Dims{2, 1, 1}, Dims{4, 4, 4}, 0};
  const Plan with_column = PlanSetup(shape, {c_layout(shape, 4), column}).parts().first();
  ASSERT_EQ(with_column.rank, 2);
  EXPECT_EQ(with_column.shape[0], 12);
  EXPECT_EQ(with_column.shape[1], 2);
  EXPECT_EQ(with_column.strides[1][0], 0);
  EXPECT_EQ(with_column.strides[1][1], 4);
  const Layout strided_layout{shape, Dims{96, 32, 8}, 0};  // 8-byte steps: x[..., ::2]
  const Plan with_step = PlanSetup(shape, {c_layout(shape, 4), strided_layout}).parts().first();
  EXPECT_EQ(with_step.rank, 1);
  EXPECT_EQ(with_step.strides[1][0], 8);
  EXPECT_FALSE(with_step.contiguous);
}

TEST(plan, of_a_contiguous_run_equals_the_plan_of_plan_parts) {
  for (const Dims& shape : {Dims{3, 4}, Dims{1, 1}}) {
    PlanSetup setup(shape, {c_layout(shape, 1), c_layout(shape, 8), c_layout(shape, 8)});
    setup.itemsizes = {1, 8, 8};
    for (const bool by_value : {false, true}) {
      setup.by_value[2] = by_value;
      const Plan expected = setup.parts().first();
      PointerPlan contiguous_plan(expected.size);
      contiguous_plan.add(expected.data[0], 1);
      contiguous_plan.add(expected.data[1], 8);
      if (by_value) {
        contiguous_plan.add(expected.values[2], 8);
      } else {
        contiguous_plan.add(expected.data[2], 8);
      }
      EXPECT_EQ(contiguous_plan.operand_count, expected.operand_count);
      EXPECT_EQ(contiguous_plan.rank, expected.rank);
      EXPECT_EQ(contiguous_plan.size, expected.size);
      EXPECT_EQ(contiguous_plan.contiguous, expected.contiguous);
      for (int i = 0; i < contiguous_plan.operand_count; ++i) {
        EXPECT_EQ(contiguous_plan.data[i], expected.data[i]);
        EXPECT_EQ(contiguous_plan.itemsize[i], expected.itemsize[i]);
        if (contiguous_plan.rank == 1) {
          EXPECT_EQ(contiguous_plan.shape[0], expected.shape[0]);
          EXPECT_EQ(contiguous_plan.strides[i][0], expected.strides[i][0]);
        }
      }
      if (by_value) {
        EXPECT_EQ(contiguous_plan.values[2].as<float>(), 2.0F);
      }
    }
  }
}

TEST(plan_parts, keep_elements_by_value_inside_the_plan) {
  const Layout layout = c_layout(Dims{3, 4}, 4);
  const std::vector<PlanOperand> operands{
      {.data = reinterpret_cast<const char*>(64), .layout = &layout, .itemsize = 4},
      PlanOperand::from_element(Element::from_value(2.5F), 4)};
  const PlanParts parts = PointerPlan::parts(layout.shape, operands);
  const Plan& plan = parts.first();
  EXPECT_FALSE(plan.is_value(0));
  ASSERT_TRUE(plan.is_value(1));
  EXPECT_EQ(plan.rank, 1);
  EXPECT_EQ(plan.strides[1][0], 0);
  EXPECT_FALSE(plan.contiguous);
  EXPECT_EQ(plan.values[1].as<float>(), 2.5F);
  const Plan copy = plan;
  EXPECT_EQ(copy.base(1), reinterpret_cast<const char*>(&copy.values[1]));
}

TEST(plan_parts, are_contiguous_for_contiguous_operands_of_different_item_sizes) {
  PlanSetup setup(Dims{3, 4}, {c_layout(Dims{3, 4}, 1), c_layout(Dims{3, 4}, 8)});
  setup.itemsizes = {1, 8};
  const Plan plan = setup.parts().first();
  EXPECT_TRUE(plan.contiguous);
  EXPECT_EQ(plan.strides[0][0], 1);
  EXPECT_EQ(plan.strides[1][0], 8);
}

TEST(plan_parts, split_at_the_limit_and_not_below) {
  const Dims shape{100};
  const PlanSetup setup(shape, {c_layout(shape, 4), c_layout(shape, 4)});
  EXPECT_EQ(setup.parts(401).count(), 1);
  EXPECT_EQ(setup.parts(400).count(), 2);
  EXPECT_EQ(setup.parts(400).first().shape[0], 50);
  EXPECT_TRUE(setup.parts(400).first().contiguous);
  // Elements count too, even if all have one address.
  const PlanSetup repeated(shape, {{shape, Dims{0}, 0}});
  EXPECT_EQ(repeated.parts(101).count(), 1);
  EXPECT_EQ(repeated.parts(100).count(), 2);
}

TEST(plan_parts, split_along_the_axis_that_spans_the_most_bytes) {
  const Dims shape{4, 8};
  const Layout padded{shape, Dims{1000, 4}, 0};
  const PlanSetup setup(shape, {c_layout(shape, 4), padded});
  PlanParts parts = setup.parts(500);
  EXPECT_EQ(parts.count(), 4);
  parts.for_each([](const Plan& plan) {
    EXPECT_EQ(plan.rank, 1);  // one row each, contiguous
    EXPECT_EQ(plan.shape[0], 8);
    EXPECT_TRUE(plan.contiguous);
  });
}

TEST(plan_parts, split_long_arrays_at_multiples_of_64_elements) {
  const Dims shape{1001};
  const PlanSetup setup(shape, {c_layout(shape, 4), c_layout(shape, 4)});
  PlanParts parts = setup.parts(2500);
  std::vector<std::int64_t> starts;
  parts.for_each([&](const Plan& plan) {
    starts.push_back(reinterpret_cast<std::intptr_t>(plan.data[0]) - PlanSetup::origin(0));
  });
  EXPECT_EQ(starts, (std::vector<std::int64_t>{0, 512 * 4}));
}

TEST(plan_parts, split_keeps_large_arrays_below_the_32_bit_limit) {
  const std::int64_t n = 3'000'000'001;
  PlanParts parts =
      PlanSetup(Dims{n}, {c_layout(Dims{n}, 8), c_layout(Dims{n}, 8)}, 8).parts(index_limit_32bit);
  std::int64_t elements = 0;
  parts.for_each([&](const Plan& plan) {
    EXPECT_LT(plan.size * 8, index_limit_32bit);
    EXPECT_EQ(reinterpret_cast<std::intptr_t>(plan.data[1]), PlanSetup::origin(1) + 8 * elements);
    elements += plan.size;
  });
  EXPECT_EQ(elements, n);
}

}  // namespace
}  // namespace skerry
