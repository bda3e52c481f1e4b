// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/create/kernels.hpp"
#include "ops/kernel/cpu/half.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/math/concepts.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Computes modulo 2^bits in the unsigned type of T, so that intermediate values may wrap around.
template <ops::integral T>
void sequence_run(const SequenceParams& p, int64 begin, int64 end) {
  const T start = static_cast<T>(p.start.as<uint64>());
  const T step = static_cast<T>(p.step.as<uint64>());
  using U = ops::bits_t<T>;
  char* const out = p.output;
  // Adds the step instead of multiplying: x86-64 has no vector multiplication of 64-bit integers
  // before AVX-512.
  U value =
      static_cast<U>(static_cast<U>(start) + static_cast<U>(begin) * (1u * static_cast<U>(step)));
  for (int64 i = begin; i < end; ++i) {
    store(out + i * int64(sizeof(T)), value);
    value = static_cast<U>(value + static_cast<U>(step));
  }
}

/// Computes in float64, rounds to float32 and then to T, block by block: this gives the same bits
/// as rounding from float64 to T once.
template <ops::stored_only T>
void sequence_run(const SequenceParams& p, int64 begin, int64 end) {
  const float64 start = p.start.as<float64>();
  const float64 step = p.step.as<float64>();
  alignas(64) float32 wide[tuning::half_block];
  for (int64 position = begin; position < end; position += tuning::half_block) {
    const float64 origin = static_cast<float64>(position);
    const int32 n = static_cast<int32>(minimum(tuning::half_block, end - position));
    for (int32 i = 0; i < n; ++i) {
      wide[i] = T::rounds_alike(start + (origin + static_cast<float64>(i)) * step);
    }
    narrow_halves<T>(p.output + position * int64(sizeof(T)), wide, n);
  }
}

template <ops::real_floating T>
  requires(!ops::stored_only<T>)
void sequence_run(const SequenceParams& p, int64 begin, int64 end) {
  const float64 start = p.start.as<float64>();
  const float64 step = p.step.as<float64>();
  constexpr int64 block = tuning::sequence_block;
  for (int64 position = begin; position < end; position += block) {
    const float64 origin = static_cast<float64>(position);
    const int32 n = static_cast<int32>(minimum(block, end - position));
    char* out = p.output + position * int64(sizeof(T));
    for (int32 i = 0; i < n; ++i) {
      store(out + i * int64(sizeof(T)),
            static_cast<T>(start + (origin + static_cast<float64>(i)) * step));
    }
  }
}

template <ops::complex_floating T>
void sequence_run(const SequenceParams& p, int64 begin, int64 end) {
  float64 parts[4];
  __builtin_memcpy(parts, p.start.bytes, 16);
  __builtin_memcpy(parts + 2, p.step.bytes, 16);
  using R = typename T::value_type;
  for (int64 i = begin; i < end; ++i) {
    const float64 position = static_cast<float64>(i);
    store(p.output + i * int64(sizeof(T)), T(static_cast<R>(parts[0] + position * parts[2]),
                                             static_cast<R>(parts[1] + position * parts[3])));
  }
}

template <class T>
SKERRY_INLINE T narrow(const Element& value) {
  if constexpr (ops::integral<T>) {
    return static_cast<T>(value.as<uint64>());
  } else if constexpr (ops::real_floating<T>) {
    return static_cast<T>(value.as<float64>());
  } else {
    const char* bytes = reinterpret_cast<const char*>(value.bytes);
    using R = typename T::value_type;
    return T(static_cast<R>(load<float64>(bytes)), static_cast<R>(load<float64>(bytes + 8)));
  }
}

template <class T>
void run_sequence(const SequenceParams& p) {
  if (p.size <= 0) return;
  if (p.size <= tuning::sequence_grain_size) {
    sequence_run<T>(p, 0, p.size);
  } else {
    cpu::parallel_for(p.size, tuning::sequence_grain_size,
                      [&](int64 begin, int64 end) { sequence_run<T>(p, begin, end); });
  }
  if (p.has_last) store(p.output + (p.size - 1) * int64(sizeof(T)), narrow<T>(p.last));
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
