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

const dtype real_floating[] = {dtype::float16, dtype::float32, dtype::float64};

// Around what a block of 256 threads counts, and bins that fit its memory (4,096) or do not.
TEST(counting_kernels, count_numbers) {
  for (const std::int64_t size : {1, 255, 4097, 70001}) {
    for (const std::int64_t bins : {1, 4096, 4097}) {
      const auto counted = [&](device where, const ndarray* weights) {
        return count_numbers("bincount", sample_indices(5000, dims{size}, where), weights, bins);
      };
      compare("bincount", [&](device where) { return counted(where, nullptr); });
      compare("bincount with weights", [&](device where) {
        const ndarray weights = sample(dtype::float64, dims{size}, where, 2);
        return counted(where, &weights);
      });
    }
  }
}

TEST(counting_kernels, histogram) {
  for (const dtype type : real_floating) {
    for (const std::int64_t bins : {1, 7, 5000}) {
      for (const bool uniform : {false, true}) {
        compare(of("histogram", type), [&](device where) {
          const ndarray items = without_first(sample(type, dims{20002}, where), 1);
          ndarray edges = astype(sample_indices(1, dims{bins + 1}, cpu), dtype::float64, true);
          auto* const numbers = reinterpret_cast<double*>(edges.data());
          for (std::int64_t i = 0; i <= bins; ++i) {
            numbers[i] = -4.0 + 8.0 * static_cast<double>(i) / static_cast<double>(bins);
          }
          const ndarray there = to_device(astype(edges, type, false), where);
          return histogram(items, there, uniform, -4.0, 4.0);
        });
      }
    }
  }
}

class scatter_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, scatter_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

/// Whether an operation takes a dtype.
bool scatters(scatter_op op, dtype type) {
  const dtype_kind of = kind(type);
  switch (op) {
    case scatter_op::bitwise_and:
    case scatter_op::bitwise_or:
    case scatter_op::bitwise_xor:
      return is_integer(type) || of == dtype_kind::boolean;
    case scatter_op::minimum:
    case scatter_op::maximum:
      return is_integer(type) || of == dtype_kind::real_floating;
    default:
      return of != dtype_kind::boolean;
  }
}

TEST_P(scatter_kernels_of, combine_values_of_equal_places) {
  const dtype type = GetParam();
  for (int i = 0; i < scatter_op_count; ++i) {
    const auto op = static_cast<scatter_op>(i);
    if (!scatters(op, type)) continue;
    for (const std::int64_t size : {1, 33, 4099}) {
      compare(of("scatter_reduce", type), [&](device where) {
        const ndarray target = copy(sample_factors(type, dims{1000}, where));
        const ndarray places = sample_indices(1000, dims{size}, where);
        const ndarray values = sample_factors(type, dims{size}, where);
        scatter_reduce(op, target, places, {.array = &values, .name = "values"});
        return target;
      });
    }
  }
}

class partial_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, partial_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(partial_kernels_of, find_what_is_of_a_rank) {
  const dtype type = GetParam();
  if (kind(type) == dtype_kind::complex_floating) return;
  const std::int64_t ranks[] = {0, 3, 1024};
  for (const dims& shape : {dims{1, 1025}, dims{3, 4097}, dims{2, 20011}}) {
    compare(of("order_statistics", type),
            [&](device where) { return order_statistics(sample(type, shape, where), ranks); });
    for (const bool places : {false, true}) {
      compare(of("partition", type), [&](device where) {
        return partition("partition", sample(type, shape, where), ranks, 1, places);
      });
    }
    for (const std::int64_t count : {1, 33, 63, 64, 1025}) {
      for (const bool largest : {false, true}) {
        const auto found = [&](device where) {
          return topk(sample(type, shape, where), count, 1, largest);
        };
        compare(of("topk", type), [&](device where) { return found(where).values; });
        compare(of("indices of topk", type), [&](device where) { return found(where).indices; });
      }
    }
  }
}

class convolution_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, convolution_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(convolution_kernels_of, add_up_products) {
  const dtype type = GetParam();
  if (kind(type) == dtype_kind::boolean) return;
  for (const std::int64_t size : {1, 40, 4099}) {
    for (const std::int64_t taps : {1, 2, 33, 300}) {
      const std::int64_t all = size + taps - 1;
      compare(of("convolve", type), [&](device where) {
        const ndarray x = without_first(sample(type, dims{size + 1}, where), 1);
        return convolve(x, sample(type, dims{taps}, where, 4), 0, all);
      });
      compare(of("a part of convolve", type), [&](device where) {
        const ndarray y = without_first(sample(type, dims{taps + 1}, where, 4), 1);
        return convolve(sample(type, dims{size}, where), y, all / 3, (all + 1) / 2);
      });
    }
  }
}

struct drawn_numbers {
  const char* name;
  random_method method;
  random_arguments with;
  bool is_whole;  ///< int64
};
const drawn_numbers distributions[] = {
    {"uniform", random_method::uniform, {}, false},
    {"normal", random_method::normal, {}, false},
    {"exponential", random_method::exponential, {}, false},
    {"integer", random_method::integer, {.low = 3, .span = 999}, true},
    {"gamma", random_method::gamma, {.a = 2.5}, false},
    {"geometric", random_method::geometric, {.a = 0.25}, true},
    {"poisson", random_method::poisson, {.a = 20}, true},
    {"binomial", random_method::binomial, {.a = 100, .b = 0.25}, true}};

TEST(random_kernels, draw_the_same_numbers) {
  for (const drawn_numbers& each : distributions) {
    for (const std::int64_t size : {1, 255, 4099}) {
      for (const std::int64_t before : {0, 1}) {
        compare(each.name, [&](device where) {
          const dtype type = each.is_whole ? dtype::int64 : dtype::float64;
          const ndarray all = empty("draw", dims{size + before}, type, where);
          const ndarray out = without_first(all, before);
          draw(out, each.method, random_stream{}, each.with);
          return out;
        });
      }
    }
  }
}

}  // namespace
}  // namespace skerry::testing
