// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/cpu/vector.hpp"

// Steps of real floats of which each goes on with what the one before has made: a few vectors at a
// time stay in registers for all of them, so that it is neither stored nor loaded again. Each lane
// has the operation that the kernel's loop has, so the bits are the same; NaNs aside, of which one
// or the other operand's is handed on as the compiler has it, so that these are left to the loops.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Vectors that stay in registers together.
inline constexpr int chain_vectors = vector_bytes == 64 ? 8 : 4;

/// What the steps of a pass find by their numbers: where operands stand, and slots.
struct StepPlaces {
  const Element* constants;
  char* at[FusedParams::first_constant];
  std::uint64_t single;  ///< a bit for each place; constants are, too

  [[nodiscard]] SKERRY_INLINE bool is_single(int place) const {
    return ((single >> least(place, FusedParams::first_constant)) & 1) != 0;
  }
  /// The element `from` there.
  [[nodiscard]] SKERRY_INLINE char* find(int place, int64 from, int64 width) const {
    constexpr int first_constant = FusedParams::first_constant;
    const auto* const constant =
        reinterpret_cast<const char*>(constants + (place - first_constant));
    if (place >= first_constant) return const_cast<char*>(constant);
    return at[place] + (is_single(place) ? 0 : from * width);
  }
};

/// `N` vectors of T.
template <class T, int N>
class ChainBlock {
 public:
  ChainBlock(const StepPlaces& places, int64 from) noexcept : places_(places), from_(from) {}

  /// The steps from this one on that go on with each other. False, and nothing is stored, where
  /// there may be a NaN.
  [[nodiscard]] SKERRY_INLINE bool run(const FusedStep* step) noexcept {
    take(step->places[1], [](vector, vector x) { return x; });
    for (;; ++step) {
      apply(*step);
      if (step->goes_on && !step->is_kept) continue;
      if (may_have_nan()) return false;
      put(step->places[0]);
      if (!step->goes_on) return true;
    }
  }

 private:
  using vector = lanes_of<T>;

  /// `change` gets each vector and what is there of an operand.
  template <class Change>
  SKERRY_INLINE void take(int place, Change change) noexcept {
    const char* const x = places_.find(place, from_, sizeof(T));
    if (places_.is_single(place)) {
      const vector same = all_lanes(load<T>(x));
      repeat<N>([&](auto i) { made_[i.value] = change(made_[i.value], same); });
    } else {
      repeat<N>([&](auto i) {
        made_[i.value] = change(made_[i.value], load_vector<vector>(x + i.value * vector_bytes));
      });
    }
  }
  template <class Change>
  SKERRY_INLINE void each(Change change) noexcept {
    repeat<N>([&](auto i) { made_[i.value] = change(made_[i.value]); });
  }

  [[nodiscard]] SKERRY_INLINE bool may_have_nan() const noexcept {
    vector sums[2] = {made_[0], made_[1]};
    repeat<N - 2>([&](auto i) { sums[i.value % 2] += made_[i.value + 2]; });
    const vector sum = sums[0] + sums[1];
    return is_any(sum != sum);
  }

  SKERRY_INLINE void put(int place) noexcept {
    char* const to = places_.find(place, from_, sizeof(T));
    repeat<N>([&](auto i) { store_vector(to + i.value * vector_bytes, made_[i.value]); });
  }

  SKERRY_INLINE void apply(const FusedStep& step) noexcept {
    const int left = step.places[1];
    const int right = step.places[2];
    switch (step.chain) {
      case Chained::no:
      default:
        return;
      case Chained::square:
        return each([](vector made) { return made * made; });
      case Chained::negative:
        return each([](vector made) { return -made; });
      case Chained::reciprocal:
        return each([](vector made) { return T(1) / made; });
      case Chained::add:
        return take(right, [](vector made, vector x) { return made + x; });
      case Chained::subtract:
        return take(right, [](vector made, vector x) { return made - x; });
      case Chained::multiply:
        return take(right, [](vector made, vector x) { return made * x; });
      case Chained::divide:
        return take(right, [](vector made, vector x) { return made / x; });
      case Chained::add_to:
        return take(left, [](vector made, vector x) { return x + made; });
      case Chained::subtract_from:
        return take(left, [](vector made, vector x) { return x - made; });
      case Chained::multiply_to:
        return take(left, [](vector made, vector x) { return x * made; });
      case Chained::divide_into:
        return take(left, [](vector made, vector x) { return x / made; });
    }
  }

  const StepPlaces& places_;
  const int64 from_;
  vector made_[N];
};

/// Compares lengths of complex numbers with a bound by their squares, where these are not too near
/// each other, as the roots take most of the time. Returns how many of the n elements are done.
template <class T>
SKERRY_SHARED int64 compare_lengths(const StepPlaces& places, const FusedStep* length,
                                    int64 n) noexcept {
  using bits = ops::bits_t<T>;
  const FusedStep& comparison = length[1];
  const bits is_above = comparison.chain == Chained::above ? 1 : 0;
  const char* const x = places.find(length->places[1], 0, 0);
  char* const to = places.find(comparison.places[0], 0, 0);
  const T bound = load<T>(places.find(comparison.places[2], 0, 0));
  if (!(bound > T(0x1p-30) && bound < T(0x1p30)) || places.is_single(length->places[1])) return 0;
  const T square = bound * bound;
  const bits near = ops::math::to_bits(square * T(0x1p-16));
  constexpr bits infinite = ops::math::to_bits(std::numeric_limits<T>::infinity());
  constexpr int sign = 8 * sizeof(T) - 1;
  constexpr int64 block = 64;
  for (int64 at = 0; at < n; at += block) {
    const int64 end = least(at + block, n);
    bits doubt = 0;  // the highest bit is set if it is near, or not a number
    for (int64 i = at; i < end; ++i) {
      const auto each = load<complex<T>>(x + i * int64(2 * sizeof(T)));
      const T apart = each.re * each.re + each.im * each.im - square;
      const bits magnitude = ops::math::to_bits(ops::math::fabs(apart));
      const bits is_below = ops::math::to_bits(apart) >> sign;
      doubt |= (magnitude - near) | (infinite - magnitude);
      to[i] = static_cast<char>(is_below ^ is_above);
    }
    if ((doubt >> sign) != 0) return at;
  }
  return n;
}

/// As many of the n elements as make whole vectors before there may be a NaN; returns how many.
template <class T>
SKERRY_SHARED int64 run_chain(const StepPlaces& places, const FusedStep* begin, int64 n) noexcept {
  int64 at = 0;
  for (constexpr int64 block = chain_vectors * lane_count<T>; at + block <= n; at += block) {
    if (!ChainBlock<T, chain_vectors>(places, at).run(begin)) return at;
  }
  for (constexpr int64 block = 2 * lane_count<T>; at + block <= n; at += block) {
    if (!ChainBlock<T, 2>(places, at).run(begin)) return at;
  }
  return at;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
