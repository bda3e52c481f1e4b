// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "both.hpp"
#include "ops/sort/searchsorted.hpp"
#include "ops/sort/set.hpp"
#include "ops/sort/sort.hpp"

namespace skerry::testing {
namespace {

class OrderKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, OrderKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

struct RowShape {
  Dims shape;
  std::int64_t axis;
};
// One long row, short rows, rows of medium length, columns.
const RowShape rows[] = {
    {Dims{20011}, 0}, {Dims{301, 7}, 1}, {Dims{5, 3001}, 1}, {Dims{67, 31}, 0}};

TEST_P(OrderKernelsOf, sort) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::complex_floating) return;
  for (const auto& [shape, axis] : rows) {
    for (const bool descending : {false, true}) {
      compare(case_label("sort", type), [&, shape = shape, axis = axis](Device device) {
        return skerry::sort(sample(type, shape, device), axis, descending);
      });
      compare(case_label("argsort", type), [&, shape = shape, axis = axis](Device device) {
        return argsort(sample(type, shape, device), axis, descending);
      });
    }
  }
}

// Rows that are sorted by one thread, by part of a block, by a block, and by several blocks, which
// merge tiles of 4,352 items (2,816 of 16 bytes); with as many items as fit, or one more.
TEST_P(OrderKernelsOf, sort_rows_around_the_edges_of_tiles) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::complex_floating) return;
  const Dims shapes[] = {Dims{701, 2},  Dims{301, 17}, Dims{33, 18},  Dims{9, 545},  Dims{1, 2816},
                         Dims{2, 2817}, Dims{2, 4352}, Dims{2, 4353}, Dims{2, 13057}};
  for (const Dims& shape : shapes) {
    for (const bool descending : {false, true}) {
      compare(case_label("sort", type), [&](Device device) {
        return skerry::sort(sample(type, shape, device), 1, descending);
      });
      compare(case_label("argsort", type),
              [&](Device device) { return argsort(sample(type, shape, device), 1, descending); });
    }
  }
}

TEST_P(OrderKernelsOf, searchsorted_matches_the_cpu) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::complex_floating) return;
  for (const bool right : {false, true}) {
    compare(case_label("searchsorted", type), [&](Device device) {
      const NdArray sorted = skerry::sort(sample(type, Dims{1009}, device), 0, false);
      const NdArray values = sample(type, Dims{31, 7}, device, 3);
      return searchsorted(sorted, {.array = &values}, right, nullptr);
    });
    compare(case_label("searchsorted with a sorter,", type), [&](Device device) {
      const NdArray x = sample(type, Dims{1009}, device);
      const NdArray sorter = argsort(x, 0, false);
      const NdArray values = sample(type, Dims{217}, device, 3);
      return searchsorted(x, {.array = &values}, right, &sorter);
    });
  }
}

TEST_P(OrderKernelsOf, find_distinct_elements) {
  const Dtype type = GetParam();
  const auto parts_of = [&](Device device, UniqueParts requested_parts) {
    return unique(sample(type, Dims{71, 41}, device), requested_parts);
  };
  const UniqueParts all{.indices = true, .inverse = true, .counts = true};
  compare(case_label("unique_values", type),
          [&](Device device) { return parts_of(device, {}).values; });
  compare(case_label("unique_counts", type),
          [&](Device device) { return parts_of(device, {.counts = true}).counts; });
  compare(case_label("values of unique_all", type),
          [&](Device device) { return parts_of(device, all).values; });
  compare(case_label("indices of unique_all", type),
          [&](Device device) { return parts_of(device, all).indices; });
  compare(case_label("inverse of unique_all", type),
          [&](Device device) { return parts_of(device, all).inverse; });
  compare(case_label("counts of unique_all", type),
          [&](Device device) { return parts_of(device, all).counts; });
}

TEST_P(OrderKernelsOf, isin_matches_the_cpu) {
  const Dtype type = GetParam();
  for (const std::int64_t test_size : {3, 300}) {
    compare(case_label("isin", type), [&](Device device) {
      const NdArray x = sample(type, Dims{1013}, device);
      const NdArray test_elements = sample(type, Dims{test_size}, device, 4);
      return isin({.array = &x}, {.array = &test_elements}, false);
    });
  }
}

}  // namespace
}  // namespace skerry::testing
