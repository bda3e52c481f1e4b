// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Launches each real function of ops/math in both forms, with typical arguments, and prints which
// form kernels use; bench/gpu/function_instructions.py counts the instructions.

#include "ops/math/real.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

namespace {

using namespace skerry;
using skerry::ops::math::Form;

constexpr int count = 8192;
constexpr int block = 128;

template <class T>
using function = void (*)(const T*, const T*, T*);

#define SKERRY_KERNEL(form, name, T, ...)                                                   \
  extern "C" __global__ void form##_##name##_##T(const T* x1, [[maybe_unused]] const T* x2, \
                                                 T* y) {                                    \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                               \
    y[i] = __VA_ARGS__;                                                                     \
  }
#define SKERRY_FORMS(name, ...)                                                  \
  SKERRY_KERNEL(portable, name, float32, ops::math::portable::name(__VA_ARGS__)) \
  SKERRY_KERNEL(libm, name, float32, ops::math::libm::name(__VA_ARGS__))         \
  SKERRY_KERNEL(portable, name, float64, ops::math::portable::name(__VA_ARGS__)) \
  SKERRY_KERNEL(libm, name, float64, ops::math::libm::name(__VA_ARGS__))
#define SKERRY_UNARY(name, ...) SKERRY_FORMS(name, x1[i])
#define SKERRY_BINARY(name, ...) SKERRY_FORMS(name, x1[i], x2[i])
SKERRY_UNARY_FUNCTIONS(SKERRY_UNARY)
SKERRY_BINARY_FUNCTIONS(SKERRY_BINARY)
#undef SKERRY_UNARY
#undef SKERRY_BINARY
SKERRY_KERNEL(no, unary, float32, x1[i])
SKERRY_KERNEL(no, unary, float64, x1[i])
SKERRY_KERNEL(no, binary, float32, x1[i] > x2[i] ? x1[i] : x2[i])
SKERRY_KERNEL(no, binary, float64, x1[i] > x2[i] ? x1[i] : x2[i])

struct Range {
  double low;
  double high;
};
Range range_of(std::string_view name) {
  if (name == "acos" || name == "asin" || name == "atanh") return {-1, 1};
  if (name == "acosh") return {1, 10};
  if (name == "log1p") return {-1, 10};
  if (name.starts_with("log") || name == "pow") return {0, 10};
  return {-10, 10};
}

template <class T>
T* on_device(Range within, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> value(T(within.low), T(within.high));
  std::vector<T> values(count);
  for (T& element : values) element = value(random);
  T* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  cudaMemcpyAsync(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice, nullptr);
  cudaStreamSynchronize(nullptr);
  return memory;
}

template <class T>
void launch(std::string_view name, function<T> portable_kernel, function<T> libm) {
  T* const x1 = on_device<T>(range_of(name), 1);
  T* const x2 = on_device<T>({-10, 10}, 2);
  T* const y = on_device<T>({0, 1}, 3);
  portable_kernel<<<count / block, block>>>(x1, x2, y);
  if (libm != nullptr) libm<<<count / block, block>>>(x1, x2, y);
  if (cudaStreamSynchronize(nullptr) != cudaSuccess) std::abort();
}

}  // namespace

int main() {
  launch<float32>("", no_unary_float32, no_binary_float32);
  launch<float64>("", no_unary_float64, no_binary_float64);
#define SKERRY_LAUNCH(arity, name, in_float32, in_float64)                             \
  std::printf("%s %s float32 %d\n", arity, #name, Form::in_float32 == Form::portable); \
  std::printf("%s %s float64 %d\n", arity, #name, Form::in_float64 == Form::portable); \
  launch<float32>(#name, portable_##name##_float32, libm_##name##_float32);            \
  launch<float64>(#name, portable_##name##_float64, libm_##name##_float64);
#define SKERRY_UNARY(...) SKERRY_LAUNCH("unary", __VA_ARGS__)
#define SKERRY_BINARY(...) SKERRY_LAUNCH("binary", __VA_ARGS__)
  SKERRY_UNARY_FUNCTIONS(SKERRY_UNARY)
  SKERRY_BINARY_FUNCTIONS(SKERRY_BINARY)
  return 0;
}
