// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/random/cuda/random.cuh"

#include "enabled_dtypes.hpp"

namespace skerry::native {
namespace {

using namespace ops::random;

template <class T>
void fill(random_kernels& table) {
  const auto set = [&](random_method method, int (*run)(const void*, launch_context*)) {
    table.of[static_cast<int>(method)][static_cast<int>(dtype_of<T>)].native = run;
  };
  if constexpr (ops::integral_or_boolean<T>) set(random_method::integer, run_integers<T>);
  if constexpr (ops::unsigned_integral<T> && sizeof(T) >= 4) {
    set(random_method::bits, run_words<bits_of_words, T, T>);
  }
  if constexpr (ops::integral<T> && sizeof(T) == 8) {
    set(random_method::integer_of_each, run_integer_of_each<T>);
  }
  if constexpr (ops::real_floating<T> && sizeof(T) >= 4) {
    using W = ops::bits_t<T>;
    set(random_method::uniform, run_words<each_of_words<uniform_word>, W, T>);
    set(random_method::normal, run_words<normal_of_words, W, T>);
    set(random_method::exponential, run_words<each_of_words<exponential_word>, W, T>);
    set(random_method::gamma, run_elements<gamma_element, T>);
  }
  if constexpr (ops::same_v<T, float64>) {
    set(random_method::lognormal, run_elements<lognormal_element, T>);
  }
  if constexpr (ops::same_v<T, int64>) {
    set(random_method::geometric, run_elements<geometric_element, T>);
    set(random_method::poisson, run_elements<poisson_element, T>);
    set(random_method::binomial, run_elements<binomial_element, T>);
  }
}

}  // namespace

void fill_random(random_kernels& table) {
#define SKERRY_FILL(name) fill<type_of<dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::native
