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

class ReductionKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, ReductionKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

// Few long rows, longer rows, many short rows, columns, long columns, a middle axis, few elements,
// all axes; then columns that are loaded several at a time: in one part, in several parts, of
// strided rows.
struct ReducedShape {
  Dims shape;
  std::optional<std::int64_t> axis;
};
const ReducedShape shapes[] = {
    {Dims{3, 4099}, 1},   {Dims{2, 40009}, 1},      {Dims{1031, 4}, 1},
    {Dims{1031, 4}, 0},   {Dims{4, 1031}, 0},       {Dims{20011, 3}, 0},
    {Dims{7, 33, 19}, 1}, {Dims{67}, std::nullopt}, {Dims{70001}, std::nullopt},
    {Dims{600, 132}, 0},  {Dims{2051, 12}, 0},      {Dims{9, 5, 36}, 1},
};

const Scalar large_offset = Scalar::from_value(4096.0);

TEST_P(ReductionKernelsOf, match_the_cpu) {
  const Dtype type = GetParam();
  const auto table = reduction_table();
  for (std::size_t id = 0; id < table.size(); ++id) {
    if (!table[id].result[static_cast<int>(type)]) continue;
    for (const auto& [shape, axis] : shapes) {
      const auto compute = [&, shape = shape, axis = axis](Device device) {
        const std::int64_t one[] = {axis.value_or(0)};
        const auto axes = axis ? std::optional<std::span<const std::int64_t>>(one) : std::nullopt;
        const NdArray x = std::string_view(table[id].name) == "prod"
                              ? sample_factors(type, shape, device)
                              : sample(type, shape, device);
        return reduce(static_cast<reduction_id>(id), x, axes, {}, false);
      };
      compare(case_label(table[id].name, type), compute, tolerance_of(type));
    }
  }
}

TEST_P(ReductionKernelsOf, stay_accurate_for_a_large_mean) {
  const Dtype type = GetParam();
  if (kind(type) != DtypeKind::real_floating) return;
  const Operand offset{.value = &large_offset};
  for (const auto& [shape, axis] : shapes) {
    const auto compute = [&, shape = shape, axis = axis](Device device) {
      const NdArray near_zero = sample(type, shape, device);
      const Operand both[] = {{.array = &near_zero}, offset};
      const std::int64_t one[] = {axis.value_or(0)};
      const auto axes = axis ? std::optional<std::span<const std::int64_t>>(one) : std::nullopt;
      return reduce(*find_reduction("var"), apply(*find_op("add"), both), axes, {}, false);
    };
    compare(case_label("var", type), compute, 10 * tolerance_of(type));
  }
}

TEST_P(ReductionKernelsOf, take_transposed_arrays) {
  const Dtype type = GetParam();
  const auto reduction = find_reduction("count_nonzero");
  compare(case_label("count_nonzero", type), [&](Device device) {
    const std::int64_t axis[] = {0};
    return reduce(*reduction, transpose(sample(type, Dims{41, 67}, device)), axis, {}, false);
  });
}

TEST_P(ReductionKernelsOf, scans_match_the_cpu) {
  const Dtype type = GetParam();
  for (int id = 0; id < scan_count; ++id) {
    for (const auto& [shape, axis] : shapes) {
      for (const bool initial : {false, true}) {
        compare(
            case_label(id == 0 ? "cumulative_prod" : "cumulative_sum", type),
            [&, shape = shape, axis = axis](Device device) {
              const NdArray x =
                  id == 0 ? sample_factors(type, shape, device) : sample(type, shape, device);
              return skerry::scan(static_cast<ScanId>(id), x, axis.value_or(0), {}, initial);
            },
            tolerance_of(type));
      }
    }
  }
}

// More than one group of 128 tiles (a tile has 72 rows of 32 columns): tiles look back at single
// tiles in their group.
TEST(reduction_kernels, scan_groups_of_tiles) {
  for (const std::int64_t columns : {32, 9}) {
    const Dims shape{(columns == 32 ? 72 : 216) * 2 * 128 + 1000, columns};
    const auto compute = [&](Device device) {
      return skerry::scan(ScanId{1}, sample(Dtype::complex128, shape, device), 0, {}, false);
    };
    compare(std::to_string(columns) + " columns", compute, tolerance_of(Dtype::complex128));
  }
}

}  // namespace
}  // namespace skerry::testing
