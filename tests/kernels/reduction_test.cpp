// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "both.hpp"
#include "core/scalar.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/move/views.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/scan/kernels.hpp"
#include "ops/scan/scan.hpp"

namespace skerry::testing {
namespace {

class reduction_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, reduction_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

// Few long rows, longer ones, many short ones, columns, long columns, a middle axis, little,
// everything; then columns that are loaded several at a time: in one part, in several, of rows that
// are apart.
struct reduced_shape {
  dims shape;
  std::optional<std::int64_t> axis;
};
const reduced_shape shapes[] = {
    {dims{3, 4099}, 1},   {dims{2, 40009}, 1},      {dims{1031, 4}, 1},
    {dims{1031, 4}, 0},   {dims{4, 1031}, 0},       {dims{20011, 3}, 0},
    {dims{7, 33, 19}, 1}, {dims{67}, std::nullopt}, {dims{70001}, std::nullopt},
    {dims{600, 132}, 0},  {dims{2051, 12}, 0},      {dims{9, 5, 36}, 1},
};

const scalar far = scalar::of(4096.0);

TEST_P(reduction_kernels_of, give_what_the_cpu_gives) {
  const dtype type = GetParam();
  const auto table = reduction_table();
  for (std::size_t id = 0; id < table.size(); ++id) {
    if (!table[id].result[static_cast<int>(type)]) continue;
    for (const auto& [shape, axis] : shapes) {
      const auto run = [&, shape = shape, axis = axis](device where) {
        const std::int64_t one[] = {axis.value_or(0)};
        const auto axes = axis ? std::optional<std::span<const std::int64_t>>(one) : std::nullopt;
        const ndarray x = std::string_view(table[id].name) == "prod"
                              ? sample_factors(type, shape, where)
                              : sample(type, shape, where);
        return reduce(static_cast<reduction_id>(id), x, axes, {}, false);
      };
      compare(of(table[id].name, type), run, tolerance_of(type));
    }
  }
}

TEST_P(reduction_kernels_of, keep_digits_beside_a_large_mean) {
  const dtype type = GetParam();
  if (kind(type) != dtype_kind::real_floating) return;
  const operand offset{.value = &far};
  for (const auto& [shape, axis] : shapes) {
    const auto run = [&, shape = shape, axis = axis](device where) {
      const ndarray near_zero = sample(type, shape, where);
      const operand both[] = {{.array = &near_zero}, offset};
      const std::int64_t one[] = {axis.value_or(0)};
      const auto axes = axis ? std::optional<std::span<const std::int64_t>>(one) : std::nullopt;
      return reduce(*find_reduction("var"), apply(*find_op("add"), both), axes, {}, false);
    };
    compare(of("var", type), run, 10 * tolerance_of(type));
  }
}

TEST_P(reduction_kernels_of, take_transposed_arrays) {
  const dtype type = GetParam();
  const auto most = find_reduction("count_nonzero");
  compare(of("count_nonzero", type), [&](device where) {
    const std::int64_t axis[] = {0};
    return reduce(*most, transpose(sample(type, dims{41, 67}, where)), axis, {}, false);
  });
}

TEST_P(reduction_kernels_of, scan) {
  const dtype type = GetParam();
  for (int id = 0; id < scan_count; ++id) {
    for (const auto& [shape, axis] : shapes) {
      for (const bool initial : {false, true}) {
        compare(
            of(id == 0 ? "cumulative_prod" : "cumulative_sum", type),
            [&, shape = shape, axis = axis](device where) {
              const ndarray x =
                  id == 0 ? sample_factors(type, shape, where) : sample(type, shape, where);
              return skerry::scan(static_cast<scan_id>(id), x, axis.value_or(0), {}, initial);
            },
            tolerance_of(type));
      }
    }
  }
}

// More tiles than a group that looks back at the totals of single ones: 128 of 72 rows.
TEST(reduction_kernels, scan_groups_of_tiles) {
  for (const std::int64_t columns : {32, 9}) {
    const dims shape{(columns == 32 ? 72 : 216) * 2 * 128 + 1000, columns};
    const auto run = [&](device where) {
      return skerry::scan(scan_id{1}, sample(dtype::complex128, shape, where), 0, {}, false);
    };
    compare(std::to_string(columns) + " columns", run, tolerance_of(dtype::complex128));
  }
}

}  // namespace
}  // namespace skerry::testing
