// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/limits.hpp"

#include <gtest/gtest.h>

#include "ops/bins/bins.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/create/create.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry {
namespace {

using testing::cpu0;
using testing::cuda0;
using testing::thrown_by;

struct NarrowParams {
  static constexpr NativeLimits native_limits{
      .dense_operands = true, .complex_alignment = true, .max_count = 100};
};

void sift(const NarrowParams& /*params*/) {}
int enqueue_sift(const NarrowParams& /*params*/, LaunchContext* /*context*/) { return 0; }

TEST(limits, apply_where_native_forms_run_or_are_rehearsed) {
  EXPECT_TRUE(limits_of<NarrowParams>(cuda0).dense_operands);
  EXPECT_TRUE(limits_of<NarrowParams>(cuda0).complex_alignment);
  EXPECT_FALSE(limits_of<NarrowParams>(cpu0).dense_operands);
  EXPECT_FALSE(limits_of<NarrowParams>(cpu0).complex_alignment);
}

TEST(limits, counts_above_the_limit_are_rejected) {
  require_count<NarrowParams>(cpu0, 101, "grains");
  require_count<NarrowParams>(cuda0, 100, "grains");
  const auto text =
      thrown_by<NotImplementedError>([] { require_count<NarrowParams>(cuda0, 101, "grains"); });
  EXPECT_EQ(text, "101 grains on cuda:0 exceed its limit of 100; process them in parts");
}

TEST(limits, bincount_of_too_many_weights_is_rejected_before_it_allocates) {
  const auto repeated = [](Dtype type) {
    const NdArray one = full(Dims{1}, Scalar::from_value(std::int64_t{0}), type, cuda0);
    Layout layout = one.layout();
    layout.shape[0] = std::int64_t{1} << 32;
    layout.strides[0] = 0;
    return one.view(std::move(layout));
  };
  const NdArray numbers = repeated(Dtype::int64);
  const NdArray weights = repeated(Dtype::float64);
  fail_allocation(1);
  const auto text = thrown_by<NotImplementedError>(
      [&] { static_cast<void>(count_numbers(numbers, &weights, 3)); });
  EXPECT_EQ(counted_allocations(), 0U);
  fail_allocation(0);
  EXPECT_NE(text.find("4294967296 numbers with weights"), std::string::npos) << text;
}

TEST(limits, has_form_depends_on_how_a_device_runs_kernels) {
  require(cuda0);  // the first lookup starts the rehearsal
  Kernel<NarrowParams> kernel;
  EXPECT_FALSE(has_form(kernel, cpu0));
  kernel.set_native<enqueue_sift>();
  EXPECT_FALSE(has_form(kernel, cpu0));
  EXPECT_FALSE(has_form(kernel, cuda0)) << "it is rehearsed by host forms";
  kernel.set_host<sift>();
  for (const Device device : {cpu0, cuda0}) {
    EXPECT_TRUE(has_form(kernel, device));
    EXPECT_TRUE(has_host_form(kernel, device));
  }
}

}  // namespace
}  // namespace skerry
