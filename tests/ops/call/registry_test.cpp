// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/kernels.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/reduce/reduction_table.hpp"
#include "ops/table/table.hpp"
#include "tests/ops/unbuilt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace skerry {
namespace {

std::optional<Dtype> result(std::string_view op, Dtype type) {
  return op_table()[static_cast<std::size_t>(find_op(op).value())].result[static_cast<int>(type)];
}
std::optional<Dtype> reduced(std::string_view op, Dtype type) {
  const auto id = static_cast<std::size_t>(find_reduction(op).value());
  return reduction_table()[id].result[static_cast<int>(type)];
}

TEST(registry, has_the_67_elementwise_functions_of_the_standard) {
  const auto table = op_table();
  EXPECT_EQ(std::ranges::count(table, false, &OpEntry::is_private), 67);
  EXPECT_EQ(find_op("no such operation"), std::nullopt);
  for (std::size_t i = 0; i < op_table().size(); ++i) {
    const OpEntry& entry = op_table()[i];
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

TEST(registry, derives_result_dtypes_from_the_functors) {
  EXPECT_EQ(result("add", Dtype::int8), Dtype::int8);
  EXPECT_EQ(result("add", Dtype::bool_), std::nullopt);
  EXPECT_EQ(result("sin", Dtype::int64), std::nullopt);
  EXPECT_EQ(result("sin", Dtype::float32), Dtype::float32);
  EXPECT_EQ(result("abs", Dtype::complex64), Dtype::float32);
  EXPECT_EQ(result("less", Dtype::float64), Dtype::bool_);
  EXPECT_EQ(result("less", Dtype::complex64), std::nullopt);
  EXPECT_EQ(result("clip", Dtype::uint16), Dtype::uint16);
}

TEST(registry, lists_result_dtypes_and_properties_of_reductions) {
  const auto table = reduction_table();
  EXPECT_EQ(std::ranges::count(table, false, &ReductionEntry::is_private), 12);
  EXPECT_EQ(reduced("sum", Dtype::int8), Dtype::int64);
  EXPECT_EQ(reduced("prod", Dtype::uint16), Dtype::uint64);
  EXPECT_EQ(reduced("sum", Dtype::complex64), Dtype::complex64);
  EXPECT_EQ(reduced("mean", Dtype::int64), std::nullopt);
  EXPECT_EQ(reduced("max", Dtype::uint8), Dtype::uint8);
  EXPECT_EQ(reduced("any", Dtype::complex128), Dtype::bool_);
  EXPECT_EQ(reduced("argmax", Dtype::uint8), Dtype::int64);
  EXPECT_EQ(reduced("argmin", Dtype::bool_), std::nullopt);
  EXPECT_EQ(reduced("count_nonzero", Dtype::complex64), Dtype::int64);
  EXPECT_EQ(reduced("std", Dtype::float32), Dtype::float32);
  EXPECT_EQ(reduced("var", Dtype::complex64), std::nullopt);
  for (const ReductionEntry& entry : reduction_table()) {
    const std::string name = entry.name;
    const bool is_extremum = name.ends_with("max") || name.ends_with("min");
    EXPECT_EQ(entry.needs_elements, is_extremum) << name;
    EXPECT_EQ(entry.has_one_axis, is_extremum && name.starts_with("arg")) << name;
    EXPECT_EQ(entry.has_correction, name == "std" || name == "var") << name;
    EXPECT_EQ(entry.has_dtype, name == "sum" || name == "prod") << name;
  }
}

TEST(registry, has_a_host_kernel_for_every_loop_on_float64) {
  const int type = static_cast<int>(Dtype::float64);
  SKERRY_SKIP_UNBUILT(Dtype::float64);
  for (int op = 0; op < elementwise_count; ++op) {
    const OpEntry& entry = op_table()[static_cast<std::size_t>(op)];
    EXPECT_EQ(kernels().elementwise.kernel[op][type].has_host(), entry.result[type].has_value())
        << entry.name;
  }
  for (int op = 0; op < reduction_count; ++op) {
    const ReductionEntry& entry = reduction_table()[static_cast<std::size_t>(op)];
    EXPECT_EQ(kernels().reduce.kernel[op][type].has_host(), entry.result[type].has_value())
        << entry.name;
  }
  EXPECT_NE(kernels().reduce.convert, nullptr);
  for (const Kernel<Plan>& copy : kernels().moves.copy) EXPECT_TRUE(copy.has_host());
  for (const Kernel<Plan>& kernel : kernels().moves.where_kernel) EXPECT_TRUE(kernel.has_host());
  EXPECT_TRUE(kernels().moves.band.has_host());
}

}  // namespace
}  // namespace skerry
