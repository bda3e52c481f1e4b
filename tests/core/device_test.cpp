// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/device.hpp"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>

#include "core/errors.hpp"

namespace skerry {
namespace {

/// Core defines only the CPU; device registers the others if it is linked in.
const DeviceKind cuda_kind = [] {
  const auto registered_kind = find_device_kind("cuda");
  return registered_kind ? *registered_kind : register_device_kind("cuda");
}();

TEST(device, parses_kinds_with_and_without_an_index) {
  EXPECT_EQ(parse_device("cpu"), (Device{DeviceKind::cpu, 0}));
  EXPECT_EQ(parse_device("cpu:0"), (Device{DeviceKind::cpu, 0}));
  EXPECT_EQ(parse_device("cpu:1"), (Device{DeviceKind::cpu, 1}));
  EXPECT_EQ(parse_device("cuda"), (Device{cuda_kind, 0}));
  EXPECT_EQ(parse_device("cuda:3"), (Device{cuda_kind, 3}));
  EXPECT_EQ(parse_device("cuda:10"), (Device{cuda_kind, 10}));
  EXPECT_EQ(parse_device("cuda:32767"), (Device{cuda_kind, 32767}));
}

class RejectedDevice : public testing::TestWithParam<std::string> {};

TEST_P(RejectedDevice, raises_value_error_listing_the_accepted_names) {
  try {
    static_cast<void>(parse_device(GetParam()));
    FAIL() << "accepted " << GetParam();
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'cuda:N'"), std::string::npos) << text;
    EXPECT_NE(text.find("32767"), std::string::npos) << text;
    EXPECT_LT(text.size(), 200U);
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(spellings, RejectedDevice,
                         testing::Values("", "gpu", "gpu:0", "CPU", "Cuda:0",
                                         "cuda:", "cpu:", "cuda:-1", "cuda:+1", "cuda:1x", "cuda:x",
                                         "cuda: 1", " cuda", "cuda ", "cuda:1 ", "cuda1", "cudax",
                                         "cuda:0:0", "cuda:00", "cuda:01", "cuda:32768",
                                         "cuda:65536", "cuda:4294967296",
                                         "cuda:99999999999999999999999999", "cuda\n",
                                         std::string("cuda:1\0", 7), std::string(10000, 'c')));

TEST(device, to_string_and_parse_device_round_trip) {
  for (const Device device : {Device{DeviceKind::cpu, 0}, Device{cuda_kind, 12}}) {
    EXPECT_EQ(parse_device(to_string(device)), device);
  }
  EXPECT_EQ(to_string(Device{}), "cpu:0");
  EXPECT_EQ(to_string(Device{cuda_kind, 1}), "cuda:1");
  EXPECT_STREQ(to_string(cuda_kind), "cuda");
}

TEST(device, equality_and_hash_depend_on_kind_and_index) {
  const Device same{cuda_kind, 1};
  EXPECT_EQ(same, (Device{cuda_kind, 1}));
  EXPECT_NE(same, (Device{cuda_kind, 0}));
  EXPECT_NE(same, (Device{DeviceKind::cpu, 1}));
  std::unordered_set<Device> all;
  for (std::int16_t i = 0; i < 4; ++i) {
    all.insert({DeviceKind::cpu, i});
    all.insert({cuda_kind, i});
  }
  EXPECT_EQ(all.size(), 8U);
}

TEST(device, a_kind_is_registered_once_with_a_valid_name) {
  for (const char* name : {"cpu", "cuda", "", "Toy", "1toy", "toy:", "to y", "tö"}) {
    EXPECT_THROW(register_device_kind(name), ValueError) << name;
  }
  const DeviceKind toy = register_device_kind("toy_2");
  EXPECT_EQ(find_device_kind("toy_2"), toy);
  EXPECT_EQ(to_string(Device{toy, 3}), "toy_2:3");
  EXPECT_EQ(parse_device("toy_2:3"), (Device{toy, 3}));
  EXPECT_FALSE(find_device_kind("toy"));
  EXPECT_THROW(static_cast<void>(parse_device("toy:3")), ValueError);
  EXPECT_THROW(register_device_kind("toy_2"), ValueError);
}

TEST(unavailable_reason, has_the_names_shown_in_python) {
  EXPECT_STREQ(to_string(UnavailableReason::no_driver), "no_driver");
  EXPECT_STREQ(to_string(UnavailableReason::stub_library), "stub_library");
  EXPECT_STREQ(to_string(UnavailableReason::driver_too_old), "driver_too_old");
  EXPECT_STREQ(to_string(UnavailableReason::no_device), "no_device");
  EXPECT_STREQ(to_string(UnavailableReason::no_kernel_image), "no_kernel_image");
  EXPECT_STREQ(to_string(UnavailableReason::no_cuda_module), "no_cuda_module");
  EXPECT_STREQ(to_string(UnavailableReason::out_of_range), "out_of_range");
  EXPECT_STREQ(to_string(UnavailableReason::busy), "busy");
  EXPECT_STREQ(to_string(UnavailableReason::forked), "forked");
}

}  // namespace
}  // namespace skerry
