// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fourier/fft_plan.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/axis_list.hpp"
#include "core/errors.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/error_record.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/library.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/fourier/kernels.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry {
namespace {

int precision(Dtype type) { return real_part(type) == Dtype::float32 ? 0 : 1; }

/// True if addresses and strides are multiples of the item sizes that the kernel requires.
bool is_addressable(const NdArray& x) {
  const std::int64_t width = x.itemsize();
  // cuFFT requires real arrays to have the alignment of complex ones, too.
  const std::int64_t alignment = limits_of<FftParams>(x.device()).complex_alignment
                                     ? itemsize(complex_of(x.dtype()))
                                     : itemsize(real_part(x.dtype()));
  if (reinterpret_cast<std::uintptr_t>(x.data()) % static_cast<std::uint64_t>(alignment) != 0) {
    return false;
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] > 1 && x.strides()[axis] % width != 0) return false;
  }
  return true;
}

/// Returns the stride along an axis. For an axis of one element, returns that of C order: any
/// stride would do, but libraries reject 0 and negative ones.
std::int64_t stride_along(const NdArray& x, int axis) {
  if (x.shape()[axis] > 1) return x.strides()[axis];
  for (int inner = axis + 1; inner < x.rank(); ++inner) {
    if (x.shape()[inner] > 1) return x.strides()[inner] * x.shape()[inner];
  }
  return x.itemsize();
}

bool contains(const Dims& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// Returns the axes that are not transformed, along which both arrays have the same extents.
AxisList<2> batch_axes(const NdArray& x, const NdArray& out, const Dims& axes, const Dims& shape) {
  AxisList<2> batch;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (!contains(axes, axis)) batch.add(shape[axis], {x.strides()[axis], out.strides()[axis]});
  }
  batch.coalesce();
  return batch;
}

/// Fills in the axes of `params`, which must have room for them.
void describe_axes(const NdArray& x, const NdArray& out, const AxisList<2>& batch, const Dims& axes,
                   const Dims& shape, FftParams& params) {
  params.rank = 0;
  const auto append = [&](std::int64_t extent, std::int64_t input_stride,
                          std::int64_t output_stride) {
    params.shape[params.rank] = extent;
    params.input_strides[params.rank] = input_stride;
    params.output_strides[params.rank++] = output_stride;
  };
  for (int i = batch.size() - 1; i >= 0; --i) {  // the kernels expect the slowest first
    append(batch[i].extent, batch[i].strides[0], batch[i].strides[1]);
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (contains(axes, axis)) append(shape[axis], stride_along(x, axis), stride_along(out, axis));
  }
  params.transformed = axes.rank();
}

[[noreturn]] void raise_out_of_memory(const DeferredError& error, std::int64_t) {
  const Device device{static_cast<DeviceKind>(error.values[0]),
                      static_cast<std::int16_t>(error.values[0] >> 8)};
  const auto nbytes = static_cast<std::size_t>(error.values[1]);
  throw OutOfMemoryError("no workspace memory for a result of " + std::to_string(nbytes) +
                             " bytes on " + to_string(device) +
                             "; free arrays that are not needed any more",
                         device, nbytes);
}

/// Enqueues one kernel from `x` into `out`. `shape` is that of the real side, or of both.
void enqueue(const FftPlan& plan, const Kernel<FftParams>& kernels_of_type, const NdArray& x,
             const NdArray& out, const Dims& axes, const Dims& shape, bool mirrored) {
  const Device device = x.device();
  const Kernel<FftParams>& kernel = require_kernel(kernels_of_type, x.dtype(), device);
  NdArray source = x;
  AxisList<2> batch = batch_axes(x, out, axes, shape);
  if (!is_addressable(x) || batch.size() + axes.rank() > FftParams::max_axes) {
    source = copy_c_order(x);
    batch = batch_axes(source, out, axes, shape);
  }
  const DeferredError error{
      .raise = raise_out_of_memory,
      .values = {static_cast<std::int64_t>(device.kind) | (std::int64_t{device.index} << 8),
                 out.nbytes()}};
  ErrorRecord record(device, error, FftParams::native_form_finds_errors);
  launch(device, kernel, [&](OperandList& operands) {
    FftParams params{.input = operands(source),
                     .output = operands(out),
                     .scale = plan.scale,
                     .rank = 0,
                     .transformed = 0,
                     .shape = {},
                     .input_strides = {},
                     .output_strides = {},
                     .forward = plan.forward,
                     .mirrored = mirrored,
                     .out_of_memory = record.word()};
    describe_axes(source, out, batch, axes, shape, params);
    return params;
  });
  record.finish();
}

/// Returns the number of trailing `axes` (in ascending order) to transform at once. A CUDA device
/// takes up to three adjacent axes of a C-contiguous array; the host form takes any.
int last_group(const Dims& axes, Device device) {
  int count = 1;
  while (count < std::min<int>(axes.rank(), FftParams::max_transformed)) {
    const int first = axes.rank() - count;
    if (limits_of<FftParams>(device).dense_operands && axes[first] != axes[first - 1] + 1) break;
    ++count;
  }
  return count;
}

std::int64_t product(const Dims& shape, int begin, int end) {
  std::int64_t result = 1;
  for (int axis = begin; axis < end; ++axis) result *= shape[axis];
  return result;
}

/// True if axes should be permuted first: with batch axes both before and after them, cuFFT is
/// called once per element of the former. If one side is real, with `real_length` elements along
/// the axis, the arrays of each call must also be aligned for complex numbers.
bool needs_permutation(const NdArray& x, const Dims& axes, std::int64_t real_length = 0) {
  constexpr std::int64_t max_calls = 16;
  if (!limits_of<FftParams>(x.device()).dense_operands) return false;
  const int first = static_cast<int>(axes[0]);
  const int past = static_cast<int>(axes[axes.rank() - 1]) + 1;
  const std::int64_t calls = product(x.shape(), 0, first);
  const std::int64_t behind = product(x.shape(), past, x.rank());
  const bool is_misaligned = real_length * behind % 2 != 0;
  return behind > 1 && calls > (is_misaligned ? 1 : max_calls);
}

Dims last_axes(int rank, int count) {
  Dims axes(count);
  for (int i = 0; i < count; ++i) axes[i] = rank - count + i;
  return axes;
}

const Kernel<FftParams>& complex_kernel(const NdArray& x) {
  return kernels<FftKernels>(x.device()).complex_to_complex[precision(x.dtype())];
}

/// Transforms a group of axes of a complex array into a new one.
NdArray transform_group(const FftPlan& plan, const NdArray& x, const Dims& axes) {
  if (needs_permutation(x, axes)) {
    const AxesAtEnd order(x.rank(), axes.span());
    const NdArray rows = copy_c_order(permute_dims(x, order.forward));
    enqueue(plan, complex_kernel(x), rows, rows, last_axes(x.rank(), axes.rank()), rows.shape(),
            false);
    return copy_c_order(permute_dims(rows, order.back));
  }
  const NdArray source = limits_of<FftParams>(x.device()).dense_operands ? contiguous(x) : x;
  NdArray out = empty(x.shape(), x.dtype(), x.device());
  enqueue(plan, complex_kernel(x), source, out, axes, x.shape(), false);
  return out;
}

Dims sorted(Dims axes) {
  std::sort(axes.begin(), axes.end());
  return axes;
}

Dims without_last(const Dims& axes, int count) {
  return Dims(axes.span().first(static_cast<std::size_t>(axes.rank() - count)));
}
Dims only_last(const Dims& axes, int count) {
  return Dims(axes.span().last(static_cast<std::size_t>(count)));
}

}  // namespace

void require_fft_library(const NdArray& x) {
  const Device device = x.device();
  const FftKernels& built = kernels<FftKernels>(device);
  const auto find_error_message = built.library_error_message;
  const char* const error_message = find_error_message != nullptr ? find_error_message() : nullptr;
  if (error_message != nullptr) throw_library_error("cuFFT", error_message);
  if (find_error_message != nullptr ||
      has_form(built.complex_to_complex[precision(x.dtype())], device))
    return;
  throw LibraryError(std::string("this build has no FFT for ") + name(x.dtype()) + " on " +
                     to_string(device) +
                     ": it was built with SKERRY_FFT=OFF or without that dtype "
                     "(SKERRY_DTYPES)");
}

NdArray FftPlan::complex_to_complex(const NdArray& x, const Dims& axes) const {
  const Dtype type = complex_of(x.dtype());
  if (axes.empty()) return copy_c_order(astype(x, type, false));
  const Dims order = sorted(axes);
  if (type != x.dtype()) {
    if (!limits_of<FftParams>(x.device()).dense_operands) {
      const NdArray first = real_to_complex(x, static_cast<int>(order[order.rank() - 1]), true);
      return FftPlan{forward, 1}.complex_in_place(first, without_last(order, 1));
    }
    const NdArray promoted = astype(x, type, false);
    return promoted.is_c_contiguous() ? complex_in_place(promoted, axes)
                                      : complex_to_complex(promoted, axes);
  }
  const int count = last_group(order, x.device());
  const NdArray first = transform_group(*this, x, only_last(order, count));
  return FftPlan{forward, 1}.complex_in_place(first, without_last(order, count));
}

NdArray FftPlan::complex_in_place(const NdArray& x, const Dims& axes) const {
  NdArray result = x;
  Dims left = sorted(axes);
  FftPlan plan = *this;
  while (!left.empty()) {
    const int count = last_group(left, x.device());
    const Dims group = only_last(left, count);
    if (needs_permutation(result, group)) {
      result = transform_group(plan, result, group);
    } else {
      enqueue(plan, complex_kernel(x), result, result, group, x.shape(), false);
    }
    left = without_last(left, count);
    plan.scale = 1;
  }
  return result;
}

NdArray FftPlan::real_to_complex(const NdArray& x, int axis, bool mirrored) const {
  const Device device = x.device();
  Dims shape = x.shape();
  if (!mirrored) shape[axis] = shape[axis] / 2 + 1;
  const Kernel<FftParams>& kernel =
      kernels<FftKernels>(device).real_to_complex[precision(x.dtype())];
  if (needs_permutation(x, Dims{axis}, x.shape()[axis])) {
    const AxesAtEnd order(x.rank(), Dims{axis}.span());
    const NdArray rows =
        real_to_complex(copy_c_order(permute_dims(x, order.forward)), x.rank() - 1, mirrored);
    return copy_c_order(permute_dims(rows, order.back));
  }
  const NdArray source = limits_of<FftParams>(device).dense_operands ? contiguous(x) : x;
  NdArray out = empty(shape, complex_of(x.dtype()), device);
  enqueue(*this, kernel, source, out, Dims{axis}, x.shape(), mirrored);
  return out;
}

NdArray FftPlan::complex_to_real(const NdArray& x, int axis, std::int64_t length) const {
  const Device device = x.device();
  Dims shape = x.shape();
  shape[axis] = length;
  const Kernel<FftParams>& kernel =
      kernels<FftKernels>(device).complex_to_real[precision(x.dtype())];
  if (needs_permutation(x, Dims{axis}, length)) {
    const AxesAtEnd order(x.rank(), Dims{axis}.span());
    const NdArray rows =
        complex_to_real(copy_c_order(permute_dims(x, order.forward)), x.rank() - 1, length);
    return copy_c_order(permute_dims(rows, order.back));
  }
  const NdArray source = limits_of<FftParams>(device).dense_operands ? contiguous(x) : x;
  NdArray out = empty(shape, real_part(x.dtype()), device);
  enqueue(*this, kernel, source, out, Dims{axis}, shape, false);
  return out;
}

}  // namespace skerry
