// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/random/kernels.hpp"
#include "ops/random/philox.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

inline constexpr int64 chunk_blocks = tuning::random_chunk_blocks;

namespace detail {

using word_lanes = lanes_of<uint64>;  // a 32-bit word in the lower half of each lane

/// Multiplies the lower halves; the upper ones may have any value.
template <class V>
SKERRY_INLINE V multiply_words(V words, uint32 factor) {
  if constexpr (multiplies_64_bits) {
    return (words & 0xffffffffu) * uint64{factor};
  } else {
    return multiply_low_halves(words, all_lanes(uint64{factor}));
  }
}

/// Philox rounds, with a word of one counter per lane.
struct PhiloxLanes {
  word_lanes words[4];

  SKERRY_INLINE void round(uint64 low_key, uint64 high_key) {
    const word_lanes left = multiply_words(words[0], ops::random::philox_factors[0]);
    const word_lanes right = multiply_words(words[2], ops::random::philox_factors[1]);
    words[0] = (right >> 32) ^ words[1] ^ low_key;
    words[1] = right;
    words[2] = (left >> 32) ^ words[3] ^ high_key;
    words[3] = left;
  }
  [[nodiscard]] SKERRY_INLINE word_lanes joined(int low, int high) const {
    return (words[low] & 0xffffffffu) | (words[high] << 32);
  }
};

template <int... I>
SKERRY_INLINE void store_interleaved(uint64* destination, word_lanes first, word_lanes second,
                                     std::integer_sequence<int, I...>) {
  constexpr int lanes = int(sizeof...(I));
  store_lanes<uint64>(destination,
                      __builtin_shufflevector(first, second, (I / 2 + I % 2 * lanes)...));
  store_lanes<uint64>(
      destination + lanes,
      __builtin_shufflevector(first, second, (lanes / 2 + I / 2 + I % 2 * lanes)...));
}

}  // namespace detail

/// Fills `words` with blocks [begin, begin + chunk_blocks) of a stream for one attempt, as pairs of
/// 64-bit words.
SKERRY_SHARED inline void fill_words(uint64* words, const PhiloxState& stream, uint64 begin,
                                     uint32 attempt = 0) {
  constexpr int lanes = lane_count<uint64>;
  using detail::word_lanes;
  word_lanes positions;
  for (int i = 0; i < lanes; ++i) positions[i] = stream.position + begin + uint64(i);
  const auto low_tail = all_lanes(stream.tail + attempt);
  const auto high_tail = all_lanes(stream.tail >> 32);
  for (int64 done = 0; done < chunk_blocks; done += int64{2} * lanes) {
    // Two vectors at a time: each round waits for the products of the previous one.
    const word_lanes next = positions + uint64(lanes);
    detail::PhiloxLanes one{{positions, positions >> 32, low_tail, high_tail}};
    detail::PhiloxLanes other{{next, next >> 32, low_tail, high_tail}};
    unroll<ops::random::philox_rounds>([&](auto round) {
      constexpr auto step = static_cast<uint32>(round.value);
      const auto low = static_cast<uint32>(stream.key) + step * ops::random::philox_key_steps[0];
      const auto high =
          static_cast<uint32>(stream.key >> 32) + step * ops::random::philox_key_steps[1];
      one.round(low, high);
      other.round(low, high);
    });
    constexpr auto numbers = std::make_integer_sequence<int, lanes>{};
    detail::store_interleaved(words + 2 * done, one.joined(0, 1), one.joined(2, 3), numbers);
    detail::store_interleaved(words + 2 * (done + lanes), other.joined(0, 1), other.joined(2, 3),
                              numbers);
    positions = next + uint64(lanes);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
