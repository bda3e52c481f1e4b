// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/convolution.hpp"

#include <string>

#include "core/errors.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/linear/convolution_kernels.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

Device check_vectors(const NdArray& x, const NdArray& taps) {
  const Operand both[] = {{.array = &x, .name = "a"}, {.array = &taps, .name = "v"}};
  const Device device = common_device(both);
  if (x.dtype() != taps.dtype()) {
    throw DtypeError(std::string("dtypes differ: ") + name(x.dtype()) + " and " +
                     name(taps.dtype()) + "; convert one with astype");
  }
  if (x.rank() != 1 || taps.rank() != 1) {
    throw ShapeError("a and v must be 1-D: " + describe(x) + ", " + describe(taps));
  }
  if (x.size() == 0 || taps.size() == 0) {
    throw ValueError("a and v must not be empty");
  }
  return device;
}

}  // namespace

NdArray convolve(const NdArray& x, const NdArray& taps, std::int64_t first, std::int64_t count) {
  const Device device = check_vectors(x, taps);
  if (first < 0 || count < 0 || first > x.size() + taps.size() - 1 - count) {
    throw ValueError("the convolution has no elements " + std::to_string(first) + " to " +
                     std::to_string(first + count));
  }
  if (const Dtype computed = computed_in(x.dtype()); computed != x.dtype()) {
    const NdArray wide =
        convolve(astype(x, computed, false), astype(taps, computed, false), first, count);
    return astype(wide, x.dtype(), false);
  }
  const Kernel<ConvolutionParams>& kernel = require_kernel(
      kernels<ConvolutionKernels>(device).kernel[static_cast<int>(x.dtype())], x.dtype(), device);
  const NdArray items = contiguous(x);
  const NdArray factors = contiguous(taps);
  NdArray out = empty(Dims{count}, x.dtype(), device);
  if (count == 0) return out;
  launch(device, kernel, [&](OperandList& operands) {
    return ConvolutionParams{.x = operands(items),
                             .size = items.size(),
                             .taps = operands(factors),
                             .tap_count = factors.size(),
                             .out = operands(out),
                             .first = first,
                             .count = count};
  });
  return out;
}

}  // namespace skerry
