// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Transforms by cuFFT. It scales nothing, and its plans take one batch of equal distances.

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

/// A batch in front of the plan's own, over which the plan is executed again and again.
struct OuterLoop {
  std::int64_t count = 1;
  std::int64_t input_stride = 0;   // bytes
  std::int64_t output_stride = 0;  // bytes
};

struct ItemWidths {
  std::int64_t input;
  std::int64_t output;
};

/// The batch axis that fft_looped_axis() leaves is the plan's.
OuterLoop describe_batch(const FftParams& from, ItemWidths width, FftPlanKey& key) {
  const int batch_axes = from.rank - from.transformed;
  OuterLoop outer;
  key.batch = 1;
  key.input_distance = 1;
  key.output_distance = 1;
  if (batch_axes == 0) return outer;
  const int looped = fft_looped_axis(from);
  if (looped >= 0) {
    outer = {from.shape[looped], from.input_strides[looped], from.output_strides[looped]};
  }
  const int inner = looped == 0 ? 1 : 0;
  key.batch = from.shape[inner];
  key.input_distance = from.input_strides[inner] / width.input;
  key.output_distance = from.output_strides[inner] / width.output;
  return outer;
}

/// In cuFFT's advanced layout an axis is as long in memory as the stride of the one before it says.
/// False for axes that are no multiples of each other.
bool describe_axes(const FftParams& from, ItemWidths width, FftPlanKey& key) {
  const int first = from.rank - from.transformed;
  const int last = from.rank - 1;
  key.rank = from.transformed;
  key.input_stride = from.input_strides[last] / width.input;
  key.output_stride = from.output_strides[last] / width.output;
  for (int axis = first; axis <= last; ++axis) {
    const int i = axis - first;
    key.length[i] = from.shape[axis];
    key.input_embed[i] = from.shape[axis];
    key.output_embed[i] = from.shape[axis];
    if (axis == first) continue;
    if (from.input_strides[axis] <= 0 || from.output_strides[axis] <= 0) return false;
    key.input_embed[i] = from.input_strides[axis - 1] / from.input_strides[axis];
    key.output_embed[i] = from.output_strides[axis - 1] / from.output_strides[axis];
    if (key.input_embed[i] * from.input_strides[axis] != from.input_strides[axis - 1] ||
        key.output_embed[i] * from.output_strides[axis] != from.output_strides[axis - 1]) {
      return false;
    }
  }
  return from.rank - from.transformed <= 2;
}

int failed(LaunchContext* context, cufft::status status, const char* where) {
  if (status == cufft::alloc_failed) return launched(cudaErrorMemoryAllocation);
  thread_local char text[96];
  std::snprintf(text, sizeof text, "cuFFT failed in %s with status %d", where, status);
  context->explanation = text;
  return launched(cudaErrorNotSupported);
}

/// Executes the plan for `key` over the outer batch; `execute(handle, input, output)` calls cuFFT.
template <class Execute>
int run_plan(LaunchContext* context, const FftPlanKey& key, const OuterLoop& outer,
             const char* input, char* output, Execute&& execute) {
  const CufftLibrary& library = get_cufft();
  const std::shared_ptr<FftPlanHandle> plan = fft_plans().get(key);
  if (plan->status() != cufft::success) return failed(context, plan->status(), "planning");
  void* work = nullptr;
  if (plan->work_size() > 0) {
    work = context->workspace(context, plan->work_size());
    if (work == nullptr) return launched(cudaErrorMemoryAllocation);
  }
  const std::lock_guard<std::mutex> lock(plan->mutex());
  cufft::status status = library.set_stream(plan->handle(), stream_of(context));
  if (status == cufft::success && work != nullptr) {
    status = library.set_work_area(plan->handle(), work);
  }
  for (std::int64_t i = 0; i < outer.count && status == cufft::success; ++i) {
    status = execute(plan->handle(), const_cast<char*>(input) + i * outer.input_stride,
                     output + i * outer.output_stride);
  }
  return status == cufft::success ? launched(cudaSuccess) : failed(context, status, "execution");
}

template <class T>
struct scale_loop {
  T* data;
  T real_factor;
  T imaginary_factor;  // for odd elements: the conjugate has another sign

  __device__ void operator()(std::int64_t index) const {
    data[index] *= index % 2 == 0 ? real_factor : imaginary_factor;
  }
};

/// Scales `count` reals that are C-contiguous, every second of which may change its sign. In a pass
/// of its own: cuFFT's callbacks, which could do it while they store, take code that is linked when
/// the program runs, and most of these transforms read what the caller gave, with no copy before.
template <class T>
int scale(LaunchContext* context, char* output, std::int64_t count, double factor, bool conjugate) {
  if (factor == 1 && !conjugate) return launched(cudaSuccess);
  const T real_factor = static_cast<T>(factor);
  const scale_loop<T> loop{.data = reinterpret_cast<T*>(output),
                           .real_factor = real_factor,
                           .imaginary_factor = conjugate ? -real_factor : real_factor};
  return launched(cub::DeviceFor::Bulk(count, loop, stream_of(context)));
}

std::int64_t size_of(const FftParams& from) {
  std::int64_t product = 1;
  for (int axis = 0; axis < from.rank; ++axis) product *= from.shape[axis];
  return product;
}

/// Elements of the complex side where the other is real.
std::int64_t half_size_of(const FftParams& from) {
  const std::int64_t length = from.shape[from.rank - 1];
  return size_of(from) / length * (length / 2 + 1);
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
int complex_to_complex(const FftParams& from, LaunchContext* context) {
  constexpr std::int64_t width = sizeof(complex<T>);
  FftPlanKey key = key_of<T>(cufft::complex_to_complex);
  const OuterLoop outer = describe_batch(from, {width, width}, key);
  if (!describe_axes(from, {width, width}, key)) return launched(cudaErrorInvalidValue);
  const auto execute = [&](cufft::handle plan, void* input, void* output) {
    return get_cufft().complex_to_complex[precision<T>](plan, input, output, from.forward ? -1 : 1);
  };
  if (const int status = run_plan(context, key, outer, from.input, from.output, execute)) {
    return status;
  }
  return scale<T>(context, from.output, 2 * size_of(from), from.scale, false);
}

template <class T>
int real_to_complex(const FftParams& from, LaunchContext* context) {
  constexpr ItemWidths width{sizeof(T), sizeof(complex<T>)};
  FftPlanKey key = key_of<T>(cufft::real_to_complex);
  const OuterLoop outer = describe_batch(from, width, key);
  if (from.mirrored || !describe_axes(from, width, key)) return launched(cudaErrorInvalidValue);
  const auto execute = [&](cufft::handle plan, void* input, void* output) {
    return get_cufft().real_to_complex[precision<T>](plan, input, output);
  };
  if (const int status = run_plan(context, key, outer, from.input, from.output, execute)) {
    return status;
  }
  return scale<T>(context, from.output, 2 * half_size_of(from), from.scale, !from.forward);
}

/// cuFFT overwrites the input of such a transform, and takes it to have the symmetry of a real
/// result: where that leaves no imaginary part, zero stands here whatever the input has.
///
/// The result's factor is put here too, which saves a pass for it. It is at most 1: sums overflow
/// only where the result does (on the CPU, which scales last, they may before). What becomes
/// subnormal by it is off by up to half the smallest subnormal number, and the result by as much
/// for each of its terms: beside the transform's own error that shows only where results are near
/// subnormal themselves.
template <class T>
struct hermitian_copy {
  const whole<complex<T>>* input;
  whole<complex<T>>* output;
  std::int64_t stride;  // of the transformed axis, in elements
  std::int64_t length;  // of the complex side
  bool has_last;        // the last one has no imaginary part either
  T real_factor;
  T imaginary_factor;  // which may have another sign: the conjugate

  __device__ void operator()(std::int64_t index) const {
    const whole<complex<T>> item = input[index];
    complex<T> value = item.value;
    const std::int64_t at = index / stride % length;
    const bool is_real = at == 0 || (has_last && at == length - 1);
    value.re *= real_factor;
    value.im = is_real ? T(0) : value.im * imaginary_factor;
    output[index].value = value;
  }
};

template <class T>
int complex_to_real(const FftParams& from, LaunchContext* context) {
  constexpr ItemWidths width{sizeof(complex<T>), sizeof(T)};
  FftPlanKey key = key_of<T>(cufft::complex_to_real);
  const OuterLoop outer = describe_batch(from, width, key);
  if (!describe_axes(from, width, key)) return launched(cudaErrorInvalidValue);
  const std::int64_t size = half_size_of(from);
  void* copy = context->workspace(context, static_cast<std::size_t>(size * width.input));
  if (copy == nullptr) return launched(cudaErrorMemoryAllocation);
  const std::int64_t length = from.shape[from.rank - 1];
  const T factor = static_cast<T>(from.scale);
  const hermitian_copy<T> loop{.input = reinterpret_cast<const whole<complex<T>>*>(from.input),
                               .output = static_cast<whole<complex<T>>*>(copy),
                               .stride = from.input_strides[from.rank - 1] / width.input,
                               .length = length / 2 + 1,
                               .has_last = length % 2 == 0,
                               .real_factor = factor,
                               .imaginary_factor = from.forward ? -factor : factor};
  const cudaError_t copied = cub::DeviceFor::Bulk(size, loop, stream_of(context));
  if (copied != cudaSuccess) return launched(copied);
  const auto execute = [&](cufft::handle plan, void* input, void* output) {
    return get_cufft().complex_to_real[precision<T>](plan, input, output);
  };
  return run_plan(context, key, outer, static_cast<const char*>(copy), from.output, execute);
}

template <int (*Transform)(const FftParams&, LaunchContext*)>
int run(const void* params, LaunchContext* context) {
  if (get_cufft().library.problem() != nullptr) return launched(cudaErrorNotSupported);
  try {
    return Transform(*static_cast<const FftParams*>(params), context);
  } catch (const std::exception&) {  // memory of the host for a plan
    return launched(cudaErrorMemoryAllocation);
  }
}

const char* library_problem() { return get_cufft().library.problem(); }

template <class T>
void fill(fft_kernels& table) {
  table.complex_to_complex[precision<T>].native = &run<complex_to_complex<T>>;
  table.real_to_complex[precision<T>].native = &run<real_to_complex<T>>;
  table.complex_to_real[precision<T>].native = &run<complex_to_real<T>>;
}

}  // namespace

void fill_fft(fft_kernels& table) {
  fill<float32>(table);
  fill<float64>(table);
  table.library_problem = &library_problem;
}

}  // namespace skerry::native
