// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
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

/// Writes first, first + 1, … into elements [begin, end).
void count_up(const kernel& what, const ndarray& out, std::int64_t begin, std::int64_t end,
              std::int64_t first) {
  if (begin == end) return;
  sequence_params params{};
  params.output = out.data() + begin * out.itemsize();
  params.size = end - begin;
  params.start = element::of(static_cast<double>(first));
  params.step = element::of(1.0);
  const memory_use uses[] = {writes(out)};
  launch(out.device(), what, params, uses);
}

}  // namespace

ndarray fft_frequencies(const char* op, std::int64_t n, double spacing, dtype type, device where,
                        bool half) {
  if (kind(type) != dtype_kind::real_floating) {
    throw dtype_error(std::string(op) + ": dtype must be real floating, not " + name(type));
  }
  if (n < 1) {
    throw value_error(std::string(op) + ": n must be at least 1, not " + std::to_string(n));
  }
  if (spacing == 0) throw value_error(std::string(op) + ": d is zero");
  // Whole numbers up to 2^53 are exact, and their quotients correctly rounded.
  constexpr dtype exact = dtype::float64;
  const dims shape{half ? n / 2 + 1 : n};
  const kernel& what = require_kernel(
      op, kernels<sequence_kernels>(where).loop[static_cast<int>(exact)], exact, where);
  ndarray numbers = empty(op, shape, exact, where);
  const std::int64_t positive = half ? n / 2 + 1 : (n + 1) / 2;
  count_up(what, numbers, 0, positive, 0);
  count_up(what, numbers, positive, shape[0], -(n / 2));
  const scalar divisor = scalar::of(spacing * static_cast<double>(n));
  const operand both[] = {{.array = &numbers, .name = "n"}, {.value = &divisor, .name = "d"}};
  return astype(apply_as(op, op_id_of<ops::divide>, both), type, false);
}

ndarray fft_shift(const ndarray& x, std::optional<std::span<const std::int64_t>> axes, bool back) {
  const char* op = back ? "ifftshift" : "fftshift";
  dims all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  const dims chosen = axes ? normalize_axes(op, *axes, x.rank()) : all;
  std::vector<std::int64_t> shifts;
  for (const std::int64_t axis : chosen) {
    const std::int64_t middle = x.shape()[static_cast<int>(axis)] / 2;
    shifts.push_back(back ? -middle : middle);
  }
  if (chosen.empty()) return copy_c_order(x);
  return roll(x, shifts, chosen.span());
}

}  // namespace skerry
