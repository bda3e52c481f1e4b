// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fourier/fft.hpp"

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "ops/call/device_dtypes.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

using optional_integers = std::optional<std::vector<std::int64_t>>;

FftNorm parse_norm(const Arguments& arguments) {
  constexpr FftNorm norms[] = {FftNorm::backward, FftNorm::ortho, FftNorm::forward};
  return arguments.has(3) ? norms[choice(arguments, 3, {"backward", "ortho", "forward"})]
                          : norms[0];
}

optional_integers parse_optional(const Arguments& arguments, int parameter) {
  if (!arguments.has(parameter)) return std::nullopt;
  return integers(arguments, parameter);
}

constexpr std::int64_t long_transform = min_size_without_gil / 8;

template <FftKind Kind>
PyObject* run_fft(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::optional<std::int64_t> n = optional_integer(arguments, 1);
  const std::int64_t axis = integer(arguments, 2, -1);
  const FftNorm norm = parse_norm(arguments);
  return wrap(
      run_without_gil(x.size() > long_transform, [&] { return fft(Kind, x, n, axis, norm); }));
}

/// Replaces lengths of -1 by the length of their axis.
void fill_lengths(const NdArray& x, const optional_integers& axes, optional_integers& lengths) {
  if (!lengths) return;
  const auto count = static_cast<std::int64_t>(lengths->size());
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t& length = (*lengths)[static_cast<std::size_t>(i)];
    if (length != -1 || (axes && axes->size() != lengths->size())) continue;
    const std::int64_t axis = axes ? (*axes)[static_cast<std::size_t>(i)] : i - count;
    if (axis >= -x.rank() && axis < x.rank()) {
      length = x.shape()[static_cast<int>(axis < 0 ? axis + x.rank() : axis)];
    }
  }
}

/// `IsPlanar`: the axes are the last two by default.
template <FftKind Kind, bool IsPlanar = false>
PyObject* run_fftn(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  optional_integers lengths = parse_optional(arguments, 1);
  optional_integers axes = parse_optional(arguments, 2);
  if (IsPlanar && arguments[2] == nullptr) axes = {-2, -1};
  fill_lengths(x, axes, lengths);
  const FftNorm norm = parse_norm(arguments);
  return wrap_result(x.size() > long_transform, [&] { return fftn(Kind, x, lengths, axes, norm); });
}

template <bool Half>
PyObject* run_frequencies(const Arguments& arguments) {
  const std::int64_t n = integer(arguments, 0);
  const double spacing = arguments[1] != nullptr ? number(arguments, 1) : 1;
  const std::optional<Dtype> requested_dtype = parse_optional_dtype(arguments[2]);
  const Device device = device_or_default(arguments[3]);
  const Dtype type = requested_dtype.value_or(default_dtype_on(device, default_real));
  return wrap(fft_frequencies(n, spacing, type, device, Half));
}

template <bool Back>
PyObject* run_shift(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const optional_integers axes = parse_optional(arguments, 1);
  return wrap_result(x.size() > min_size_without_gil, [&] { return fft_shift(x, axes, Back); });
}

#define SKERRY_FFT_SIGNATURE "(x, /, n=None, axis=-1, norm='backward', out=None)"
#define SKERRY_FFTN_SIGNATURE "(x, /, s=None, axes=None, norm='backward', out=None)"
#define SKERRY_FFT2_SIGNATURE "(x, /, s=None, axes=(-2,-1), norm='backward', out=None)"
#define SKERRY_FFT_CONVERSION                                                                \
  "Integers and bools are converted to\n    float64 unless promotion is strict; float16 is " \
  "computed in float32.\n"
#define SKERRY_FFT_COMPLEX \
  "Parameters\n----------\nx : Array\n    Real x is cast to complex. " SKERRY_FFT_CONVERSION
#define SKERRY_FFT_REAL "Parameters\n----------\nx : Array\n    Real. " SKERRY_FFT_CONVERSION
#define SKERRY_FFT_N                                                                           \
  "n : int, optional\n    Length of the transform: x is truncated or padded with zeros along " \
  "the axis. By\n    default, the length of the axis.\n"
#define SKERRY_FFT_N_OUT                                                                    \
  "n : int, optional\n    Length of the result along the axis, 2 (m - 1) by default for m " \
  "elements of x; x is\n    truncated or padded with zeros to n // 2 + 1 elements.\n"
#define SKERRY_FFT_SCALE                                                                      \
  "norm : {'backward', 'ortho', 'forward'}\n    Scale the inverse transform by 1/n, both by " \
  "1/sqrt(n), or the forward\n    transform by 1/n"
#define SKERRY_FFT_OUT                                                                    \
  "out : Array, optional\n    Of the shape and device of the result, which is stored in " \
  "it.\n"
#define SKERRY_FFT_NORM SKERRY_FFT_SCALE ".\n" SKERRY_FFT_OUT
#define SKERRY_FFTN_NORM \
  SKERRY_FFT_SCALE ", where n is the product of the lengths along the axes.\n" SKERRY_FFT_OUT
#define SKERRY_FFT_AXIS "axis : int\n    Axis to transform; the last by default.\n"
#define SKERRY_FFT_S                                                                       \
  "s : sequence of ints, optional\n    Length along each of the axes, like n of the 1-D "  \
  "function; -1 is the length of the axis.\n"                                              \
  "axes : sequence of ints, optional\n    Axes to transform; all by default, or the last " \
  "len(s).\n"
#define SKERRY_FFT2_S                                                                           \
  "s : sequence of ints, optional\n    Length along each of the axes, like n of the 1-D "       \
  "function; -1 is the length of the axis.\n"                                                   \
  "axes : sequence of ints, optional\n    Axes to transform, the last two by default; None as " \
  "in the function of several axes.\n"
#define SKERRY_FFT_RETURNS(result) "\nReturns\n-------\nArray\n    " result " On the device of x.\n"
#define SKERRY_EXAMPLES "\nExamples\n--------\n>>> import skerry as sk\n"
#define SKERRY_COMPLEX_TYPE_ERROR \
  "\nRaises\n------\nTypeError\n    For integers and bools under strict promotion.\n"
#define SKERRY_REAL_TYPE_ERROR                                                              \
  "\nRaises\n------\nTypeError\n    For complex x, or for integers and bools under strict " \
  "promotion.\n"
#define SKERRY_AXIS_ERROR "AxisError\n    For an axis that x does not have.\n"
#define SKERRY_FFT_VALUE_ERROR \
  SKERRY_AXIS_ERROR "ValueError\n    For a length below 1 or an unknown norm.\n" SKERRY_EXAMPLES
#define SKERRY_FFTN_VALUE_ERROR                                                            \
  SKERRY_AXIS_ERROR                                                                        \
  "ValueError\n    For a length below 1, repeated axes, an unknown norm, s and axes of "   \
  "different lengths, or\n    more lengths than x has axes; rfftn and irfftn also for no " \
  "axes.\n" SKERRY_EXAMPLES
#define SKERRY_FFT_ERRORS SKERRY_COMPLEX_TYPE_ERROR SKERRY_FFT_VALUE_ERROR
#define SKERRY_RFFT_ERRORS SKERRY_REAL_TYPE_ERROR SKERRY_FFT_VALUE_ERROR
#define SKERRY_FFTN_ERRORS SKERRY_COMPLEX_TYPE_ERROR SKERRY_FFTN_VALUE_ERROR
#define SKERRY_RFFTN_ERRORS SKERRY_REAL_TYPE_ERROR SKERRY_FFTN_VALUE_ERROR
#define SKERRY_FREQUENCIES_DOC                                                                 \
  "Parameters\n----------\nn : int\n    Length of the transform, at least 1.\nd : float\n    " \
  "Sample spacing, not 0.\ndtype : dtype, optional\n    Real floating; float64 by default.\n"  \
  "device : Device or str, optional\n    By default the device of `with skerry.device(...)`, " \
  "else of set_default_device, else cpu:0.\n\nReturns\n-------\nArray\n    1-D, "              \
  "on that device.\n\nRaises\n------\nValueError\n    If n is below 1 or d is 0.\n"            \
  "TypeError\n    If dtype is not real floating.\nDeviceUnavailableError\n    If the device "  \
  "can't be used.\n" SKERRY_EXAMPLES
#define SKERRY_SHIFT_DOC                                                                         \
  "Parameters\n----------\nx : Array\n    Of any dtype.\naxes : int or sequence of ints, "       \
  "optional\n    Axes to shift; all by default.\n\nReturns\n-------\nArray\n    A copy, of the " \
  "shape and dtype of x.\n\nRaises\n------\n" SKERRY_AXIS_ERROR                                  \
  "ValueError\n    For repeated axes.\n" SKERRY_EXAMPLES

constexpr FunctionEntry fft_functions[] = {
    {"fft", SKERRY_FFT_SIGNATURE,
     "The discrete Fourier transform along an axis: sum of x[j] exp(-2 pi i jk / n) over "
     "j.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT_N SKERRY_FFT_AXIS SKERRY_FFT_NORM SKERRY_FFT_RETURNS(
         "Complex: complex64 for float16, float32 and complex64, else complex128.")
         SKERRY_FFT_ERRORS
     ">>> sk.fft.fft(sk.asarray([2 + 1j, 2, 1, 4]))\n"
     "Array([ 9.+1.j,  1.+3.j, -3.+1.j,  1.-1.j], dtype=complex128, device='cpu:0')",
     run_fft<FftKind::fft>},
    {"fft2", SKERRY_FFT2_SIGNATURE,
     "The discrete Fourier transform over two axes.\n\nSource: NumPy, "
     "numpy.fft.fft2.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT2_S SKERRY_FFTN_NORM SKERRY_FFT_RETURNS(
         "Complex: complex64 for float16, float32 and complex64, else complex128.")
         SKERRY_FFTN_ERRORS
     ">>> sk.fft.fft2(sk.ones((2, 2)))\n"
     "Array([[4.+0.j, 0.+0.j],\n       [0.+0.j, 0.+0.j]], dtype=complex128, device='cpu:0')",
     run_fftn<FftKind::fft, true>},
    {"fftfreq", "(n, d=1.0, *, dtype=None, device=None)",
     "The frequencies of the elements of fft: [0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1] / "
     "(d n).\n\n" SKERRY_FREQUENCIES_DOC ">>> sk.fft.fftfreq(4, d=0.5)\n"
     "Array([ 0. ,  0.5, -1. , -0.5], dtype=float64, device='cpu:0')",
     run_frequencies<false>},
    {"fftn", SKERRY_FFTN_SIGNATURE,
     "The discrete Fourier transform over several axes.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT_S
         SKERRY_FFTN_NORM SKERRY_FFT_RETURNS(
             "Complex: complex64 for float16, float32 and complex64, else complex128.")
             SKERRY_FFTN_ERRORS
     ">>> sk.fft.fftn(sk.ones((2, 2)))\n"
     "Array([[4.+0.j, 0.+0.j],\n       [0.+0.j, 0.+0.j]], dtype=complex128, device='cpu:0')",
     run_fftn<FftKind::fft>},
    {"fftshift", "(x, /, axes=None)",
     "Shift the zero frequency to the center of the axes, all of them by "
     "default.\n\n" SKERRY_SHIFT_DOC ">>> sk.fft.fftshift(sk.fft.fftfreq(4))\n"
     "Array([-0.5 , -0.25,  0.  ,  0.25], dtype=float64, device='cpu:0')",
     run_shift<false>},
    {"hfft", SKERRY_FFT_SIGNATURE,
     "The real transform of a signal with Hermitian symmetry, given by its first "
     "half.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT_N_OUT SKERRY_FFT_AXIS SKERRY_FFT_NORM
         SKERRY_FFT_RETURNS("Real: float32 for float16, float32 and complex64, else float64.")
             SKERRY_FFT_ERRORS ">>> sk.fft.hfft(sk.asarray([1.0, 2.0, 3.0]))\n"
                               "Array([ 8., -2.,  0., -2.], dtype=float64, device='cpu:0')",
     run_fft<FftKind::hfft>},
    {"ifft", SKERRY_FFT_SIGNATURE,
     "The inverse of fft.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT_N SKERRY_FFT_AXIS SKERRY_FFT_NORM
         SKERRY_FFT_RETURNS(
             "Complex: complex64 for float16, float32 and complex64, else complex128.")
             SKERRY_FFT_ERRORS
     ">>> sk.fft.ifft(sk.asarray([9 + 1j, 1 + 3j, -3 + 1j, 1 - 1j])).tolist()[0]\n(2+1j)",
     run_fft<FftKind::ifft>},
    {"ifft2", SKERRY_FFT2_SIGNATURE,
     "The inverse of fft2.\n\nSource: NumPy, numpy.fft.ifft2.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT2_S
         SKERRY_FFTN_NORM SKERRY_FFT_RETURNS(
             "Complex: complex64 for float16, float32 and complex64, else complex128.")
             SKERRY_FFTN_ERRORS
     ">>> sk.fft.ifft2(sk.asarray([[4.0, 0.0], [0.0, 0.0]]))\n"
     "Array([[1.+0.j, 1.+0.j],\n       [1.+0.j, 1.+0.j]], dtype=complex128, device='cpu:0')",
     run_fftn<FftKind::ifft, true>},
    {"ifftn", SKERRY_FFTN_SIGNATURE,
     "The inverse of fftn.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT_S SKERRY_FFTN_NORM SKERRY_FFT_RETURNS(
         "Complex: complex64 for float16, float32 and complex64, else complex128.")
         SKERRY_FFTN_ERRORS
     ">>> sk.fft.ifftn(sk.asarray([[4.0, 0.0], [0.0, 0.0]]))\n"
     "Array([[1.+0.j, 1.+0.j],\n       [1.+0.j, 1.+0.j]], dtype=complex128, device='cpu:0')",
     run_fftn<FftKind::ifft>},
    {"ifftshift", "(x, /, axes=None)",
     "The inverse of fftshift.\n\n" SKERRY_SHIFT_DOC
     ">>> sk.fft.ifftshift(sk.asarray([-1, 0, 1]))\n"
     "Array([ 0,  1, -1], dtype=int64, device='cpu:0')",
     run_shift<true>},
    {"ihfft", SKERRY_FFT_SIGNATURE,
     "The inverse of hfft: the first half of the Hermitian signal "
     "whose transform is x.\n\n" SKERRY_FFT_REAL SKERRY_FFT_N SKERRY_FFT_AXIS SKERRY_FFT_NORM
         SKERRY_FFT_RETURNS("Complex, with n // 2 + 1 elements along the axis: complex64 for "
                            "float16 and float32, else\n    complex128.") SKERRY_RFFT_ERRORS
     ">>> sk.real(sk.fft.ihfft(sk.asarray([8.0, -2.0, 0.0, -2.0])))\n"
     "Array([1., 2., 3.], dtype=float64, device='cpu:0')",
     run_fft<FftKind::ihfft>},
    {"irfft", SKERRY_FFT_SIGNATURE,
     "The inverse of rfft.\n\nThe imaginary parts of the first element and, for even n, of "
     "element n // 2 are ignored: a\nHermitian spectrum has zeros there.\n\n" SKERRY_FFT_COMPLEX
         SKERRY_FFT_N_OUT SKERRY_FFT_AXIS SKERRY_FFT_NORM SKERRY_FFT_RETURNS(
             "Real: float32 for float16, float32 and complex64, else float64.") SKERRY_FFT_ERRORS
     ">>> sk.fft.irfft(sk.asarray([1.0, 1.0, 1.0]))\n"
     "Array([1., 0., 0., 0.], dtype=float64, device='cpu:0')",
     run_fft<FftKind::irfft>},
    {"irfft2", SKERRY_FFT2_SIGNATURE,
     "The inverse of rfft2; x holds the first half of the spectrum along the last of the "
     "axes.\n\nSource: NumPy, numpy.fft.irfft2.\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT2_S
         SKERRY_FFTN_NORM SKERRY_FFT_RETURNS(
             "Real: float32 for float16, float32 and complex64, else float64.") SKERRY_FFTN_ERRORS
     ">>> sk.fft.irfft2(sk.asarray([[4.0, 0.0], [0.0, 0.0]]))\n"
     "Array([[1., 1.],\n       [1., 1.]], dtype=float64, device='cpu:0')",
     run_fftn<FftKind::irfft, true>},
    {"irfftn", SKERRY_FFTN_SIGNATURE,
     "The inverse of rfftn; x holds the first half of the spectrum along the last of the axes."
     "\n\n" SKERRY_FFT_COMPLEX SKERRY_FFT_S SKERRY_FFTN_NORM SKERRY_FFT_RETURNS(
         "Real: float32 for float16, float32 and complex64, else float64.") SKERRY_FFTN_ERRORS
     ">>> sk.fft.irfftn(sk.asarray([[4.0, 0.0], [0.0, 0.0]]))\n"
     "Array([[1., 1.],\n       [1., 1.]], dtype=float64, device='cpu:0')",
     run_fftn<FftKind::irfft>},
    {"rfft", SKERRY_FFT_SIGNATURE,
     "The first half of the transform of real elements, which determines the "
     "other.\n\n" SKERRY_FFT_REAL SKERRY_FFT_N SKERRY_FFT_AXIS SKERRY_FFT_NORM SKERRY_FFT_RETURNS(
         "Complex, with n // 2 + 1 elements along the axis: complex64 for float16 and float32, "
         "else\n    complex128.") SKERRY_RFFT_ERRORS
     ">>> sk.real(sk.fft.rfft(sk.asarray([1.0, 2.0, 4.0, 8.0])))\n"
     "Array([15., -3., -5.], dtype=float64, device='cpu:0')",
     run_fft<FftKind::rfft>},
    {"rfft2", SKERRY_FFT2_SIGNATURE,
     "The transform of real elements over two axes: the first half along the last of "
     "them.\n\nSource: NumPy, numpy.fft.rfft2.\n\n" SKERRY_FFT_REAL SKERRY_FFT2_S SKERRY_FFTN_NORM
         SKERRY_FFT_RETURNS(
             "Complex, with n // 2 + 1 elements along the last of the axes, where n is "
             "its length: complex64\n    for float16 and float32, else complex128.")
             SKERRY_RFFTN_ERRORS
     ">>> sk.fft.rfft2(sk.ones((2, 2)))\n"
     "Array([[4.+0.j, 0.+0.j],\n       [0.+0.j, 0.+0.j]], dtype=complex128, device='cpu:0')",
     run_fftn<FftKind::rfft, true>},
    {"rfftfreq", "(n, d=1.0, *, dtype=None, device=None)",
     "The frequencies of the elements of rfft: [0, 1, ..., n // 2] / (d n)."
     "\n\n" SKERRY_FREQUENCIES_DOC ">>> sk.fft.rfftfreq(4, d=0.5)\n"
     "Array([0. , 0.5, 1. ], dtype=float64, device='cpu:0')",
     run_frequencies<true>},
    {"rfftn", SKERRY_FFTN_SIGNATURE,
     "The transform of real elements over several axes: the first half along the last of them, "
     "which determines the other.\n\n" SKERRY_FFT_REAL SKERRY_FFT_S SKERRY_FFTN_NORM
         SKERRY_FFT_RETURNS(
             "Complex, with n // 2 + 1 elements along the last of the axes, where n is "
             "its length: complex64\n    for float16 and float32, else complex128.")
             SKERRY_RFFTN_ERRORS
     ">>> sk.fft.rfftn(sk.ones((2, 2)))\n"
     "Array([[4.+0.j, 0.+0.j],\n       [0.+0.j, 0.+0.j]], dtype=complex128, device='cpu:0')",
     run_fftn<FftKind::rfft>},
};

#undef SKERRY_FFT_SIGNATURE
#undef SKERRY_FFTN_SIGNATURE
#undef SKERRY_FFT2_SIGNATURE
#undef SKERRY_FFT_CONVERSION
#undef SKERRY_FFT_COMPLEX
#undef SKERRY_FFT_REAL
#undef SKERRY_FFT_N
#undef SKERRY_FFT_N_OUT
#undef SKERRY_FFT_SCALE
#undef SKERRY_FFT_NORM
#undef SKERRY_FFT_OUT
#undef SKERRY_FFTN_NORM
#undef SKERRY_FFT_AXIS
#undef SKERRY_FFT_S
#undef SKERRY_FFT2_S
#undef SKERRY_FFT_RETURNS
#undef SKERRY_EXAMPLES
#undef SKERRY_COMPLEX_TYPE_ERROR
#undef SKERRY_REAL_TYPE_ERROR
#undef SKERRY_AXIS_ERROR
#undef SKERRY_FFT_VALUE_ERROR
#undef SKERRY_FFTN_VALUE_ERROR
#undef SKERRY_FFT_ERRORS
#undef SKERRY_RFFT_ERRORS
#undef SKERRY_FFTN_ERRORS
#undef SKERRY_RFFTN_ERRORS
#undef SKERRY_FREQUENCIES_DOC
#undef SKERRY_SHIFT_DOC

}  // namespace

void add_fft(PyObject* module) {
  add_functions<fft_functions>(module, "fft extension", "skerry.fft");
}

}  // namespace skerry::python
