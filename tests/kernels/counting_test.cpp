// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "both.hpp"
#include "device/transfer.hpp"
#include "ops/bins/bins.hpp"
#include "ops/call/result.hpp"
#include "ops/linear/convolution.hpp"
#include "ops/move/copy.hpp"
#include "ops/random/random.hpp"
#include "ops/select/scatter_reduce.hpp"
#include "ops/sort/partial.hpp"

namespace skerry::testing {
namespace {

const Dtype real_floating[] = {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64};

// Sizes around the elements of a block of 256 threads; bins that fit its shared memory (4,096) or
// do not.
TEST(counting_kernels, bincount_matches_the_cpu) {
  for (const std::int64_t size : {1, 255, 4097, 70001}) {
    for (const std::int64_t bins : {1, 4096, 4097}) {
      const auto counted = [&](Device device, const NdArray* weights) {
        return count_numbers(sample_indices(5000, Dims{size}, device), weights, bins);
      };
      compare("bincount", [&](Device device) { return counted(device, nullptr); });
      compare("bincount with weights", [&](Device device) {
        const NdArray weights = sample(Dtype::float64, Dims{size}, device, 2);
        return counted(device, &weights);
      });
    }
  }
}

TEST(counting_kernels, histogram_matches_the_cpu) {
  for (const Dtype type : real_floating) {
    for (const std::int64_t bins : {1, 7, 5000}) {
      for (const bool uniform : {false, true}) {
        compare(case_label("histogram", type), [&](Device device) {
          const NdArray items = without_first(sample(type, Dims{20002}, device), 1);
          NdArray edges = astype(sample_indices(1, Dims{bins + 1}, cpu), Dtype::float64, true);
          auto* const numbers = reinterpret_cast<double*>(edges.data());
          for (std::int64_t i = 0; i <= bins; ++i) {
            numbers[i] = -4.0 + 8.0 * static_cast<double>(i) / static_cast<double>(bins);
          }
          const NdArray device_edges = to_device(astype(edges, type, false), device);
          return histogram(items, device_edges, uniform, -4.0, 4.0);
        });
      }
    }
  }
}

class ScatterKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, ScatterKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

/// True if an operation accepts a dtype.
bool scatters(ScatterOp op, Dtype type) {
  const DtypeKind dtype_kind = kind(type);
  switch (op) {
    case ScatterOp::bitwise_and:
    case ScatterOp::bitwise_or:
    case ScatterOp::bitwise_xor:
      return is_integer(type) || dtype_kind == DtypeKind::boolean;
    case ScatterOp::minimum:
    case ScatterOp::maximum:
      return is_integer(type) || dtype_kind == DtypeKind::real_floating;
    default:
      return dtype_kind != DtypeKind::boolean;
  }
}

TEST_P(ScatterKernelsOf, combine_values_of_equal_indices) {
  const Dtype type = GetParam();
  for (int i = 0; i < scatter_op_count; ++i) {
    const auto op = static_cast<ScatterOp>(i);
    if (!scatters(op, type)) continue;
    for (const std::int64_t size : {1, 33, 4099}) {
      compare(case_label("scatter_reduce", type), [&](Device device) {
        const NdArray target = copy(sample_factors(type, Dims{1000}, device));
        const NdArray indices = sample_indices(1000, Dims{size}, device);
        const NdArray values = sample_factors(type, Dims{size}, device);
        scatter_reduce(op, target, indices, {.array = &values, .name = "values"});
        return target;
      });
    }
  }
}

class PartialKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, PartialKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(PartialKernelsOf, find_elements_by_rank) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::complex_floating) return;
  const std::int64_t ranks[] = {0, 3, 1024};
  for (const Dims& shape : {Dims{1, 1025}, Dims{3, 4097}, Dims{2, 20011}}) {
    compare(case_label("order_statistics", type),
            [&](Device device) { return order_statistics(sample(type, shape, device), ranks); });
    for (const bool returns_indices : {false, true}) {
      compare(case_label("partition", type), [&](Device device) {
        return partition(sample(type, shape, device), ranks, 1, returns_indices);
      });
    }
    for (const std::int64_t count : {1, 33, 63, 64, 1025}) {
      for (const bool largest : {false, true}) {
        const auto compute_topk = [&](Device device) {
          return topk(sample(type, shape, device), count, 1, largest);
        };
        compare(case_label("topk", type),
                [&](Device device) { return compute_topk(device).values; });
        compare(case_label("indices of topk", type),
                [&](Device device) { return compute_topk(device).indices; });
      }
    }
  }
}

class ConvolutionKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, ConvolutionKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(ConvolutionKernelsOf, match_the_cpu) {
  const Dtype type = GetParam();
  if (kind(type) == DtypeKind::boolean) return;
  for (const std::int64_t size : {1, 40, 4099}) {
    for (const std::int64_t taps : {1, 2, 33, 300}) {
      const std::int64_t all = size + taps - 1;
      compare(case_label("convolve", type), [&](Device device) {
        const NdArray x = without_first(sample(type, Dims{size + 1}, device), 1);
        return convolve(x, sample(type, Dims{taps}, device, 4), 0, all);
      });
      compare(case_label("a part of convolve", type), [&](Device device) {
        const NdArray y = without_first(sample(type, Dims{taps + 1}, device, 4), 1);
        return convolve(sample(type, Dims{size}, device), y, all / 3, (all + 1) / 2);
      });
    }
  }
}

struct DrawnNumbers {
  const char* name;
  RandomMethod method;
  RandomArguments arguments;
  bool is_whole;  ///< int64
};
const DrawnNumbers distributions[] = {
    {"uniform", RandomMethod::uniform, {}, false},
    {"normal", RandomMethod::normal, {}, false},
    {"exponential", RandomMethod::exponential, {}, false},
    {"integer", RandomMethod::integer, {.low = 3, .span = 999}, true},
    {"gamma", RandomMethod::gamma, {.a = 2.5}, false},
    {"geometric", RandomMethod::geometric, {.a = 0.25}, true},
    {"poisson", RandomMethod::poisson, {.a = 20}, true},
    {"binomial", RandomMethod::binomial, {.a = 100, .b = 0.25}, true}};

TEST(RandomKernels, draw_the_same_numbers_as_the_cpu) {
  for (const DrawnNumbers& distribution : distributions) {
    for (const std::int64_t size : {1, 255, 4099}) {
      for (const std::int64_t leading_count : {0, 1}) {
        compare(distribution.name, [&](Device device) {
          const Dtype type = distribution.is_whole ? Dtype::int64 : Dtype::float64;
          const NdArray all = empty(Dims{size + leading_count}, type, device);
          const NdArray out = without_first(all, leading_count);
          draw(out, distribution.method, PhiloxState{}, distribution.arguments);
          return out;
        });
      }
    }
  }
}

TEST(RandomKernels, count_positions_from_a_stored_state) {
  for (const DrawnNumbers& distribution : distributions) {
    compare(distribution.name, [&](Device device) {
      const PhiloxState start{.key = 5, .position = 7, .tail = 3};
      const NdArray base = empty(Dims{3}, Dtype::uint64, device);
      // On the CPU the state is known: there the position is the sum.
      const bool is_stored = !is_host(device);
      if (is_stored) store_state(base, start);
      const PhiloxState stream = is_stored ? PhiloxState{.key = 0, .position = 4, .tail = 0}
                                           : PhiloxState{.key = 5, .position = 11, .tail = 3};
      const Dtype type = distribution.is_whole ? Dtype::int64 : Dtype::float64;
      NdArray out = empty(Dims{4099}, type, device);
      draw(out, distribution.method, stream, distribution.arguments, is_stored ? &base : nullptr);
      return out;
    });
  }
}

}  // namespace
}  // namespace skerry::testing
