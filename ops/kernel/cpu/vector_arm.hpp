// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include <utility>

#include "ops/kernel/cpu/memory.hpp"

// The functions of vector_x86.hpp in NEON, which every aarch64 processor has. Vectorized sorts are
// missing: two or four lanes are too few for them.

namespace skerry::inline SKERRY_TARGET::kernels {

// ---- registers

/// Returns the value in a register, so that the compiler does not reload it at each use.
template <class Vector>
SKERRY_INLINE Vector in_register(Vector value) {
  __asm__("" : "+w"(value));
  return value;
}

// ---- non-temporal stores

/// Stores a vector. There is no non-temporal store of one register, and processors stop reading
/// lines into the caches by themselves once several were written completely.
template <class Vector>
SKERRY_INLINE void store_past_caches(char* output, const Vector& v) {
  __builtin_memcpy(output, &v, sizeof v);
}

/// Stores a cache line of 64 bytes without reading it into the caches.
SKERRY_INLINE void store_line_past_caches(void* line, const void* source) {
  const auto* const words = static_cast<const uint64*>(source);
  for (int half = 0; half < 2; ++half) {
    const uint64x2_t low = vld1q_u64(words + half * 4);
    const uint64x2_t high = vld1q_u64(words + half * 4 + 2);
    char* const output = static_cast<char*>(line) + half * 32;
    __asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(output), "w"(low), "w"(high) : "memory");
  }
}

/// Does nothing: barriers order non-temporal stores like others.
SKERRY_INLINE void fence_stores() {}

// ---- float16

/// Number of elements that widen_lanes() converts from float16 to float32, and narrow_lanes() back.
inline constexpr int half_lanes = 8;
SKERRY_INLINE void widen_lanes(float32* output, const char* source) {
  const auto halves = vreinterpretq_f16_u16(load<uint16x8_t>(source));
  vst1q_f32(output, vcvt_f32_f16(vget_low_f16(halves)));
  vst1q_f32(output + 4, vcvt_high_f32_f16(halves));
}
SKERRY_INLINE void narrow_lanes(char* output, const float32* source) {
  const float16x4_t low = vcvt_f16_f32(vld1q_f32(source));
  store(output, vreinterpretq_u16_f16(vcvt_high_f16_f32(low, vld1q_f32(source + 4))));
}

// ---- products

inline constexpr bool multiplies_64_bits = false;

/// Multiplies the lower halves of 64-bit lanes, for levels without a 64-bit multiplication.
template <class V>
  requires(!multiplies_64_bits)
SKERRY_INLINE V multiply_low_halves(V a, V b) {
  return V(vmull_u32(vmovn_u64(uint64x2_t(a)), vmovn_u64(uint64x2_t(b))));
}

// ---- sets of lanes

/// Returns a mask of 32 bytes: bit i is set if byte i is not 0.
SKERRY_INLINE uint32 bytes_unequal_zero(const char* bytes) {
  const uint8x16_t bits{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const auto bits_in = [&](const char* half) __attribute__((always_inline)) {
    const auto items = load<uint8x16_t>(half);
    return vandq_u8(vtstq_u8(items, items), bits);
  };
  uint8x16_t sums = vpaddq_u8(bits_in(bytes), bits_in(bytes + 16));
  sums = vpaddq_u8(sums, sums);
  sums = vpaddq_u8(sums, sums);
  return vgetq_lane_u32(vreinterpretq_u32_u8(sums), 0);
}

/// Returns the indices of the lanes in a set of 8, then those of the other lanes, as bytes.
SKERRY_INLINE uint8x8_t numbers_of_lanes(unsigned set) { return vld1_u8(lanes_in_order.of_8[set]); }

/// Returns the indices of the bytes of items, for vector `Part` of the packed items.
template <int Size, int Part, int... I>
SKERRY_INLINE uint8x16_t numbers_of_bytes(uint8x8_t items, std::integer_sequence<int, I...>) {
  const uint8x16_t item{uint8((Part * 16 + I) / Size)...};
  const uint8x16_t byte{uint8(I % Size)...};
  const uint8x16_t all = vcombine_u8(items, items);
  return vaddq_u8(vmulq_u8(vqtbl1q_u8(all, item), vdupq_n_u8(Size)), byte);
}

/// True if pack_8_items<Size> exists.
template <int Size>
inline constexpr bool packs_8_items = Size <= 8;

/// Stores the items in a set of 8, in order. Always writes 8 items; those after the set are
/// arbitrary.
template <int Size>
SKERRY_INLINE void pack_8_items(char* output, const char* source, unsigned set) {
  static_assert(packs_8_items<Size>);
  const uint8x8_t order = numbers_of_lanes(set);
  if constexpr (Size == 1) {
    const auto items = load<uint8x8_t>(source);
    store(output, vqtbl1_u8(vcombine_u8(items, items), order));
  } else {
    constexpr std::make_integer_sequence<int, 16> bytes;
    const auto part = [&](int index) __attribute__((always_inline)) {
      return load<uint8x16_t>(source + index * 16);
    };
    if constexpr (Size == 2) {
      store(output, vqtbl1q_u8(part(0), numbers_of_bytes<Size, 0>(order, bytes)));
    } else if constexpr (Size == 4) {
      const uint8x16x2_t items{part(0), part(1)};
      store(output, vqtbl2q_u8(items, numbers_of_bytes<Size, 0>(order, bytes)));
      store(output + 16, vqtbl2q_u8(items, numbers_of_bytes<Size, 1>(order, bytes)));
    } else {
      const uint8x16x4_t items{part(0), part(1), part(2), part(3)};
      store(output, vqtbl4q_u8(items, numbers_of_bytes<Size, 0>(order, bytes)));
      store(output + 16, vqtbl4q_u8(items, numbers_of_bytes<Size, 1>(order, bytes)));
      store(output + 32, vqtbl4q_u8(items, numbers_of_bytes<Size, 2>(order, bytes)));
      store(output + 48, vqtbl4q_u8(items, numbers_of_bytes<Size, 3>(order, bytes)));
    }
  }
}

/// Stores `base` plus the index of each lane in a set of 8. Always writes 8 numbers; those after
/// the set are arbitrary.
SKERRY_INLINE void store_numbers_of_lanes(int64* output, unsigned set, int64 base) {
  const auto bases = vdupq_n_u64(static_cast<uint64>(base));
  const uint16x8_t order = vmovl_u8(numbers_of_lanes(set));
  const uint32x4_t low = vmovl_u16(vget_low_u16(order));
  const uint32x4_t high = vmovl_high_u16(order);
  vst1q_s64(output, vreinterpretq_s64_u64(vaddw_u32(bases, vget_low_u32(low))));
  vst1q_s64(output + 2, vreinterpretq_s64_u64(vaddw_high_u32(bases, low)));
  vst1q_s64(output + 4, vreinterpretq_s64_u64(vaddw_u32(bases, vget_low_u32(high))));
  vst1q_s64(output + 6, vreinterpretq_s64_u64(vaddw_high_u32(bases, high)));
}

// ---- parts of vectors

/// Defined if load_some_lanes() and store_some_lanes() exist.
#define SKERRY_ACCESSES_SOME_LANES 1

/// Loads the first `count` lanes; the others are those of `rest`.
template <class K>
SKERRY_INLINE lanes_of<K> load_some_lanes(const K* source, int64 count, lanes_of<K> rest) {
  if (count >= lane_count<K>) return load_lanes(source);
  unroll<lane_count<K> - 1>([&](auto i) __attribute__((always_inline)) {
    constexpr int lane = decltype(i)::value;
    if (lane < count) rest[lane] = source[lane];
  });
  return rest;
}

template <class K>
SKERRY_INLINE void store_some_lanes(K* output, int64 count, lanes_of<K> v) {
  if (count >= lane_count<K>) return store_lanes(output, v);
  unroll<lane_count<K> - 1>([&](auto i) __attribute__((always_inline)) {
    constexpr int lane = decltype(i)::value;
    if (lane < count) output[lane] = v[lane];
  });
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
