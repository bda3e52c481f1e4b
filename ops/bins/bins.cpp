// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/bins/bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/memory.hpp"
#include "device/transfer.hpp"
#include "ops/bins/kernels.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "ops/reduce/reduce.hpp"

namespace skerry {
namespace {

void check_arguments(const NdArray& x, const NdArray* weights) {
  const Operand both[] = {{.array = &x, .name = "x"}, {.array = weights, .name = "weights"}};
  static_cast<void>(common_device({both, weights != nullptr ? 2u : 1u}));
  const DtypeKind numbers = kind(x.dtype());
  if (!is_integer(x.dtype()) && numbers != DtypeKind::boolean) {
    throw DtypeError(std::string("x must be of an integer dtype or bool, not ") + name(x.dtype()) +
                     "; convert it with astype");
  }
  if (x.rank() != 1) {
    throw ShapeError("x must be 1-D: " + describe(x) + "; reshape it");
  }
  if (weights == nullptr) return;
  if (kind(weights->dtype()) == DtypeKind::complex_floating) {
    throw DtypeError(std::string("weights must be of a real dtype or bool, not ") +
                     name(weights->dtype()));
  }
  if (weights->shape() != x.shape()) {
    throw ShapeError("weights must have the shape of x: " + to_string(weights->shape()) + " and " +
                     to_string(x.shape()));
  }
}

/// Returns the maximum of int64 numbers. Throws ValueError if one is negative: compared as unsigned
/// integers, negative numbers are the greatest.
std::int64_t find_max(const NdArray& numbers, Dtype type) {
  const NdArray bits(numbers.memory(), numbers.layout(), Dtype::uint64);
  static const reduction_id max_id = *find_reduction("max");
  const NdArray max_array = reduce(max_id, bits, std::nullopt, std::nullopt, false);
  std::int64_t value = 0;
  read_bytes(&value, max_array.memory(), static_cast<std::size_t>(max_array.layout().offset),
             sizeof value);
  if (value < 0 && type == Dtype::uint64) {
    throw ValueError("x has the number " + std::to_string(static_cast<std::uint64_t>(value)) +
                     ", which would need too many bins");
  }
  if (value < 0) {
    throw ValueError("x must not be negative: " + std::to_string(value) +
                     "; subtract the minimum first");
  }
  return value;
}

}  // namespace

NdArray count_numbers(const NdArray& x, const NdArray* weights, std::int64_t bins) {
  check_arguments(x, weights);
  const Device device = x.device();
  if (weights != nullptr) {
    require_count<BincountParams>(device, x.size(), "numbers with weights");
    require_count<BincountParams>(device, bins, "bins with weights");
  }
  const Kernel<BincountParams>& kernel =
      require_kernel(kernels<BinsKernels>(device).bincount, default_integer, device);
  const NdArray numbers = contiguous(astype(x, Dtype::int64, false));
  std::optional<NdArray> weight_values;
  if (weights != nullptr) weight_values = contiguous(astype(*weights, Dtype::float64, false));
  NdArray out = empty(Dims{bins}, weights != nullptr ? Dtype::float64 : Dtype::int64, device);
  if (bins == 0) return out;
  const std::int64_t parts = count_parts(x.size(), bins);
  launch(device, kernel, [&](OperandList& operands) {
    return BincountParams{.numbers = operands(numbers),
                          .size = x.size(),
                          .weights = operands(weight_values ? &*weight_values : nullptr),
                          .bins = bins,
                          .output = operands(out),
                          .scratch = operands.workspace((parts - 1) * bins * 8),
                          .parts = parts};
  });
  return out;
}

NdArray bincount(const NdArray& x, const NdArray* weights, std::int64_t min_bins) {
  check_arguments(x, weights);
  if (min_bins < 0) {
    throw ValueError("minlength must not be negative: " + std::to_string(min_bins));
  }
  // uint64 numbers beyond int64 become negative, and are rejected.
  const NdArray numbers = contiguous(astype(x, Dtype::int64, false));
  std::int64_t bins = min_bins;
  if (x.size() > 0) {
    const std::int64_t max_number = find_max(numbers, x.dtype());
    if (max_number == std::numeric_limits<std::int64_t>::max()) {
      throw ShapeError("x has the number 2^63 - 1, which would need too many bins");
    }
    bins = std::max(bins, max_number + 1);
  }
  const std::int64_t shape[] = {bins};
  check_shape(shape, sizeof(std::int64_t));
  return count_numbers(numbers, weights, bins);
}

NdArray histogram(const NdArray& x, const NdArray& edges, bool uniform, double first, double last) {
  const Operand both[] = {{.array = &x, .name = "a"}, {.array = &edges, .name = "bins"}};
  const Device device = common_device(both);
  const Dtype type = x.dtype();
  if (kind(type) != DtypeKind::real_floating || edges.dtype() != type) {
    throw DtypeError("a and bins must have the same real floating dtype, not " +
                     std::string(name(type)) + " and " + name(edges.dtype()));
  }
  const std::int64_t bins = edges.size() - 1;
  if (edges.rank() != 1 || bins < 1 || bins > INT32_MAX) {
    throw ValueError("bins must be a 1-D array of 2 to 2^31 edges: " + describe(edges));
  }
  const Kernel<HistogramParams>& kernel =
      require_kernel(kernels<BinsKernels>(device).histogram[static_cast<int>(type)], type, device);
  const NdArray items = contiguous(x);
  const NdArray bounds = contiguous(edges);
  NdArray out = empty(Dims{bins}, Dtype::int64, device);
  const std::int64_t parts = count_parts(x.size(), bins);
  const double scale = static_cast<double>(bins) / (last - first);
  launch(device, kernel, [&](OperandList& operands) {
    return HistogramParams{.items = operands(items),
                           .size = x.size(),
                           .edges = operands(bounds),
                           .bins = bins,
                           .uniform = uniform && std::isnormal(scale),
                           .first = first,
                           .scale = scale,
                           .output = operands(out),
                           .scratch = operands.workspace((parts - 1) * bins * 8),
                           .parts = parts};
  });
  return out;
}

}  // namespace skerry
