// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"
#include "ops/random/counts.hpp"
#include "ops/random/integers.hpp"
#include "ops/random/kernels.hpp"

#include <cub/device/device_for.cuh>

namespace skerry::native {

namespace draws = ops::random;

/// Elements of one block, stored at once if all of them exist and the address is aligned.
template <class T, int Count>
struct alignas(sizeof(T) * Count) elements_of_block {
  T values[Count];
};
template <class T, int Count>
__device__ SKERRY_INLINE void store_elements(T* output, std::int64_t begin, std::int64_t size,
                                             const elements_of_block<T, Count>& elements) {
  T* const destination = output + begin;
  if (begin + Count <= size && reinterpret_cast<std::size_t>(destination) % sizeof(elements) == 0) {
    *reinterpret_cast<elements_of_block<T, Count>*>(destination) = elements;
    return;
  }
  for (int i = 0; i < Count; ++i) {
    if (begin + i < size) destination[i] = elements.values[i];
  }
}

struct bits_of_words {
  template <class W, int Count>
  __device__ SKERRY_INLINE void operator()(const W (&words)[Count], W (&values)[Count]) const {
    for (int i = 0; i < Count; ++i) values[i] = words[i];
  }
};
template <class Word>
struct each_of_words {
  template <class W, class T, int Count>
  __device__ SKERRY_INLINE void operator()(const W (&words)[Count], T (&values)[Count]) const {
    for (int i = 0; i < Count; ++i) values[i] = Word{}(words[i]);
  }
};
struct normal_of_words {
  template <class W, class T, int Count>
  __device__ SKERRY_INLINE void operator()(const W (&words)[Count], T (&values)[Count]) const {
    for (int i = 0; i < Count; i += 2) {
      const auto pair = draws::normal_pair(words[i], words[i + 1]);
      values[i] = pair.first;
      values[i + 1] = pair.second;
    }
  }
};

/// Where a kernel draws, as in RandomParams.
struct StreamSource {
  PhiloxState stream;
  const char* base;

  explicit StreamSource(const RandomParams& p) : stream(p.stream), base(p.base) {}
  __device__ SKERRY_INLINE PhiloxState state() const { return draws::state_after(base, stream); }
};

/// One thread per block of the stream.
template <class Method, class W, class T>
struct word_loop {
  T* output;
  std::int64_t size;
  StreamSource source;

  __device__ void operator()(std::int64_t index) const {
    const PhiloxState stream = source.state();
    constexpr int count = 16 / sizeof(W);
    const draws::Block drawn =
        draws::philox(stream.key, {stream.position + static_cast<uint64>(index), stream.tail});
    W words[count];
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = draws::word_of<W>(drawn, i);
    elements_of_block<T, count> elements;
    Method{}(words, elements.values);
    store_elements(output, index * count, size, elements);
  }
};

template <class W, class T>
struct integer_loop {
  T* output;
  std::int64_t size;
  StreamSource source;
  draws::integer_range<W> range;
  draws::offset_arithmetic_t<T> low;

  __device__ void operator()(std::int64_t index) const {
    const PhiloxState stream = source.state();
    constexpr int count = 16 / sizeof(W);
    const draws::Attempts attempts(stream.key, stream.position + static_cast<uint64>(index),
                                   stream.tail);
    draws::Attempts first = attempts;
    const draws::Block drawn = first.next();
    elements_of_block<T, count> elements;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const W offset = draws::bounded(range, draws::word_of<W>(drawn, i), attempts, i);
      elements.values[i] = static_cast<T>(low + offset);
    }
    store_elements(output, index * count, size, elements);
  }
};

/// A parameter that is common to all elements, or each element's own.
template <class P>
struct Parameter {
  const P* values;
  P of_all;
  __device__ SKERRY_INLINE P value_at(std::int64_t i) const {
    return values == nullptr ? of_all : values[i];
  }
};
template <class P>
Parameter<P> parameter_of(const char* values, P of_all) {
  return {reinterpret_cast<const P*>(values), of_all};
}

template <class Element, class T>
struct element_loop {
  T* output;
  StreamSource source;
  Parameter<float64> a;
  Parameter<float64> b;

  __device__ void operator()(std::int64_t index) const {
    const PhiloxState stream = source.state();
    const draws::Attempts attempts(stream.key, stream.position + static_cast<uint64>(index),
                                   stream.tail);
    output[index] = static_cast<T>(Element(a.value_at(index), b.value_at(index))(attempts));
  }
};

template <class T>
struct integer_of_each_loop {
  T* output;
  StreamSource source;
  Parameter<uint64> low;
  Parameter<uint64> span;

  __device__ void operator()(std::int64_t index) const {
    const PhiloxState stream = source.state();
    const draws::Attempts attempts(stream.key, stream.position + static_cast<uint64>(index),
                                   stream.tail);
    draws::Attempts first = attempts;
    const draws::integer_range<uint64> range(span.value_at(index));
    const uint64 offset = draws::bounded(range, first.next().first, attempts, 0);
    output[index] = static_cast<T>(low.value_at(index) + offset);
  }
};

template <class W>
std::int64_t blocks_for(std::int64_t size) {
  constexpr std::int64_t count = 16 / sizeof(W);
  return size / count + (size % count != 0 ? 1 : 0);
}

template <class Method, class W, class T>
int run_words(const RandomParams& p, LaunchContext* context) {
  const word_loop<Method, W, T> loop{reinterpret_cast<T*>(p.output.get()), p.size, StreamSource(p)};
  return end_launch(cub::DeviceFor::Bulk(blocks_for<W>(p.size), loop, stream_of(context)));
}

template <class W, class T>
int run_integers_by(const RandomParams& p, LaunchContext* context) {
  const integer_loop<W, T> loop{reinterpret_cast<T*>(p.output.get()), p.size, StreamSource(p),
                                draws::integer_range<W>(static_cast<W>(p.span)),
                                static_cast<draws::offset_arithmetic_t<T>>(p.low)};
  return end_launch(cub::DeviceFor::Bulk(blocks_for<W>(p.size), loop, stream_of(context)));
}
template <class T>
int run_integers(const RandomParams& p, LaunchContext* context) {
  if constexpr (sizeof(T) == 8) {
    if (p.span > 0xffffffffu) return run_integers_by<uint64, T>(p, context);
  }
  return run_integers_by<uint32, T>(p, context);
}

template <class T>
int run_integer_of_each(const RandomParams& p, LaunchContext* context) {
  const integer_of_each_loop<T> loop{reinterpret_cast<T*>(p.output.get()), StreamSource(p),
                                     parameter_of<uint64>(p.a_each, p.low),
                                     parameter_of<uint64>(p.b_each, p.span)};
  return end_launch(cub::DeviceFor::Bulk(p.size, loop, stream_of(context)));
}

template <class Element, class T>
int run_elements(const RandomParams& p, LaunchContext* context) {
  const element_loop<Element, T> loop{reinterpret_cast<T*>(p.output.get()), StreamSource(p),
                                      parameter_of<float64>(p.a_each, p.a),
                                      parameter_of<float64>(p.b_each, p.b)};
  return end_launch(cub::DeviceFor::Bulk(p.size, loop, stream_of(context)));
}

struct store_state_loop {
  PhiloxState* output;
  PhiloxState state;
  __device__ void operator()(std::int64_t /*index*/) const { *output = state; }
};

inline int run_store_state(const RandomStateParams& p, LaunchContext* context) {
  const store_state_loop loop{reinterpret_cast<PhiloxState*>(p.output.get()), p.state};
  return end_launch(cub::DeviceFor::Bulk(1, loop, stream_of(context)));
}

}  // namespace skerry::native
