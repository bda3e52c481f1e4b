// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "core/bfloat16.hpp"
#include "core/float16.hpp"

namespace skerry::emulation::nccl {

namespace {

constexpr std::size_t chunk = 8192;  // elements; the accumulators stay in the L1 or L2 cache

constexpr int prod = 1;
constexpr int max = 2;
constexpr int min = 3;
constexpr int average = 4;

template <class T>
struct Element {
  using Accumulator = T;
  T value;
  static T load(Element element) { return element.value; }
  static Element store(T value) { return {value}; }
};

/// A float16 or bfloat16, reduced in float32.
template <class Half>
struct StoredElement {
  using Accumulator = float;
  Half value;
  static float load(StoredElement element) { return element.value; }
  static StoredElement store(float value) { return {Half(value)}; }
};

/// Integers wrap around.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::integral<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}
template <class T>
T product_of(T a, T b) {
  if constexpr (std::integral<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return a * b;
  }
}
/// A number wins over NaN.
template <class T>
T larger_of(T a, T b) {
  if constexpr (std::integral<T>) {
    return std::max(a, b);
  } else {
    return std::fmax(a, b);
  }
}
template <class T>
T smaller_of(T a, T b) {
  if constexpr (std::integral<T>) {
    return std::min(a, b);
  } else {
    return std::fmin(a, b);
  }
}

template <class E>
class Reducer {
  using T = typename E::Accumulator;

 public:
  explicit Reducer(const Reduction& reduction)
      : reduction_(reduction),
        is_average_(reduction.operation == average),
        // An average of floating-point numbers is a sum of products with 1/n in their type.
        multiplies_(reduction.operation == premultiplied_sum ||
                    (is_average_ && !std::integral<T>)) {
    E factor;
    std::memcpy(&factor, reduction.factor.data(), sizeof factor);
    const auto ranks = static_cast<double>(reduction.order.size());
    if (is_average_) factor = E::store(static_cast<T>(1.0 / ranks));
    factor_ = E::load(factor);
  }

  void reduce(const ElementReader& elements, std::size_t first, std::size_t last, E* output) const {
    std::vector<T> accumulators(std::min(chunk, last - first));
    for (std::size_t begin = first; begin < last; begin += chunk) {
      const std::size_t count = std::min(chunk, last - begin);
      bool is_first = true;
      for (const int rank : reduction_.order) {
        add(static_cast<const E*>(elements(rank, begin, count)), count, is_first,
            accumulators.data());
        is_first = false;
      }
      store(accumulators.data(), count, output + (begin - first));
    }
  }

 private:
  void add(const E* input, std::size_t count, bool is_first, T* accumulators) const {
    switch (reduction_.operation) {
      case prod:
        return combine(input, count, is_first, accumulators, product_of<T>);
      case max:
        return combine(input, count, is_first, accumulators, larger_of<T>);
      case min:
        return combine(input, count, is_first, accumulators, smaller_of<T>);
      default:
        return combine(input, count, is_first, accumulators, sum_of<T>);
    }
  }

  template <class Operation>
  void combine(const E* input, std::size_t count, bool is_first, T* accumulators,
               Operation operation) const {
    for (std::size_t i = 0; i < count; ++i) {
      T value = E::load(input[i]);
      if (multiplies_) value = round(product_of(value, factor_));
      accumulators[i] = is_first ? value : round(operation(accumulators[i], value));
    }
  }

  [[nodiscard]] T round(T value) const {
    return reduction_.rounds_partial_results ? E::load(E::store(value)) : value;
  }

  void store(const T* accumulators, std::size_t count, E* output) const {
    for (std::size_t i = 0; i < count; ++i) {
      T value = accumulators[i];
      if constexpr (std::integral<T>) {
        if (is_average_) value = static_cast<T>(value / static_cast<T>(reduction_.order.size()));
      }
      output[i] = E::store(value);
    }
  }

  const Reduction& reduction_;
  bool is_average_;
  bool multiplies_;
  T factor_{};
};

using RangeReducer = void (*)(const Reduction&, const ElementReader&, std::size_t, std::size_t,
                              void*);

template <class E>
void reduce_elements(const Reduction& reduction, const ElementReader& elements, std::size_t first,
                     std::size_t last, void* output) {
  Reducer<E>(reduction).reduce(elements, first, last, static_cast<E*>(output));
}

/// By ncclDataType_t.
constexpr std::array<RangeReducer, 10> reducers = {
    reduce_elements<Element<std::int8_t>>,   reduce_elements<Element<std::uint8_t>>,
    reduce_elements<Element<std::int32_t>>,  reduce_elements<Element<std::uint32_t>>,
    reduce_elements<Element<std::int64_t>>,  reduce_elements<Element<std::uint64_t>>,
    reduce_elements<StoredElement<float16>>, reduce_elements<Element<float>>,
    reduce_elements<Element<double>>,        reduce_elements<StoredElement<bfloat16>>};

}  // namespace

bool can_reduce(int type) noexcept { return type >= 0 && type < static_cast<int>(reducers.size()); }

void reduce_range(const Reduction& reduction, const ElementReader& elements, std::size_t first,
                  std::size_t last, void* output) {
  if (last > first) {
    reducers[static_cast<std::size_t>(reduction.type)](reduction, elements, first, last, output);
  }
}

}  // namespace skerry::emulation::nccl
