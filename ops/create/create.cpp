// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/create/create.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "core/scalar_conversion.hpp"
#include "core/view.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"

namespace skerry {
namespace {

/// Returns a bool matrix that is true where lower <= column - row <= upper.
NdArray band(std::int64_t rows, std::int64_t columns, std::int64_t lower, std::int64_t upper,
             Device device) {
  const Kernel<BandParams>& kernel =
      require_kernel(kernels<MovesKernels>(device).band, Dtype::bool_, device);
  NdArray out = empty(Dims{rows, columns}, Dtype::bool_, device);
  if (out.size() > 0) {
    launch(device, kernel, [&](OperandList& operands) {
      return BandParams{.output = operands(out),
                        .rows = rows,
                        .columns = columns,
                        .lower = lower,
                        .upper = upper};
    });
  }
  return out;
}

/// Clamps a diagonal's offset to the matrix, so that arithmetic on it can't overflow. The triangle
/// does not change.
std::int64_t clamp_offset(std::int64_t k, std::int64_t rows, std::int64_t columns) {
  return std::clamp(k, -rows, columns);
}

enum class Triangle : std::uint8_t { lower, upper };

NdArray keep_triangle(const NdArray& x, std::int64_t k, Triangle triangle) {
  if (x.rank() < 2) {
    throw ShapeError("x must have at least two axes: " + describe(x) +
                     "; add one with expand_dims");
  }
  const std::int64_t rows = x.shape()[x.rank() - 2];
  const std::int64_t columns = x.shape()[x.rank() - 1];
  const std::int64_t edge = clamp_offset(k, rows, columns);
  const NdArray mask = triangle == Triangle::lower ? band(rows, columns, -rows, edge, x.device())
                                                   : band(rows, columns, edge, columns, x.device());
  const Scalar zero =
      x.dtype() == Dtype::bool_ ? Scalar::from_value(false) : Scalar::from_value(std::int64_t{0});
  return where({.array = &mask, .name = "mask"}, {.array = &x}, {.value = &zero, .name = "zero"});
}

NdArray filled(const Dims& shape, const Scalar& value, Dtype type, Device device) {
  const Element entry = to_element(value, type);
  NdArray out = empty(shape, type, device);
  // Small arrays of zeros are written directly: no pending work uses new host memory.
  const auto* const bytes = reinterpret_cast<const char*>(entry.bytes);
  const bool is_zero = std::all_of(bytes, bytes + itemsize(type), [](char b) { return b == 0; });
  if (char* const data = host_address(out);
      data != nullptr && is_zero && out.nbytes() <= tuning::max_set_bytes) {
    std::fill_n(data, out.nbytes(), char{0});
    return out;
  }
  fill(out, value);
  return out;
}

}  // namespace

NdArray full(const Dims& shape, const Scalar& value, Dtype type, Device device) {
  return filled(shape, value, type, device);
}

NdArray zeros_like(const NdArray& x) {
  return filled(x.shape(), Scalar::from_value(false), x.dtype(), x.device());
}

NdArray eye(std::int64_t rows, std::int64_t columns, std::int64_t k, Dtype type, Device device) {
  const Dims shape{rows, columns};
  check_shape(shape.span(), itemsize(type));
  NdArray out = filled(shape, Scalar::from_value(false), type, device);
  const std::int64_t edge = clamp_offset(k, rows, columns);
  const std::int64_t row = std::max<std::int64_t>(-edge, 0);
  const std::int64_t column = std::max<std::int64_t>(edge, 0);
  const Dims length{std::min(rows - row, columns - column)};
  if (length[0] <= 0) return out;
  const std::int64_t width = out.itemsize();
  const Dims step{(columns + 1) * width};
  fill(out.view(Layout{length, step, (row * columns + column) * width}), Scalar::from_value(true));
  return out;
}

NdArray tril(const NdArray& x, std::int64_t k) { return keep_triangle(x, k, Triangle::lower); }
NdArray triu(const NdArray& x, std::int64_t k) { return keep_triangle(x, k, Triangle::upper); }

std::vector<NdArray> meshgrid(std::span<const NdArray> arrays, bool xy_indexing) {
  if (arrays.empty()) return {};
  common_device(arrays);
  const int count = static_cast<int>(arrays.size());
  const auto axis_of = [&](int i) { return xy_indexing && count > 1 && i < 2 ? 1 - i : i; };
  if (count > max_rank) {
    throw ShapeError("too many arrays: " + std::to_string(count) + "; at most 64");
  }
  Dims shape(count);
  for (int i = 0; i < count; ++i) {
    const NdArray& x = arrays[static_cast<std::size_t>(i)];
    if (x.rank() > 1) {
      throw ShapeError("arrays[" + std::to_string(i) + "] has more than one axis: " + describe(x));
    }
    shape[axis_of(i)] = x.size();
  }
  std::vector<NdArray> grids;
  grids.reserve(arrays.size());
  for (int i = 0; i < count; ++i) {
    const NdArray& x = arrays[static_cast<std::size_t>(i)];
    Layout along{Dims(count, 1), Dims(count), x.layout().offset};
    along.shape[axis_of(i)] = x.size();
    along.strides[axis_of(i)] = x.rank() == 0 ? 0 : x.strides()[0];
    NdArray grid = x.view(broadcast_to(along, shape));
    grids.push_back(grid.shape() == along.shape ? grid : grid.read_only_view());
  }
  return grids;
}

}  // namespace skerry
