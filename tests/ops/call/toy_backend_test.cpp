// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/toy_backend/toy_backend.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ops/call/device_dtypes.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/reduce/reduce.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry {
namespace {

using testing::cpu0;
using testing::cuda0;

Device toy_device(int index) {
  static const DeviceKind kind = register_backend(toy::nameless);
  return {kind, static_cast<std::int16_t>(index)};
}

NdArray counting(Device device) {
  return arange(Scalar::from_value(0.0), Scalar::from_value(6.0), Scalar::from_value(1.0),
                Dtype::float64, device);
}

std::vector<double> elements(const NdArray& x) {
  const NdArray packed = copy(x);
  std::vector<double> values(static_cast<std::size_t>(packed.size()));
  read_bytes(values.data(), packed.memory(), static_cast<std::size_t>(packed.layout().offset),
             values.size() * sizeof(double));
  return values;
}

NdArray added(const NdArray& x1, const NdArray& x2) {
  const Operand both[] = {{.array = &x1, .name = "x1"}, {.array = &x2, .name = "x2"}};
  return apply(*find_op("add"), both);
}

TEST(toy_backend, registers_a_kind_of_two_devices) {
  const Device one = toy_device(1);
  EXPECT_EQ(to_string(one), "toy:1");
  EXPECT_EQ(parse_device("toy:1"), one);
  EXPECT_EQ(devices(one.kind).size(), 2U);
  EXPECT_EQ(describe(one).name, "toy");
  EXPECT_THROW(require(toy_device(2)), DeviceUnavailableError);
  EXPECT_THROW(static_cast<void>(counting(toy_device(2))), DeviceUnavailableError);
  EXPECT_THROW(register_backend(toy::nameless), ValueError) << "the name is taken";
}

TEST(toy_backend, registration_rejects_backends_without_functions_for_their_capabilities) {
  const auto is_refused = [](auto&& change) {
    Backend incomplete = toy::make_backend("incomplete", 0);
    change(incomplete);
    EXPECT_THROW(register_backend(incomplete), ValueError);
  };
  is_refused([](Backend& backend) { backend.devices.count = nullptr; });
  is_refused([](Backend& backend) { backend.memory.allocate = nullptr; });
  is_refused([](Backend& backend) { backend.transfers.to_host = nullptr; });
  is_refused([](Backend& backend) { backend.launch = nullptr; });
  is_refused([](Backend& backend) { backend.can.kernel_form = KernelForm::native; });
  is_refused([](Backend& backend) { backend.can.runs_later = true; });
  is_refused([](Backend& backend) { backend.can.has_cuda_interface = true; });
  EXPECT_FALSE(find_device_kind("incomplete"));
}

TEST(toy_backend, computes_on_the_device_of_its_arrays) {
  const NdArray x = counting(toy_device(1));
  EXPECT_EQ(x.device(), toy_device(1));
  const NdArray twice = added(x, x);
  EXPECT_EQ(twice.device(), toy_device(1));
  EXPECT_EQ(elements(twice), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const NdArray total = reduce(*find_reduction("sum"), twice, std::nullopt, std::nullopt, false);
  EXPECT_EQ(total.device(), toy_device(1));
  EXPECT_EQ(elements(total), (std::vector<double>{30}));
}

TEST(toy_backend, may_lack_double_precision) {
  static const Backend single = [] {
    Backend backend = backend_of(toy_device(0));
    backend.name = "single";
    backend.can.has_float64 = false;
    return backend;
  }();
  const Device device{register_backend(single), 0};
  EXPECT_FALSE(has_dtype(device, Dtype::complex128));
  EXPECT_TRUE(has_dtype(device, Dtype::complex64));
  EXPECT_TRUE(has_dtype(toy_device(0), Dtype::float64));
  EXPECT_EQ(default_dtype_on(device, Dtype::float64), Dtype::float32);
  EXPECT_EQ(default_dtype_on(device, Dtype::int64), Dtype::int64);
  EXPECT_THROW(static_cast<void>(counting(device)), DtypeError);
  EXPECT_THROW(static_cast<void>(to_device(counting(cpu0), device)), DtypeError);
  const NdArray x = to_device(astype(counting(cpu0), Dtype::float32, false), device);
  EXPECT_THROW(static_cast<void>(astype(x, Dtype::float64, false)), DtypeError);
  EXPECT_EQ(added(x, x).dtype(), Dtype::float32);
}

TEST(toy_backend, rejects_arrays_on_other_devices) {
  const NdArray x = counting(toy_device(0));
  for (const Device other : {toy_device(1), cpu0, cuda0}) {
    EXPECT_THROW(static_cast<void>(added(x, counting(other))), DeviceMismatchError);
  }
}

TEST(toy_backend, copies_arrays_to_and_from_all_other_devices) {
  const std::vector<double> expected{0, 1, 2, 3, 4, 5};
  for (const Device other : {toy_device(0), toy_device(1), cpu0, cuda0}) {
    const NdArray device_array = to_device(counting(toy_device(0)), other);
    EXPECT_EQ(device_array.device(), other);
    EXPECT_EQ(elements(device_array), expected) << to_string(other);
    const NdArray back = to_device(counting(other), toy_device(1));
    EXPECT_EQ(back.device(), toy_device(1));
    EXPECT_EQ(elements(back), expected) << to_string(other);
  }
}

TEST(toy_backend, supports_injected_allocation_failures) {
  const Device device = toy_device(0);
  fail_allocation(1);
  EXPECT_THROW(static_cast<void>(allocate(device, 8)), OutOfMemoryError);
  fail_allocation(0);
  EXPECT_EQ(allocate(device, 0)->data(), nullptr);
}

TEST(toy_backend, has_one_stream_that_is_always_idle) {
  const Device device = toy_device(0);
  EXPECT_THROW(static_cast<void>(Stream::create(device)), ValueError);
  const Stream only = current_stream(device);
  EXPECT_TRUE(only.idle());
  only.synchronize();
  only.wait(current_stream(cuda0));
  current_stream(cuda0).wait(only);
  Event done(device);
  done.record(only);
  EXPECT_TRUE(done.done());
  synchronize(device);
}

}  // namespace
}  // namespace skerry
