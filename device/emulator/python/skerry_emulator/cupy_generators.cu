// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// What CuPy's kernels of random distributions (cupy/random/cupy_distributions.cu) use of cuRAND's
// device functions and of C++, for NVRTC. CuPy may not ship cuRAND's headers. The states have the
// sizes of cuRAND's; the numbers are those of a counter that SplitMix64 mixes.

using int32_t = int;
using uint32_t = unsigned;
using int64_t = long;
using uint64_t = unsigned long;
using intptr_t = long;
using ssize_t = long;
using ptrdiff_t = long;
constexpr double M_PI = 3.14159265358979323846;

namespace std {

template <bool, class T>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};

/// True for the types of numbers that the kernels take as arguments.
template <class T>
struct is_arithmetic {
  static constexpr bool value = false;
};
template <>
struct is_arithmetic<uint32_t> {
  static constexpr bool value = true;
};
template <>
struct is_arithmetic<uint64_t> {
  static constexpr bool value = true;
};

}  // namespace std

template <int ItemCount>
struct counting_state {
  uint64_t key;
  uint64_t count;
  uint32_t unused[ItemCount - 4];
};
using curandState = counting_state<12>;
using curandStateMRG32k3a = counting_state<12>;
using curandStatePhilox4_32_10_t = counting_state<16>;

__device__ inline uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

template <class State>
__device__ void curand_init(uint64_t seed, uint64_t sequence, uint64_t offset, State* state) {
  state->key = mix(mix(seed + 0x9e3779b97f4a7c15) + sequence);
  state->count = offset;
}

template <class State>
__device__ uint64_t next_bits(State* state) {
  return mix(state->key + ++state->count * 0x9e3779b97f4a7c15);
}
template <class State>
__device__ uint32_t curand(State* state) {
  return next_bits(state) >> 32;
}

// In (0, 1], as cuRAND's.
template <class State>
__device__ float curand_uniform(State* state) {
  return ((next_bits(state) >> 40) + 1) * 0x1p-24f;
}
template <class State>
__device__ double curand_uniform_double(State* state) {
  return ((next_bits(state) >> 11) + 1) * 0x1p-53;
}

template <class State>
__device__ double curand_normal_double(State* state) {
  const double radius = sqrt(-2 * log(curand_uniform_double(state)));
  return radius * cospi(2 * curand_uniform_double(state));
}
template <class State>
__device__ float curand_normal(State* state) {
  return static_cast<float>(curand_normal_double(state));
}
