// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/cuda/flip.cuh"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

// What the CUDA kernels of reductions do to elements and results, run on the host: the kernel of
// one reduction must give what another one declares.

namespace skerry {
namespace native {
namespace {

/// As they lie in memory: true bools of others are any byte but 0.
template <class T>
using words = std::vector<std::conditional_t<ops::boolean<T>, uint8, ops::unsigned_stand_in_t<T>>>;

template <class T>
T element_of(typename words<T>::value_type word) {
  if constexpr (ops::boolean<T>) {
    return word != 0;
  } else {
    return __builtin_bit_cast(T, word);
  }
}

template <class T>
T random_element(std::mt19937& random) {
  using limits = std::numeric_limits<T>;
  std::vector<T> special = {T(0), T(1), static_cast<T>(-1), limits::lowest(), limits::max()};
  if constexpr (ops::real_floating<T>) {
    for (const T x : {-T(0), limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
      special.push_back(x);
    }
  }
  if (random() % 3 == 0) return special[random() % special.size()];
  return static_cast<T>(static_cast<std::int64_t>(random() % 512) - 256);
}

template <class Reduction, class T>
auto declared(const words<T>& elements) {
  using Run = Reduction;
  using A = ops::accumulator_t<Reduction, T>;
  A a = Run::template identity<A>();
  std::int64_t index = 0;
  for (const auto word : elements) {
    a = Run::combine(a, ops::load_at<Reduction>(element_of<T>(word), index++));
  }
  return Reduction::finish(a, {index, 0});
}

template <class Reduction, class T>
auto flipped(const words<T>& elements) {
  using Run = ops::flipped_reduction_t<Reduction>;
  using S = ops::flipped_stand_in_t<Reduction, T>;
  using A = ops::accumulator_t<Run, S>;
  const flip<Run, S> bits{ops::flipped_bits<Reduction, T>()};
  A a = Run::template identity<A>();
  std::int64_t index = 0;
  for (const auto word : elements) {
    a = Run::combine(a, bits.in(ops::value_of<S>(word), index++));
  }
  return bits.out(a, {index, 0});
}

/// Bit by bit, but any NaN for NaN.
template <class T>
bool is_same(T a, T b) {
  if constexpr (ops::real_floating<T>) {
    if (a != a) return b != b;
  }
  return __builtin_bit_cast(ops::bits_t<T>, a) == __builtin_bit_cast(ops::bits_t<T>, b);
}

template <class Reduction, class T>
void expect_same(std::mt19937& random) {
  constexpr bool needs_elements = requires { Reduction::needs_elements; };
  for (int round = 0; round < 300; ++round) {
    words<T> elements(static_cast<std::size_t>(round % 7 + (needs_elements ? 1 : 0)));
    for (auto& word : elements) {
      if constexpr (ops::boolean<T>) {
        word = std::vector<uint8>{0, 0, 0, 1, 2, 0x80, 0xff}[random() % 7];
      } else {
        word = __builtin_bit_cast(typename words<T>::value_type, random_element<T>(random));
      }
    }
    const auto expected = declared<Reduction, T>(elements);
    const auto result = flipped<Reduction, T>(elements);
    static_assert(sizeof result == sizeof expected);
    ASSERT_TRUE(is_same(__builtin_bit_cast(decltype(expected), result), expected))
        << Reduction::info.name << " of " << elements.size() << " elements of dtype "
        << info(dtype_of<T>).name;
  }
}

template <class T, class... Reductions>
void expect_all_same(std::mt19937& random, ops::type_list<Reductions...>) {
  const auto expect_one = [&]<class Reduction>(Reduction*) {
    if constexpr (ops::reduces<Reduction, T>) expect_same<Reduction, T>(random);
  };
  (expect_one(static_cast<Reductions*>(nullptr)), ...);
}

TEST(CudaReduceFlip, KernelOfAnotherReductionGivesWhatIsDeclared) {
  std::mt19937 random(20261121);
#define SKERRY_TEST_DTYPE(name, ...)                          \
  if constexpr (!ops::complex_floating<type_of<dtype::name>>) \
    expect_all_same<type_of<dtype::name>>(random, ops::reductions{});
  SKERRY_FOR_EACH_DTYPE(SKERRY_TEST_DTYPE)
#undef SKERRY_TEST_DTYPE
}

}  // namespace
}  // namespace native
}  // namespace skerry
