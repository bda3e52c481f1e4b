// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Transforms by cuFFT, which does not scale, and whose plans have a single evenly spaced batch.

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/fourier/cuda/fft_plans.cuh"
#include "ops/fourier/kernels.hpp"
#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"

#include <cub/device/device_for.cuh>

#include <cstdio>
#include <exception>

namespace skerry::native {
namespace {

/// A batch outside the plan's own, over which the plan is executed repeatedly.
struct OuterLoop {
  std::int64_t count = 1;
  std::int64_t input_stride = 0;   // in bytes
  std::int64_t output_stride = 0;  // in bytes
};

struct ItemWidths {
  std::int64_t input;
  std::int64_t output;
};

/// Puts the batch axis that fft_looped_axis() does not select into the plan.
OuterLoop describe_batch(const FftParams& params, ItemWidths width, FftPlanKey& key) {
  const int batch_axes = params.rank - params.transformed;
  OuterLoop outer;
  key.batch = 1;
  key.input_distance = 1;
  key.output_distance = 1;
  if (batch_axes == 0) return outer;
  const int looped = fft_looped_axis(params);
  if (looped >= 0) {
    outer = {params.shape[looped], params.input_strides[looped], params.output_strides[looped]};
  }
  const int inner = looped == 0 ? 1 : 0;
  key.batch = params.shape[inner];
  key.input_distance = params.input_strides[inner] / width.input;
  key.output_distance = params.output_strides[inner] / width.output;
  return outer;
}

/// Describes axes in cuFFT's advanced layout, in which the stride of an axis determines the
/// embedded extent of the next. Returns false if strides are not multiples of each other.
bool describe_axes(const FftParams& params, ItemWidths width, FftPlanKey& key) {
  const int first = params.rank - params.transformed;
  const int last = params.rank - 1;
  key.rank = params.transformed;
  key.input_stride = params.input_strides[last] / width.input;
  key.output_stride = params.output_strides[last] / width.output;
  for (int axis = first; axis <= last; ++axis) {
    const int i = axis - first;
    key.length[i] = params.shape[axis];
    key.input_embed[i] = params.shape[axis];
    key.output_embed[i] = params.shape[axis];
    if (axis == first) continue;
    if (params.input_strides[axis] <= 0 || params.output_strides[axis] <= 0) return false;
    key.input_embed[i] = params.input_strides[axis - 1] / params.input_strides[axis];
    key.output_embed[i] = params.output_strides[axis - 1] / params.output_strides[axis];
    if (key.input_embed[i] * params.input_strides[axis] != params.input_strides[axis - 1] ||
        key.output_embed[i] * params.output_strides[axis] != params.output_strides[axis - 1]) {
      return false;
    }
  }
  return params.rank - params.transformed <= 2;
}

int failed(LaunchContext* context, cufft::status status, const char* stage) {
  if (status == cufft::alloc_failed) return end_launch(cudaErrorMemoryAllocation);
  thread_local char text[96];
  std::snprintf(text, sizeof text, "cuFFT failed in %s with status %d", stage, status);
  context->explanation = text;
  return end_launch(cudaErrorNotSupported);
}

/// Executes the plan for `key` over the outer batch; `execute(handle, input, output)` calls cuFFT.
template <class Execute>
int run_plan(LaunchContext* context, const FftPlanKey& key, const OuterLoop& outer,
             const char* input, char* output, Execute&& execute) {
  const CufftLibrary& library = get_cufft();
  const std::shared_ptr<FftPlanHandle> plan = fft_plans().get(key);
  if (plan->status() != cufft::success) return failed(context, plan->status(), "planning");
  void* work_area = nullptr;
  if (plan->work_size() > 0) {
    work_area = context->workspace(context, plan->work_size());
    if (work_area == nullptr) return end_launch(cudaErrorMemoryAllocation);
  }
  const std::lock_guard<std::mutex> lock(plan->mutex());
  cufft::status status = library.set_stream(plan->handle(), stream_of(context));
  if (status == cufft::success && work_area != nullptr) {
    status = library.set_work_area(plan->handle(), work_area);
  }
  for (std::int64_t i = 0; i < outer.count && status == cufft::success; ++i) {
    status = execute(plan->handle(), const_cast<char*>(input) + i * outer.input_stride,
                     output + i * outer.output_stride);
  }
  return status == cufft::success ? end_launch(cudaSuccess) : failed(context, status, "execution");
}

template <class T>
struct scale_loop {
  T* data;
  T real_factor;
  T imaginary_factor;  // for odd elements: negated for the conjugate

  __device__ void operator()(std::int64_t index) const {
    data[index] *= index % 2 == 0 ? real_factor : imaginary_factor;
  }
};

/// Scales `count` contiguous reals, and negates every second one if `conjugate`. A separate pass:
/// cuFFT's callbacks could scale on store, but need code that is linked at run time, and most of
/// these transforms have no prior copy that could scale: they read the caller's array.
template <class T>
int scale(LaunchContext* context, char* output, std::int64_t count, double factor, bool conjugate) {
  if (factor == 1 && !conjugate) return end_launch(cudaSuccess);
  const T real_factor = static_cast<T>(factor);
  const scale_loop<T> loop{.data = reinterpret_cast<T*>(output),
                           .real_factor = real_factor,
                           .imaginary_factor = conjugate ? -real_factor : real_factor};
  return end_launch(cub::DeviceFor::Bulk(count, loop, stream_of(context)));
}

std::int64_t size_of(const FftParams& params) {
  std::int64_t product = 1;
  for (int axis = 0; axis < params.rank; ++axis) product *= params.shape[axis];
  return product;
}

/// Returns the number of elements of the complex side if the other is real.
std::int64_t half_size_of(const FftParams& params) {
  const std::int64_t length = params.shape[params.rank - 1];
  return size_of(params) / length * (length / 2 + 1);
}

template <class T>
FftPlanKey key_of(int type) {
  FftPlanKey key{};
  key.type = type + (sizeof(T) == sizeof(float64) ? cufft::double_precision : 0);
  (void)cudaGetDevice(&key.device);
  return key;
}

template <class T>
inline constexpr int precision = sizeof(T) == sizeof(float64) ? 1 : 0;

template <class T>
int complex_to_complex(const FftParams& params, LaunchContext* context) {
  constexpr std::int64_t width = sizeof(complex<T>);
  FftPlanKey key = key_of<T>(cufft::complex_to_complex);
  const OuterLoop outer = describe_batch(params, {width, width}, key);
  if (!describe_axes(params, {width, width}, key)) return end_launch(cudaErrorInvalidValue);
  const auto execute = [&](cufft::handle plan, void* input, void* output) {
    return get_cufft().complex_to_complex[precision<T>](plan, input, output,
                                                        params.forward ? -1 : 1);
  };
  if (const int status = run_plan(context, key, outer, params.input, params.output, execute)) {
    return status;
  }
  return scale<T>(context, params.output, 2 * size_of(params), params.scale, false);
}

template <class T>
int real_to_complex(const FftParams& params, LaunchContext* context) {
  constexpr ItemWidths width{sizeof(T), sizeof(complex<T>)};
  FftPlanKey key = key_of<T>(cufft::real_to_complex);
  const OuterLoop outer = describe_batch(params, width, key);
  if (params.mirrored || !describe_axes(params, width, key))
    return end_launch(cudaErrorInvalidValue);
  const auto execute = [&](cufft::handle plan, void* input, void* output) {
    return get_cufft().real_to_complex[precision<T>](plan, input, output);
  };
  if (const int status = run_plan(context, key, outer, params.input, params.output, execute)) {
    return status;
  }
  return scale<T>(context, params.output, 2 * half_size_of(params), params.scale, !params.forward);
}

/// Copies the input, as cuFFT overwrites it, and zeroes imaginary parts that the symmetry of a real
/// result excludes: cuFFT assumes that symmetry.
///
/// The copy also applies the scale, which saves a pass. The scale is at most 1, so sums overflow
/// only if the result does (on the CPU, which scales last, they may overflow earlier). Values that
/// become subnormal are off by up to half the smallest subnormal number, and the result by as much
/// per term. Compared to the transform's own error, this matters only if results are close to
/// subnormal themselves.
template <class T>
struct hermitian_copy {
  const whole<complex<T>>* input;
  whole<complex<T>>* output;
  std::int64_t stride;  // of the transformed axis, in elements
  std::int64_t length;  // of the complex side
  bool has_last;        // the last element has no imaginary part either
  T real_factor;
  T imaginary_factor;  // negated for the conjugate

  __device__ void operator()(std::int64_t index) const {
    const whole<complex<T>> item = input[index];
    complex<T> value = item.value;
    const std::int64_t axis_index = index / stride % length;
    const bool is_real = axis_index == 0 || (has_last && axis_index == length - 1);
    value.re *= real_factor;
    value.im = is_real ? T(0) : value.im * imaginary_factor;
    output[index].value = value;
  }
};

template <class T>
int complex_to_real(const FftParams& params, LaunchContext* context) {
  constexpr ItemWidths width{sizeof(complex<T>), sizeof(T)};
  FftPlanKey key = key_of<T>(cufft::complex_to_real);
  const OuterLoop outer = describe_batch(params, width, key);
  if (!describe_axes(params, width, key)) return end_launch(cudaErrorInvalidValue);
  const std::int64_t size = half_size_of(params);
  void* copy = context->workspace(context, static_cast<std::size_t>(size * width.input));
  if (copy == nullptr) return end_launch(cudaErrorMemoryAllocation);
  const std::int64_t length = params.shape[params.rank - 1];
  const T factor = static_cast<T>(params.scale);
  const hermitian_copy<T> loop{
      .input = reinterpret_cast<const whole<complex<T>>*>(params.input.get()),
      .output = static_cast<whole<complex<T>>*>(copy),
      .stride = params.input_strides[params.rank - 1] / width.input,
      .length = length / 2 + 1,
      .has_last = length % 2 == 0,
      .real_factor = factor,
      .imaginary_factor = params.forward ? -factor : factor};
  const cudaError_t copied = cub::DeviceFor::Bulk(size, loop, stream_of(context));
  if (copied != cudaSuccess) return end_launch(copied);
  const auto execute = [&](cufft::handle plan, void* input, void* output) {
    return get_cufft().complex_to_real[precision<T>](plan, input, output);
  };
  return run_plan(context, key, outer, static_cast<const char*>(copy), params.output, execute);
}

template <int (*Transform)(const FftParams&, LaunchContext*)>
int run(const FftParams& params, LaunchContext* context) {
  if (get_cufft().library.error_message() != nullptr) return end_launch(cudaErrorNotSupported);
  try {
    return Transform(params, context);
  } catch (const std::exception&) {  // no host memory for a plan
    return end_launch(cudaErrorMemoryAllocation);
  }
}

const char* library_error_message() { return get_cufft().library.error_message(); }

template <class T>
void fill(FftKernels& table) {
  constexpr int type = precision<T>;
  table.complex_to_complex[type].set_native<run<complex_to_complex<T>>>();
  table.real_to_complex[type].set_native<run<real_to_complex<T>>>();
  table.complex_to_real[type].set_native<run<complex_to_real<T>>>();
}

}  // namespace

void fill_fft(FftKernels& table) {
  fill<float32>(table);
  fill<float64>(table);
  table.library_error_message = &library_error_message;
}

}  // namespace skerry::native
