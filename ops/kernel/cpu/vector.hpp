// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ops/kernel/cpu/memory.hpp"

// Vector operations for kernels that the compiler does not vectorize well: it keeps arrays of lanes
// in memory, so that each addition waits for the previous store. Arithmetic, comparisons and
// shuffles with constant lanes use the compiler's vector types. All other operations are in one
// file per architecture, which only this file includes.

namespace skerry::inline SKERRY_TARGET::kernels {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

// ---- types

template <class T>
struct VectorOf {
  static constexpr int lanes = vector_bytes / int(sizeof(T));
  typedef T type __attribute__((vector_size(vector_bytes)));
  typedef ops::bits_t<T> bits __attribute__((vector_size(vector_bytes)));
};

template <class T>
using lanes_of = typename VectorOf<T>::type;
template <class T>
inline constexpr int lane_count = VectorOf<T>::lanes;

/// The lane mask with all lanes set; bit i is lane i.
template <class T>
inline constexpr unsigned every_lane = (1u << lane_count<T>)-1;

template <class T>
struct integer_of_lane {
  using type = int64;
};
template <class T>
  requires(sizeof(T) == 4)
struct integer_of_lane<T> {
  using type = int32;
};
/// Lane type of the result of comparing vectors of T.
template <class T>
using lane_integer = typename integer_of_lane<T>::type;

// ---- loops over constants

template <int N>
struct number {
  static constexpr int value = N;
};

template <class F, int... I>
SKERRY_INLINE void for_each_number(std::integer_sequence<int, I...>, [[maybe_unused]] F function) {
  (function(number<I>{}), ...);
}
/// Calls function(number<0>{}), function(number<1>{}), …: unrolls a loop over an array of vectors,
/// which stays in registers only if all indices are constants.
template <int Count, class F>
SKERRY_INLINE void unroll(F function) {
  for_each_number(std::make_integer_sequence<int, Count>{}, function);
}

// ---- memory access, aligned or not

template <class T>
SKERRY_INLINE lanes_of<T> all_lanes(T value) {
  return value - lanes_of<T>{};  // a sum would turn -0 into 0
}

template <class Vector>
SKERRY_INLINE Vector load_vector(const char* source) {
  Vector v;
  __builtin_memcpy(&v, source, sizeof v);
  return v;
}
template <class T>
SKERRY_INLINE lanes_of<T> load_lanes(const T* source) {
  return load_vector<lanes_of<T>>(reinterpret_cast<const char*>(source));
}

template <class Vector>
SKERRY_INLINE void store_vector(char* destination, const Vector& v) {
  __builtin_memcpy(destination, &v, sizeof v);
}
template <class T>
SKERRY_INLINE void store_lanes(T* destination, lanes_of<T> v) {
  store_vector(reinterpret_cast<char*>(destination), v);
}

// ---- shuffles

/// All lane numbers of a vector, for shuffles.
template <class Vector>
using lane_numbers = std::make_integer_sequence<int, int(sizeof(Vector) / sizeof(Vector{}[0]))>;

template <int Flip, class Vector, int... I>
SKERRY_INLINE Vector exchange_lanes(const Vector& v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, (I ^ Flip)...);
}
/// Exchanges lanes i and i ^ Flip.
template <int Flip, class Vector>
SKERRY_INLINE Vector exchange_lanes(const Vector& v) {
  return exchange_lanes<Flip>(v, lane_numbers<Vector>{});
}

template <int Distance, class Vector, int... I>
SKERRY_INLINE Vector choose_lanes(const Vector& low, const Vector& high,
                                  std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(low, high, ((I & Distance) != 0 ? I + int(sizeof...(I)) : I)...);
}
/// Returns the lanes of `low` where bit `Distance` of the index is 0, otherwise those of `high`.
template <int Distance, class Vector>
SKERRY_INLINE Vector choose_lanes(const Vector& low, const Vector& high) {
  return choose_lanes<Distance>(low, high, lane_numbers<Vector>{});
}

template <int By, class Vector, int... I>
SKERRY_INLINE Vector shift_lanes(const Vector& v, const Vector& fill,
                                 std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, fill, (I >= By ? I - By : int(sizeof...(I)))...);
}
/// Moves lane i - By to lane i; the lowest lanes get the first lane of `fill`.
template <int By, class Vector>
SKERRY_INLINE Vector shift_lanes(const Vector& v, const Vector& fill) {
  return shift_lanes<By>(v, fill, lane_numbers<Vector>{});
}

template <class Vector, int... I>
SKERRY_INLINE Vector lanes_before(const Vector& previous_lanes, const Vector& v,
                                  std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(previous_lanes, v, (int(sizeof...(I)) - 1 + I)...);
}
/// Returns the last lane of `previous_lanes`, then all but the last of v.
template <class Vector>
SKERRY_INLINE Vector lanes_before(const Vector& previous_lanes, const Vector& v) {
  return lanes_before(previous_lanes, v, lane_numbers<Vector>{});
}

template <int Group, class Vector, int... I>
SKERRY_INLINE Vector spread_last(const Vector& v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, (int(sizeof...(I)) - Group + I % Group)...);
}
/// Returns the last `Group` lanes in all groups of lanes.
template <int Group, class Vector>
SKERRY_INLINE Vector spread_last(const Vector& v) {
  return spread_last<Group>(v, lane_numbers<Vector>{});
}

template <class Vector, int... I>
SKERRY_INLINE void interleave(Vector& a, Vector& b, std::integer_sequence<int, I...>) {
  constexpr int lanes = sizeof...(I);
  const Vector low = __builtin_shufflevector(a, b, (I / 2 + I % 2 * lanes)...);
  b = __builtin_shufflevector(a, b, (lanes / 2 + I / 2 + I % 2 * lanes)...);
  a = low;
}
/// Interleaves the lanes of a and b: lower halves into a, upper halves into b.
template <class Vector>
SKERRY_INLINE void interleave(Vector& a, Vector& b) {
  interleave(a, b, lane_numbers<Vector>{});
}

template <int First, class Vector, int... I>
SKERRY_INLINE Vector every_second(const Vector& a, const Vector& b,
                                  std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (2 * I + First)...);
}
/// Returns every second lane of a and b, concatenated, beginning with lane `First`.
template <int First, class Vector>
SKERRY_INLINE Vector every_second(const Vector& a, const Vector& b) {
  return every_second<First>(a, b, lane_numbers<Vector>{});
}

/// Loads the two or four columns of a row-major matrix with as many rows as a vector has lanes.
template <class Vector, int Count>
SKERRY_INLINE void load_columns(Vector (&columns)[Count], const char* source) {
  static_assert(Count == 2 || Count == 4);
  Vector half[Count];
  SKERRY_UNROLL(4)
  for (int k = 0; k < Count; ++k) half[k] = load_vector<Vector>(source + k * int64(vector_bytes));
  for (int level = 2; level <= Count; level *= 2) {
    SKERRY_UNROLL(2)
    for (int k = 0; k < Count / 2; ++k) {
      columns[k] = every_second<0>(half[2 * k], half[2 * k + 1]);
      columns[k + Count / 2] = every_second<1>(half[2 * k], half[2 * k + 1]);
    }
    SKERRY_UNROLL(4)
    for (int k = 0; k < Count; ++k) half[k] = columns[k];
  }
}

// ---- sets of lanes

/// For each lane mask, the indices of the lanes that it selects, then those of the other lanes.
/// With four lanes, the indices are of pairs of 4-byte lanes.
struct LaneOrders {
  uint8 of_8[256][8];
  int32 of_4[16][8];
};

consteval LaneOrders make_lane_orders() {
  LaneOrders orders{};
  for (int set = 0; set < 256; ++set) {
    int index = 0;
    for (int lane_bit = 1; lane_bit >= 0; --lane_bit) {
      for (int lane = 0; lane < 8; ++lane) {
        if ((set >> lane & 1) == lane_bit) orders.of_8[set][index++] = static_cast<uint8>(lane);
      }
    }
  }
  for (int set = 0; set < 16; ++set) {
    int index = 0;
    for (int lane_bit = 1; lane_bit >= 0; --lane_bit) {
      for (int lane = 0; lane < 4; ++lane) {
        if ((set >> lane & 1) != lane_bit) continue;
        orders.of_4[set][index++] = 2 * lane;
        orders.of_4[set][index++] = 2 * lane + 1;
      }
    }
  }
  return orders;
}

alignas(64) inline constexpr LaneOrders lanes_in_order = make_lane_orders();

// ---- across lanes

/// Combines all lanes and returns the result in each of them, in log2(lanes) steps.
template <class Vector, class Combine>
SKERRY_INLINE Vector across_lanes(Vector a, Combine combine) {
  constexpr int lanes = int(sizeof(Vector) / sizeof(a[0]));
  if constexpr (lanes > 32) a = combine(a, exchange_lanes<32>(a));
  if constexpr (lanes > 16) a = combine(a, exchange_lanes<16>(a));
  if constexpr (lanes > 8) a = combine(a, exchange_lanes<8>(a));
  if constexpr (lanes > 4) a = combine(a, exchange_lanes<4>(a));
  if constexpr (lanes > 2) a = combine(a, exchange_lanes<2>(a));
  return combine(a, exchange_lanes<1>(a));
}

}  // namespace skerry::inline SKERRY_TARGET::kernels

#if defined(__x86_64__)
#include "ops/kernel/cpu/vector_x86.hpp"  // IWYU pragma: export
#elif defined(__aarch64__)
#include "ops/kernel/cpu/vector_arm.hpp"  // IWYU pragma: export
#else
#include "ops/kernel/cpu/vector_generic.hpp"  // IWYU pragma: export
#endif

namespace skerry::inline SKERRY_TARGET::kernels {

/// True if a comparison of vectors is true in any lane.
template <class Vector>
SKERRY_INLINE bool is_any(const Vector& mask) {
#if defined(SKERRY_PACKS_LANES)
  return lanes_unequal<int64>(lanes_of<int64>(mask), lanes_of<int64>{}) != 0;
#else
  uint64 words[sizeof(Vector) / 8];
  __builtin_memcpy(words, &mask, sizeof words);
  uint64 all = 0;
  for (const uint64 word : words) all |= word;
  return all != 0;
#endif
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
