// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "device/transfer.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_table.hpp"

/// Creates and reads arrays without the tested operations.
namespace skerry::testing {

inline constexpr Device cpu0{DeviceKind::cpu, 0};
inline constexpr Device cpu1{DeviceKind::cpu, 1};
inline constexpr Device cuda0{cuda_kind, 0};
inline constexpr Device cuda1{cuda_kind, 1};
inline constexpr Device every_device[] = {cpu0, cpu1, cuda0, cuda1};

inline std::string device_name(const ::testing::TestParamInfo<Device>& info) {
  return std::string(to_string(info.param.kind)) + std::to_string(info.param.index);
}

/// Returns a C-ordered array of the values on `device`.
template <class T>
NdArray array_of(const std::vector<T>& values, const Dims& shape, Device device = cpu0) {
  const std::size_t nbytes = values.size() * sizeof(T);
  StorageRef host = allocate(cpu0, nbytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];  // the elements of std::vector<bool> have no address
    std::memcpy(host->data() + i * sizeof(T), &value, sizeof(T));
  }
  const Layout layout = c_layout(shape, sizeof(T));
  if (device == cpu0) return {std::move(host), layout, dtype_of<T>};
  StorageRef memory = allocate(device, nbytes);
  if (nbytes > 0) copy_bytes(memory, 0, host, 0, nbytes);
  return {std::move(memory), layout, dtype_of<T>};
}
template <class T>
NdArray array_of(const std::vector<T>& values, Device device = cpu0) {
  return array_of(values, Dims{static_cast<std::int64_t>(values.size())}, device);
}

/// Returns the elements in the order of their indices.
template <class T>
std::vector<T> values_of(const NdArray& x) {
  EXPECT_EQ(x.dtype(), dtype_of<T>);
  std::vector<unsigned char> bytes(x.memory()->nbytes());
  if (!bytes.empty()) read_bytes(bytes.data(), x.memory(), 0, bytes.size());
  std::vector<T> values;
  std::vector<std::int64_t> index(static_cast<std::size_t>(x.rank()), 0);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t offset = x.layout().offset;
    for (int axis = 0; axis < x.rank(); ++axis) {
      offset += index[static_cast<std::size_t>(axis)] * x.strides()[axis];
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    values.push_back(value);
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < x.shape()[axis]) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
  }
  return values;
}

template <class T>
std::vector<T> counting(std::int64_t count, T first = T(0)) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(first + T(i)));
  return values;
}

inline Operand as_operand(const NdArray& x, const char* name = "x") {
  return {.array = &x, .name = name};
}
inline Operand as_operand(const Scalar& x, const char* name = "x") {
  return {.value = &x, .name = name};
}

template <class A>
NdArray call(std::string_view op, const A& x) {
  const Operand all[] = {as_operand(x)};
  return apply(find_op(op).value(), all);
}
template <class A, class B>
NdArray call(std::string_view op, const A& x1, const B& x2) {
  const Operand all[] = {as_operand(x1, "x1"), as_operand(x2, "x2")};
  return apply(find_op(op).value(), all);
}
template <class B>
void call_into(std::string_view op, const NdArray& target, const B& x2) {
  const Operand all[] = {as_operand(target, "x1"), as_operand(x2, "x2")};
  apply_into(find_op(op).value(), target, all);
}

/// Returns the text of the Error that `f` throws; fails if it throws none.
template <class Error, class F>
std::string thrown_by(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline ::testing::AssertionResult mentions(const std::string& text, const std::string& phrase) {
  if (text.find(phrase) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << text << "\" does not mention \"" << phrase << '"';
}

/// Waits for pending work, then returns the bytes of all arrays on each device.
inline std::vector<std::size_t> live_bytes() {
  std::vector<std::size_t> live;
  for (const Device device : every_device) {
    synchronize(device);
    live.push_back(statistics(device).live_bytes);
  }
  return live;
}

}  // namespace skerry::testing
