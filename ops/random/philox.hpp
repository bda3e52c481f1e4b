// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/ieee.hpp"
#include "ops/random/kernels.hpp"

// Philox 4x32-10 of J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): a
// block of 128 random bits is a function of a key and a counter, so any thread of any device can
// compute any part of a stream. The constants are those of Random123.

namespace skerry::inline SKERRY_TARGET::ops::random {

inline constexpr uint32 philox_factors[] = {0xd2511f53u, 0xcd9e8d57u};
inline constexpr uint32 philox_key_steps[] = {0x9e3779b9u, 0xbb67ae85u};
inline constexpr int philox_rounds = 10;

/// 128 bits: words 0 and 1 are the halves of `first`, 2 and 3 those of `second`.
struct Block {
  uint64 first;
  uint64 second;
};

SKERRY_HD SKERRY_INLINE Block philox(uint64 key, Block counter) {
  uint32 c0 = static_cast<uint32>(counter.first);
  uint32 c1 = static_cast<uint32>(counter.first >> 32);
  uint32 c2 = static_cast<uint32>(counter.second);
  uint32 c3 = static_cast<uint32>(counter.second >> 32);
  uint32 k0 = static_cast<uint32>(key);
  uint32 k1 = static_cast<uint32>(key >> 32);
  for (int round = 0; round < philox_rounds; ++round) {
    const uint64 left = uint64{0xd2511f53u} * c0;
    const uint64 right = uint64{0xcd9e8d57u} * c2;
    c0 = static_cast<uint32>(right >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32>(right);
    c2 = static_cast<uint32>(left >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32>(left);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {c0 | uint64{c1} << 32, c2 | uint64{c3} << 32};
}

/// Returns where a kernel draws, of RandomParams::stream and RandomParams::base.
SKERRY_HD SKERRY_INLINE PhiloxState state_after(const char* base, const PhiloxState& stream) {
  if (base == nullptr) return stream;
  PhiloxState state = *reinterpret_cast<const PhiloxState*>(base);
  state.position += stream.position;
  return state;
}

/// The blocks at one position of a stream, one per attempt: what an element draws depends only on
/// its position, however often it draws.
class Attempts {
 public:
  SKERRY_HD SKERRY_INLINE Attempts(uint64 key, uint64 position, uint64 tail)
      : key_(key), counter_{position, tail} {}

  SKERRY_HD SKERRY_INLINE Block next() {
    const Block drawn = philox(key_, counter_);
    // Only in word 2: word 3 belongs to the key.
    const auto attempt = static_cast<uint32>(static_cast<uint32>(counter_.second) + 1u);
    counter_.second = (counter_.second >> 32) << 32 | attempt;
    return drawn;
  }

 private:
  uint64 key_;
  Block counter_;
};

/// Converts to the nearest float64. AVX2 has no conversion from 64-bit integers, so on the CPU the
/// halves become the low bits of 2^52 and 2^84, exactly, and their sum is rounded once.
SKERRY_HD SKERRY_INLINE float64 to_real(uint64 x) {
#if defined(__CUDA_ARCH__)
  return static_cast<float64>(x);
#else
  const auto low = math::from_bits<float64>(0x4330000000000000u | (x & 0xffffffffu));
  const auto high = math::from_bits<float64>(0x4530000000000000u | x >> 32);
  return (high - 0x1.00000001p84) + low;
#endif
}

/// Returns a uniform number in (0, 1), with as many bits as are exact.
SKERRY_HD SKERRY_INLINE float64 open_uniform(uint64 word) {
  return (to_real(word >> 12) + 0.5) * 0x1p-52;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::random
