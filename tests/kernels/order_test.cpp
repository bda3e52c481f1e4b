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
// One long row, short rows, rows of a middling length, columns.
const RowShape rows[] = {
    {Dims{20011}, 0}, {Dims{301, 7}, 1}, {Dims{5, 3001}, 1}, {Dims{67, 31}, 0}};

TEST_P(OrderKernelsOf, sort) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::complex_floating) return;
  for (const auto& [shape, axis] : rows) {
    for (const bool descending : {false, true}) {
      compare(of("sort", type), [&, shape = shape, axis = axis](Device where) {
        return skerry::sort(sample(type, shape, where), axis, descending);
      });
      compare(of("argsort", type), [&, shape = shape, axis = axis](Device where) {
        return argsort(sample(type, shape, where), axis, descending);
      });
    }
  }
}

// Rows of one thread, of several in a block, of a block, and of several blocks, whose tiles of
// 4,352 items (2,816 of 16 bytes) are merged; one item less and one more than fit.
TEST_P(OrderKernelsOf, sort_rows_around_the_edges_of_tiles) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::complex_floating) return;
  const Dims shapes[] = {Dims{701, 2},  Dims{301, 17}, Dims{33, 18},  Dims{9, 545},  Dims{1, 2816},
                         Dims{2, 2817}, Dims{2, 4352}, Dims{2, 4353}, Dims{2, 13057}};
  for (const Dims& shape : shapes) {
    for (const bool descending : {false, true}) {
      compare(of("sort", type), [&](Device where) {
        return skerry::sort(sample(type, shape, where), 1, descending);
      });
      compare(of("argsort", type),
              [&](Device where) { return argsort(sample(type, shape, where), 1, descending); });
    }
  }
}

TEST_P(OrderKernelsOf, search) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::complex_floating) return;
  for (const bool right : {false, true}) {
    compare(of("searchsorted", type), [&](Device where) {
      const NdArray sorted = skerry::sort(sample(type, Dims{1009}, where), 0, false);
      const NdArray wanted = sample(type, Dims{31, 7}, where, 3);
      return searchsorted(sorted, {.array = &wanted}, right, nullptr);
    });
    compare(of("searchsorted with a sorter,", type), [&](Device where) {
      const NdArray x = sample(type, Dims{1009}, where);
      const NdArray sorter = argsort(x, 0, false);
      const NdArray wanted = sample(type, Dims{217}, where, 3);
      return searchsorted(x, {.array = &wanted}, right, &sorter);
    });
  }
}

TEST_P(OrderKernelsOf, find_distinct_elements) {
  const Dtype type = GetParam();
  const auto parts_of = [&](Device where, UniqueParts wanted) {
    return unique("unique", sample(type, Dims{71, 41}, where), wanted);
  };
  const UniqueParts all{.indices = true, .inverse = true, .counts = true};
  compare(of("unique_values", type), [&](Device where) { return parts_of(where, {}).values; });
  compare(of("unique_counts", type),
          [&](Device where) { return parts_of(where, {.counts = true}).counts; });
  compare(of("values of unique_all", type),
          [&](Device where) { return parts_of(where, all).values; });
  compare(of("indices of unique_all", type),
          [&](Device where) { return parts_of(where, all).indices; });
  compare(of("inverse of unique_all", type),
          [&](Device where) { return parts_of(where, all).inverse; });
  compare(of("counts of unique_all", type),
          [&](Device where) { return parts_of(where, all).counts; });
}

TEST_P(OrderKernelsOf, find_members) {
  const Dtype type = GetParam();
  for (const std::int64_t among_size : {3, 300}) {
    compare(of("isin", type), [&](Device where) {
      const NdArray x = sample(type, Dims{1013}, where);
      const NdArray among = sample(type, Dims{among_size}, where, 4);
      return isin({.array = &x}, {.array = &among}, false);
    });
  }
}

}  // namespace
}  // namespace skerry::testing
