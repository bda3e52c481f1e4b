// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/create/kernels.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/fourier/fft.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/rearrange.hpp"

namespace skerry {
namespace {

/// Writes first, first + 1, ... into elements [begin, end).
void count_up(const Kernel<SequenceParams>& kernel, const NdArray& out, std::int64_t begin,
              std::int64_t end, std::int64_t first) {
  if (begin == end) return;
  launch(out.device(), kernel, [&](OperandList& operands) {
    return SequenceParams{.output = operands(out, begin * out.itemsize()),
                          .size = end - begin,
                          .start = Element::from_value(static_cast<double>(first)),
                          .step = Element::from_value(1.0),
                          .last = {},
                          .has_last = false};
  });
}

}  // namespace

NdArray fft_frequencies(std::int64_t n, double spacing, Dtype type, Device device, bool half) {
  if (kind(type) != DtypeKind::real_floating) {
    throw DtypeError(std::string("dtype must be real floating, not ") + name(type));
  }
  if (n < 1) {
    throw ValueError("n must be at least 1, not " + std::to_string(n));
  }
  if (spacing == 0) throw ValueError("d must not be zero");
  // Compute in float64, in which integers up to 2^53 are exact, so that quotients are correctly
  // rounded; on the host for a device without float64.
  constexpr Dtype exact = Dtype::float64;
  if (!has_dtype(device, exact)) {
    require_dtype(device, type);
    return to_device(fft_frequencies(n, spacing, type, Device{}, half), device);
  }
  const Dims shape{half ? n / 2 + 1 : n};
  const Kernel<SequenceParams>& kernel = require_kernel(
      kernels<SequenceKernels>(device).kernel[static_cast<int>(exact)], exact, device);
  NdArray numbers = empty(shape, exact, device);
  const std::int64_t positive = half ? n / 2 + 1 : (n + 1) / 2;
  count_up(kernel, numbers, 0, positive, 0);
  count_up(kernel, numbers, positive, shape[0], -(n / 2));
  const Scalar divisor = Scalar::from_value(spacing * static_cast<double>(n));
  const Operand both[] = {{.array = &numbers, .name = "n"}, {.value = &divisor, .name = "d"}};
  return astype(apply(op_id_of<ops::divide>, both), type, false);
}

NdArray fft_shift(const NdArray& x, std::optional<std::span<const std::int64_t>> axes, bool back) {
  Dims all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  const Dims selected_axes = axes ? normalize_axes(*axes, x.rank()) : all;
  std::vector<std::int64_t> shifts;
  for (const std::int64_t axis : selected_axes) {
    const std::int64_t middle = x.shape()[static_cast<int>(axis)] / 2;
    shifts.push_back(back ? -middle : middle);
  }
  if (selected_axes.empty()) return copy_c_order(x);
  return roll(x, shifts, selected_axes.span());
}

}  // namespace skerry
