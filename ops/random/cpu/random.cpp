// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/random/cpu/random.hpp"

#include "enabled_dtypes.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

using namespace ops::random;

template <class T>
void fill(RandomKernels& table) {
  const auto kernel_of = [&](RandomMethod method) -> Kernel<RandomParams>& {
    return table.kernel[static_cast<int>(method)][static_cast<int>(dtype_of<T>)];
  };
  if constexpr (ops::integral_or_boolean<T>)
    kernel_of(RandomMethod::integer).template set_host<run_integers<T>>();
  if constexpr (ops::unsigned_integral<T> && sizeof(T) >= 4) {
    kernel_of(RandomMethod::bits).template set_host<run_words<bits_words, T, T>>();
  }
  if constexpr (ops::integral<T> && sizeof(T) == 8) {
    kernel_of(RandomMethod::integer_of_each).template set_host<run_integer_of_each<T>>();
  }
  if constexpr (ops::real_floating<T> && sizeof(T) >= 4) {
    using W = ops::bits_t<T>;
    kernel_of(RandomMethod::uniform).template set_host<run_words<each_word<uniform_word>, W, T>>();
    kernel_of(RandomMethod::normal).template set_host<run_words<normal_words, W, T>>();
    kernel_of(RandomMethod::exponential)
        .template set_host<run_words<each_word<exponential_word>, W, T>>();
    kernel_of(RandomMethod::gamma).template set_host<run_elements<GammaElement, T>>();
  }
  if constexpr (ops::same_v<T, float64>) {
    kernel_of(RandomMethod::lognormal).template set_host<run_elements<LognormalElement, T>>();
  }
  if constexpr (ops::same_v<T, int64>) {
    kernel_of(RandomMethod::geometric).template set_host<run_elements<GeometricElement, T>>();
    kernel_of(RandomMethod::poisson).template set_host<run_elements<PoissonElement, T>>();
    kernel_of(RandomMethod::binomial).template set_host<run_elements<BinomialElement, T>>();
  }
}

}  // namespace

void fill_random(RandomKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
  table.store_state.set_host<run_store_state>();
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
