// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/kernels.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/reduce/reduction_table.hpp"
#include "ops/table/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace skerry {
namespace {

std::optional<dtype> result(std::string_view op, dtype type) {
  return op_table()[static_cast<std::size_t>(find_op(op).value())].result[static_cast<int>(type)];
}
std::optional<dtype> reduced(std::string_view op, dtype type) {
  const auto id = static_cast<std::size_t>(find_reduction(op).value());
  return reduction_table()[id].result[static_cast<int>(type)];
}

TEST(registry, has_the_67_elementwise_functions_of_the_standard) {
  const auto table = op_table();
  EXPECT_EQ(std::ranges::count(table, false, &op_entry::is_private), 67);
  EXPECT_EQ(find_op("no such operation"), std::nullopt);
  for (std::size_t i = 0; i < op_table().size(); ++i) {
    const op_entry& entry = op_table()[i];
    EXPECT_EQ(find_op(entry.name), static_cast<op_id>(i));
    EXPECT_EQ(entry.arity, std::string(entry.name) == "clip"   ? 3
                           : static_cast<int>(i) < unary_count ? 1
                                                               : 2);
    EXPECT_GT(std::strlen(entry.doc), 0U) << entry.name;
  }
}

TEST(registry, has_each_list_in_alphabetical_order) {
  const auto check = [](int first, int count) {
    for (int i = first + 1; i < first + count; ++i) {
      const auto entries = op_table();
      EXPECT_LT(std::string(entries[static_cast<std::size_t>(i) - 1].name),
                std::string(entries[static_cast<std::size_t>(i)].name));
    }
  };
  check(0, unary_count);
  check(unary_count, binary_count);
}

TEST(registry, knows_result_dtypes_from_the_functors) {
  EXPECT_EQ(result("add", dtype::int8), dtype::int8);
  EXPECT_EQ(result("add", dtype::bool_), std::nullopt);
  EXPECT_EQ(result("sin", dtype::int64), std::nullopt);
  EXPECT_EQ(result("sin", dtype::float32), dtype::float32);
  EXPECT_EQ(result("abs", dtype::complex64), dtype::float32);
  EXPECT_EQ(result("less", dtype::float64), dtype::bool_);
  EXPECT_EQ(result("less", dtype::complex64), std::nullopt);
  EXPECT_EQ(result("clip", dtype::uint16), dtype::uint16);
}

TEST(registry, knows_accumulators_of_reductions) {
  const auto table = reduction_table();
  EXPECT_EQ(std::ranges::count(table, false, &reduction_entry::is_private), 12);
  EXPECT_EQ(reduced("sum", dtype::int8), dtype::int64);
  EXPECT_EQ(reduced("prod", dtype::uint16), dtype::uint64);
  EXPECT_EQ(reduced("sum", dtype::complex64), dtype::complex64);
  EXPECT_EQ(reduced("mean", dtype::int64), std::nullopt);
  EXPECT_EQ(reduced("max", dtype::uint8), dtype::uint8);
  EXPECT_EQ(reduced("any", dtype::complex128), dtype::bool_);
  EXPECT_EQ(reduced("argmax", dtype::uint8), dtype::int64);
  EXPECT_EQ(reduced("argmin", dtype::bool_), std::nullopt);
  EXPECT_EQ(reduced("count_nonzero", dtype::complex64), dtype::int64);
  EXPECT_EQ(reduced("std", dtype::float32), dtype::float32);
  EXPECT_EQ(reduced("var", dtype::complex64), std::nullopt);
  for (const reduction_entry& entry : reduction_table()) {
    const std::string name = entry.name;
    const bool is_extremum = name.ends_with("max") || name.ends_with("min");
    EXPECT_EQ(entry.needs_elements, is_extremum) << name;
    EXPECT_EQ(entry.has_one_axis, is_extremum && name.starts_with("arg")) << name;
    EXPECT_EQ(entry.has_correction, name == "std" || name == "var") << name;
    EXPECT_EQ(entry.has_dtype, name == "sum" || name == "prod") << name;
  }
}

TEST(registry, has_a_host_kernel_for_every_loop_on_float64) {
  const int type = static_cast<int>(dtype::float64);
  if (!is_built(dtype::float64)) {
    GTEST_SKIP() << "built without float64 (SKERRY_DTYPES)";
  }
  for (int op = 0; op < elementwise_count; ++op) {
    const op_entry& entry = op_table()[static_cast<std::size_t>(op)];
    EXPECT_EQ(kernels().elementwise.loop[op][type].host != nullptr, entry.result[type].has_value())
        << entry.name;
  }
  for (int op = 0; op < reduction_count; ++op) {
    const reduction_entry& entry = reduction_table()[static_cast<std::size_t>(op)];
    EXPECT_EQ(kernels().reduce.loop[op][type].host != nullptr, entry.result[type].has_value())
        << entry.name;
  }
  for (const kernel& copy : kernels().moves.copy) EXPECT_NE(copy.host, nullptr);
  for (const kernel& where : kernels().moves.where) EXPECT_NE(where.host, nullptr);
  EXPECT_NE(kernels().moves.band.host, nullptr);
}

}  // namespace
}  // namespace skerry
