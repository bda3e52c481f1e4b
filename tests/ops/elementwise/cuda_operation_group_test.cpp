// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/cuda/operation_group.cuh"

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

// What CUDA kernels run in place of an operation, on the host: it must be that operation.

namespace skerry {
namespace native {
namespace {

template <class T>
bool has_same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class Op, class Instead, class... T>
void expect_same(Instead instead, T... x) {
  if constexpr (!std::is_same_v<Instead, std::nullptr_t>) {
    static_assert(std::is_same_v<decltype(instead(x...)), ops::result_t<Op, T...>>);
    EXPECT_TRUE(has_same_bits(instead(x...), Op{}(x...))) << Op::info.name;
  }
}

template <class Op, class... T>
void expect_all_same(T... x) {
  expect_same<Op>(grouped<Op, T...>(), x...);
  expect_same<Op>(contiguous_operation<Op, T...>(), x...);
  expect_same<Op>(operation_with_value<Op, T...>(), x...);
}

template <class T>
T element(double x) {
  if constexpr (ops::integral<T>) {
    return static_cast<T>(static_cast<std::int64_t>(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class Op, class T, class... X>
void expect_of_dtype(X... x) {
  if constexpr (ops::supports<Op, T, sizeof...(X)>) expect_all_same<Op>(element<T>(x)...);
}

template <class T, class... Unary, class... Binary>
void expect_of(ops::type_list<Unary...>, ops::type_list<Binary...>) {
  for (const double x : {-3.5, -2.5, 0.0, 2.0, 5.75}) {
    (expect_of_dtype<Unary, T>(x), ...);
    for (const double y : {-2.0, 1.0, 2.0, 3.0}) (expect_of_dtype<Binary, T>(x, y), ...);
  }
}

TEST(CudaOperationGroup, RunsTheOperationThatWasAskedFor) {
  expect_of<bool>(ops::unary_ops{}, ops::binary_ops{});
  expect_of<std::uint8_t>(ops::unary_ops{}, ops::binary_ops{});
  expect_of<std::int32_t>(ops::unary_ops{}, ops::binary_ops{});
  expect_of<float32>(ops::unary_ops{}, ops::binary_ops{});
  expect_of<complex64>(ops::unary_ops{}, ops::binary_ops{});
}

TEST(CudaOperationGroup, KeepsApartWhatNeedsManyRegisters) {
  using additions = group_t<ops::add, ops::binary_ops, float32, float32>;
  static_assert(ops::index_of<ops::maximum, additions> >= 0);
  static_assert(ops::index_of<ops::pow, additions> < 0);
  static_assert(ops::index_of<ops::less, additions> < 0);
  using powers = group_t<ops::pow, ops::binary_ops, float32, float32>;
  static_assert(ops::index_of<ops::atan2, powers> >= 0);
  static_assert(ops::index_of<ops::add, powers> < 0);
}

TEST(CudaOperationGroup, LeavesFrequentOperationsAKernelEach) {
  static_assert(
      std::is_same_v<decltype(contiguous_operation<ops::add, float32, float32>()), ops::add>);
  static_assert(!std::is_same_v<decltype(contiguous_operation<ops::abs, float32>()), ops::abs>);
  static_assert(std::is_same_v<decltype(contiguous_operation<ops::bitwise_invert, uint8>()),
                               ops::bitwise_invert>);
  static_assert(std::is_same_v<decltype(operation_with_value<ops::atan2, float32, float32>()),
                               std::nullptr_t>);
}

}  // namespace
}  // namespace native
}  // namespace skerry
