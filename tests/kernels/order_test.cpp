// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "both.hpp"
#include "ops/sort/searchsorted.hpp"
#include "ops/sort/set.hpp"
#include "ops/sort/sort.hpp"

namespace skerry::testing {
namespace {

class order_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, order_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

struct row_shape {
  dims shape;
  std::int64_t axis;
};
// One long row, short rows, rows of a middling length, columns.
const row_shape rows[] = {
    {dims{20011}, 0}, {dims{301, 7}, 1}, {dims{5, 3001}, 1}, {dims{67, 31}, 0}};

TEST_P(order_kernels_of, sort) {
  const dtype type = GetParam();
  if (kind(type) == dtype_kind::complex_floating) return;
  for (const auto& [shape, axis] : rows) {
    for (const bool descending : {false, true}) {
      compare(of("sort", type), [&, shape = shape, axis = axis](device where) {
        return skerry::sort(sample(type, shape, where), axis, descending);
      });
      compare(of("argsort", type), [&, shape = shape, axis = axis](device where) {
        return argsort(sample(type, shape, where), axis, descending);
      });
    }
  }
}

// Rows of one thread, of several in a block, of a block, and of several blocks, whose tiles of
// 4,352 items (2,816 of 16 bytes) are merged; one item less and one more than fit.
TEST_P(order_kernels_of, sort_rows_around_the_edges_of_tiles) {
  const dtype type = GetParam();
  if (kind(type) == dtype_kind::complex_floating) return;
  const dims shapes[] = {dims{701, 2},  dims{301, 17}, dims{33, 18},  dims{9, 545},  dims{1, 2816},
                         dims{2, 2817}, dims{2, 4352}, dims{2, 4353}, dims{2, 13057}};
  for (const dims& shape : shapes) {
    for (const bool descending : {false, true}) {
      compare(of("sort", type), [&](device where) {
        return skerry::sort(sample(type, shape, where), 1, descending);
      });
      compare(of("argsort", type),
              [&](device where) { return argsort(sample(type, shape, where), 1, descending); });
    }
  }
}

TEST_P(order_kernels_of, search) {
  const dtype type = GetParam();
  if (kind(type) == dtype_kind::complex_floating) return;
  for (const bool right : {false, true}) {
    compare(of("searchsorted", type), [&](device where) {
      const ndarray sorted = skerry::sort(sample(type, dims{1009}, where), 0, false);
      const ndarray wanted = sample(type, dims{31, 7}, where, 3);
      return searchsorted(sorted, {.array = &wanted}, right, nullptr);
    });
    compare(of("searchsorted with a sorter,", type), [&](device where) {
      const ndarray x = sample(type, dims{1009}, where);
      const ndarray sorter = argsort(x, 0, false);
      const ndarray wanted = sample(type, dims{217}, where, 3);
      return searchsorted(x, {.array = &wanted}, right, &sorter);
    });
  }
}

TEST_P(order_kernels_of, find_distinct_elements) {
  const dtype type = GetParam();
  const auto parts_of = [&](device where, unique_parts wanted) {
    return unique("unique", sample(type, dims{71, 41}, where), wanted);
  };
  const unique_parts all{.indices = true, .inverse = true, .counts = true};
  compare(of("unique_values", type), [&](device where) { return parts_of(where, {}).values; });
  compare(of("unique_counts", type),
          [&](device where) { return parts_of(where, {.counts = true}).counts; });
  compare(of("values of unique_all", type),
          [&](device where) { return parts_of(where, all).values; });
  compare(of("indices of unique_all", type),
          [&](device where) { return parts_of(where, all).indices; });
  compare(of("inverse of unique_all", type),
          [&](device where) { return parts_of(where, all).inverse; });
  compare(of("counts of unique_all", type),
          [&](device where) { return parts_of(where, all).counts; });
}

TEST_P(order_kernels_of, find_members) {
  const dtype type = GetParam();
  for (const std::int64_t among_size : {3, 300}) {
    compare(of("isin", type), [&](device where) {
      const ndarray x = sample(type, dims{1013}, where);
      const ndarray among = sample(type, dims{among_size}, where, 4);
      return isin({.array = &x}, {.array = &among}, false);
    });
  }
}

}  // namespace
}  // namespace skerry::testing
