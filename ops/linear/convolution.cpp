// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/convolution.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/linear/convolution_kernels.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

constexpr const char* op = "convolve";

device check_vectors(const ndarray& x, const ndarray& taps) {
  const operand both[] = {{.array = &x, .name = "a"}, {.array = &taps, .name = "v"}};
  const device where = common_device(op, both);
  if (x.dtype() != taps.dtype()) {
    throw dtype_error(std::string(op) + ": dtypes differ: " + name(x.dtype()) + " and " +
                      name(taps.dtype()) + "; convert one with astype");
  }
  if (x.rank() != 1 || taps.rank() != 1) {
    throw shape_error(std::string(op) + ": vectors have one axis: " + describe(x) + ", " +
                      describe(taps));
  }
  if (x.size() == 0 || taps.size() == 0) {
    throw value_error(std::string(op) + ": a vector has no elements; give one or more");
  }
  return where;
}

}  // namespace

ndarray convolve(const ndarray& x, const ndarray& taps, std::int64_t first, std::int64_t count) {
  const device where = check_vectors(x, taps);
  if (first < 0 || count < 0 || first > x.size() + taps.size() - 1 - count) {
    throw value_error(std::string(op) + ": there are no elements " + std::to_string(first) +
                      " to " + std::to_string(first + count));
  }
  if (x.dtype() == dtype::float16) {
    const ndarray wide = convolve(astype(x, dtype::float32, false),
                                  astype(taps, dtype::float32, false), first, count);
    return astype(wide, dtype::float16, false);
  }
  const kernel& what = require_kernel(
      op, kernels<convolution_kernels>(where).loop[static_cast<int>(x.dtype())], x.dtype(), where);
  const ndarray items = contiguous(x);
  const ndarray factors = contiguous(taps);
  ndarray out = empty(op, dims{count}, x.dtype(), where);
  if (count == 0) return out;
  const convolution_params params{.x = items.data(),
                                  .size = items.size(),
                                  .taps = factors.data(),
                                  .tap_count = factors.size(),
                                  .out = out.data(),
                                  .first = first,
                                  .count = count};
  const memory_use uses[] = {writes(out), reads(items), reads(factors)};
  launch(where, what, params, uses);
  return out;
}

}  // namespace skerry
