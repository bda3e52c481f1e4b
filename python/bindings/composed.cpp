// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/fourier/fft.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/convolution.hpp"
#include "ops/linear/matmul.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/join.hpp"
#include "ops/move/views.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/interpolation.hpp"
#include "python/bindings/value_args.hpp"

// Functions of skerry._extra that combine many operations of several families. They are in C++
// because Python's overhead would dominate for short arrays. skerry._extra checks the arguments.

namespace skerry::python {
namespace {

template <class Op>
NdArray call(const Operand& x1, const Operand& x2) {
  const Operand both[] = {x1, x2};
  return apply(op_id_of<Op>, both);
}

// Convolution.

// FFTs are faster for at least `many_taps` sums of at least `many_taps` products each. Up to
// `few_sums` sums are computed as separate dot products (1e5 float64, Zen 5).
constexpr std::int64_t many_taps = 384;
constexpr std::int64_t few_sums = 12;

/// Returns the smallest even number >= `n` without a prime factor above 5, a fast FFT length.
std::int64_t smooth(std::int64_t n) {
  const auto power_from = [](std::int64_t lower_bound) {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(lower_bound, 2))));
  };
  std::int64_t best = power_from(n);
  for (std::int64_t fives = 1; fives < best; fives *= 5) {
    for (std::int64_t factor = fives; factor < best; factor *= 3) {
      best = std::min(best, factor * power_from((n + factor - 1) / factor));
    }
  }
  return best;
}

NdArray transformed_sums(const NdArray& x, const NdArray& y, std::int64_t first,
                         std::int64_t count) {
  const bool real = kind(x.dtype()) == DtypeKind::real_floating;
  const Dtype wide = real ? Dtype::float64 : Dtype::complex128;
  const std::int64_t length = smooth(x.size() + y.size() - 1);
  const auto transform = [&](FftKind fft_kind, const NdArray& array) {
    return fft(fft_kind, array, length, -1, FftNorm::backward);
  };
  const FftKind forward_kind = real ? FftKind::rfft : FftKind::fft;
  const NdArray product = linalg::multiply(transform(forward_kind, astype(x, wide, false)),
                                           transform(forward_kind, astype(y, wide, false)));
  const NdArray all = transform(real ? FftKind::irfft : FftKind::ifft, product);
  return astype(slice_of(all, 0, first, count), x.dtype(), false);
}

/// Returns `count` elements of the convolution of `x` with the shorter `y`, from `first` on.
NdArray some_sums(const NdArray& x, const NdArray& y, std::int64_t first, std::int64_t count) {
  const std::int64_t taps = y.size();
  // A transform combines all elements: one infinity or NaN would spread to all sums.
  const auto is_finite = [](const NdArray& array) {
    return linalg::is_true(linalg::all(linalg::isfinite(array)));
  };
  if (taps >= many_taps && count >= many_taps && is_floating(x.dtype()) && is_finite(x) &&
      is_finite(y)) {
    return transformed_sums(x, y, first, count);
  }
  if (taps <= few_sums || count > few_sums || first < taps - 1 || first + count > x.size()) {
    return convolve(x, y, first, count);
  }
  const NdArray flipped_y = flip(linalg::conj(y), std::nullopt);
  std::vector<NdArray> sums;
  for (std::int64_t i = first; i < first + count; ++i) {
    sums.push_back(vecdot(flipped_y, slice_of(x, 0, i - taps + 1, taps), -1));
  }
  return stack(sums, 0);
}

/// Convolves two vectors of one dtype; if `is_correlation`, reverses and conjugates the second one.
NdArray convolution(const NdArray& x1, const NdArray& x2, int mode, bool is_correlation) {
  if (x1.dtype() == Dtype::bool_) {
    const NdArray counts = convolution(astype(x1, Dtype::int32, false),
                                       astype(x2, Dtype::int32, false), mode, is_correlation);
    return linalg::not_equal(counts, Scalar::from_value(std::int64_t{0}));
  }
  const bool is_complex = kind(x1.dtype()) == DtypeKind::complex_floating;
  const NdArray y = is_correlation ? flip(is_complex ? linalg::conj(x2) : x2, std::nullopt) : x2;
  const bool swapped = x1.size() < y.size();
  const std::int64_t longer = std::max(x1.size(), y.size());
  const std::int64_t shorter = std::min(x1.size(), y.size());
  const std::int64_t middle = is_correlation && swapped ? shorter / 2 : (shorter - 1) / 2;
  const std::pair<std::int64_t, std::int64_t> ranges[] = {
      {0, longer + shorter - 1}, {middle, longer}, {shorter - 1, longer - shorter + 1}};
  const auto [first, count] = ranges[mode];
  return swapped ? some_sums(y, x1, first, count) : some_sums(x1, y, first, count);
}

/// Returns an argument as a vector. Throws ShapeError above 1-D, ValueError if empty.
NdArray vector_of(const Arguments& arguments, int parameter) {
  const NdArray& x = array_argument(arguments, parameter);
  const auto error_message = [&](const std::string& description) {
    return (parameter == 0 ? "a has " : "v has ") + description;
  };
  if (x.rank() > 1) {
    throw ShapeError(error_message(std::to_string(x.rank()) + " axes; pass a 1-D array"));
  }
  if (x.size() == 0) throw ValueError(error_message("no elements; pass at least one"));
  const std::int64_t flat[] = {-1};
  return x.rank() == 1 ? x : reshape(x, flat, std::nullopt);
}

template <bool IsCorrelation>
PyObject* run_convolution(const Arguments& arguments) {
  const NdArray x = vector_of(arguments, 0);
  const NdArray y = vector_of(arguments, 1);
  const int mode = choice(arguments, 2, {"full", "same", "valid"});
  return wrap_result(x.size() + y.size() > min_size_without_gil / 8,
                     [&] { return convolution(x, y, mode, IsCorrelation); });
}

// Interpolation.

PyObject* run_interp(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const NdArray& xp = array_argument(arguments, 1);
  const NdArray& fp = array_argument(arguments, 2);
  return wrap_result(x.size() + xp.size() > min_size_without_gil / 8,
                     [&] { return interpolated(x, xp, fp); });
}

// Products.

/// Prepends axes up to `rank`, then inserts an axis of length 1 after each axis (`behind`) or
/// before it.
NdArray with_gaps(const NdArray& x, int rank, bool behind) {
  Dims shape(2 * rank, 1);
  for (int axis = 0; axis < x.rank(); ++axis) {
    shape[2 * (rank - x.rank() + axis) + (behind ? 0 : 1)] = x.shape()[axis];
  }
  return reshape(x, shape.span(), std::nullopt);
}

NdArray kronecker(const NdArray& x, const NdArray& y) {
  const int rank = std::max(x.rank(), y.rank());
  const NdArray first = with_gaps(x, rank, true);
  const NdArray second = with_gaps(y, rank, false);
  const NdArray product = x.dtype() == Dtype::bool_ ? call<ops::bitwise_and>({&first}, {&second})
                                                    : linalg::multiply(first, second);
  Dims shape(rank);
  for (int axis = 0; axis < rank; ++axis) {
    shape[axis] = product.shape()[2 * axis] * product.shape()[2 * axis + 1];
  }
  return reshape(product, shape.span(), std::nullopt);
}

PyObject* run_kron(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const NdArray& y = array_argument(arguments, 1);
  return wrap_result(x.size() > min_size_without_gil / std::max<std::int64_t>(y.size(), 1),
                     [&] { return kronecker(x, y); });
}

// Views.

/// Splits an axis before each of the indices, which are interpreted like slice bounds.
PyObject* run_cut(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::int64_t along = integer(arguments, 1);
  const std::vector<std::int64_t> indices = integers(arguments, 2);
  const OperationScope scope("split");
  const int axis = normalize_axis(along, x.rank());
  const std::int64_t n = x.shape()[axis];
  Object parts(PyList_New(static_cast<Py_ssize_t>(indices.size()) + 1));
  std::int64_t begin = 0;
  for (std::size_t i = 0; i <= indices.size(); ++i) {
    const std::int64_t index = i < indices.size() ? indices[i] : n;
    const std::int64_t end = std::clamp<std::int64_t>(index < 0 ? index + n : index, 0, n);
    const std::int64_t length = std::max<std::int64_t>(end - begin, 0);
    PyList_SET_ITEM(parts.get(), static_cast<Py_ssize_t>(i),
                    wrap_result(false, [&] { return slice_of(x, axis, begin, length); }));
    begin = end;
  }
  return parts.release();
}

PyObject* run_require_objects(const Arguments& arguments) {
  const auto count = static_cast<double>(integer(arguments, 1));
  const OperationScope scope(utf8(arguments[0]));
  require_memory_for_objects(count, nbytes_of_array);
  Py_RETURN_NONE;
}

/// Creates an array of another shape with the dtype, the device and the memory order of x's axes.
PyObject* run_empty_in_order(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> shape = integers(arguments, 1);
  return wrap(apply_in_order(x, [&](const NdArray&, std::span<const std::int64_t> axes) {
    Dims ordered(x.rank());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      ordered[static_cast<int>(axes[axis])] = shape[axis];
    }
    return empty(ordered, x.dtype(), x.device());
  }));
}

constexpr FunctionEntry composed_functions[] = {
    {"convolve", "(a, v, mode, /)", nullptr, run_convolution<false>},
    {"correlate", "(a, v, mode, /)", nullptr, run_convolution<true>},
    {"cut", "(x, axis, indices, /)", nullptr, run_cut},
    {"empty_in_order", "(x, shape, /)", nullptr, run_empty_in_order},
    {"interp", "(x, xp, fp, /)", nullptr, run_interp},
    {"kron", "(a, b, /)", nullptr, run_kron},
    {"require_objects", "(name, count, /)",
     "Raise OutOfMemoryError, in the name of a function, if memory can't hold that many Array "
     "objects, or objects of their size.",
     run_require_objects},
};

}  // namespace

void add_composed(PyObject* module) {
  add_functions<composed_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
