// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/random/cuda/random.cuh"

#include "enabled_dtypes.hpp"

namespace skerry::native {
namespace {

using namespace ops::random;

template <class T>
void fill(RandomKernels& table) {
  const auto set = [&](RandomMethod method, int (*function)(const void*, LaunchContext*)) {
    table.kernel[static_cast<int>(method)][static_cast<int>(dtype_of<T>)].native = function;
  };
  if constexpr (ops::integral_or_boolean<T>) set(RandomMethod::integer, run_integers<T>);
  if constexpr (ops::unsigned_integral<T> && sizeof(T) >= 4) {
    set(RandomMethod::bits, run_words<bits_of_words, T, T>);
  }
  if constexpr (ops::integral<T> && sizeof(T) == 8) {
    set(RandomMethod::integer_of_each, run_integer_of_each<T>);
  }
  if constexpr (ops::real_floating<T> && sizeof(T) >= 4) {
    using W = ops::bits_t<T>;
    set(RandomMethod::uniform, run_words<each_of_words<uniform_word>, W, T>);
    set(RandomMethod::normal, run_words<normal_of_words, W, T>);
    set(RandomMethod::exponential, run_words<each_of_words<exponential_word>, W, T>);
    set(RandomMethod::gamma, run_elements<GammaElement, T>);
  }
  if constexpr (ops::same_v<T, float64>) {
    set(RandomMethod::lognormal, run_elements<LognormalElement, T>);
  }
  if constexpr (ops::same_v<T, int64>) {
    set(RandomMethod::geometric, run_elements<GeometricElement, T>);
    set(RandomMethod::poisson, run_elements<PoissonElement, T>);
    set(RandomMethod::binomial, run_elements<BinomialElement, T>);
  }
}

}  // namespace

void fill_random(RandomKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::native
