// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/cpu/vector.hpp"

// Chains of steps on real floats, each of which uses the result of the previous one. A few vectors
// at a time stay in registers for the whole chain, so that intermediates are neither stored nor
// loaded. The results have the same bits as those of the steps' loops. Only NaNs could differ,
// since the compiler chooses which operand's NaN is propagated: these are left to the loops.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Number of vectors that are in registers at a time.
inline constexpr int chain_vectors = vector_bytes == 64 ? 8 : 4;

/// Addresses of a pass's operands, slots and constants by their numbers (FusedStep::locations).
struct StepLocations {
  const Element* constants;
  char* addresses[FusedParams::first_constant];
  std::uint64_t single;  ///< bit of each location that is one element; constants share the last bit

  [[nodiscard]] SKERRY_INLINE bool is_single(int location) const {
    return ((single >> minimum(location, FusedParams::first_constant)) & 1) != 0;
  }
  /// Returns the address of element `start`.
  [[nodiscard]] SKERRY_INLINE char* find(int location, int64 start, int64 width) const {
    constexpr int first_constant = FusedParams::first_constant;
    const auto* const constant =
        reinterpret_cast<const char*>(constants + (location - first_constant));
    if (location >= first_constant) return const_cast<char*>(constant);
    return addresses[location] + (is_single(location) ? 0 : start * width);
  }
};

/// Runs a chain on `N` vectors of T.
template <class T, int N>
class ChainBlock {
 public:
  ChainBlock(const StepLocations& locations, int64 start) noexcept
      : locations_(locations), start_(start) {}

  /// Runs the chain that begins with `step`. Returns false if there may be a NaN; its steps must
  /// then run again as loops.
  [[nodiscard]] SKERRY_INLINE bool run(const FusedStep* step) noexcept {
    take(step->locations[1], [](vector, vector x) { return x; });
    for (;; ++step) {
      apply(*step);
      if (step->goes_on && !step->stores_result) continue;
      if (may_have_nan()) return false;
      put(step->locations[0]);
      if (!step->goes_on) return true;
    }
  }

 private:
  using vector = lanes_of<T>;

  /// Replaces each vector by `change(vector, vector of the operand)`.
  template <class Change>
  SKERRY_INLINE void take(int location, Change change) noexcept {
    const char* const x = locations_.find(location, start_, sizeof(T));
    if (locations_.is_single(location)) {
      const vector same = all_lanes(load<T>(x));
      unroll<N>([&](auto i) { vectors_[i.value] = change(vectors_[i.value], same); });
    } else {
      unroll<N>([&](auto i) {
        vectors_[i.value] =
            change(vectors_[i.value], load_vector<vector>(x + i.value * vector_bytes));
      });
    }
  }
  template <class Change>
  SKERRY_INLINE void change_vectors(Change change) noexcept {
    unroll<N>([&](auto i) { vectors_[i.value] = change(vectors_[i.value]); });
  }

  [[nodiscard]] SKERRY_INLINE bool may_have_nan() const noexcept {
    vector sums[2] = {vectors_[0], vectors_[1]};
    unroll<N - 2>([&](auto i) { sums[i.value % 2] += vectors_[i.value + 2]; });
    const vector sum = sums[0] + sums[1];
    return is_any(sum != sum);
  }

  SKERRY_INLINE void put(int location) noexcept {
    char* const destination = locations_.find(location, start_, sizeof(T));
    unroll<N>(
        [&](auto i) { store_vector(destination + i.value * vector_bytes, vectors_[i.value]); });
  }

  SKERRY_INLINE void apply(const FusedStep& step) noexcept {
    const int left = step.locations[1];
    const int right = step.locations[2];
    switch (step.chain) {
      case ChainStep::no:
      default:
        return;
      case ChainStep::square:
        return change_vectors([](vector value) { return value * value; });
      case ChainStep::negative:
        return change_vectors([](vector value) { return -value; });
      case ChainStep::reciprocal:
        return change_vectors([](vector value) { return T(1) / value; });
      case ChainStep::add:
        return take(right, [](vector value, vector x) { return value + x; });
      case ChainStep::subtract:
        return take(right, [](vector value, vector x) { return value - x; });
      case ChainStep::multiply:
        return take(right, [](vector value, vector x) { return value * x; });
      case ChainStep::divide:
        return take(right, [](vector value, vector x) { return value / x; });
      case ChainStep::add_to:
        return take(left, [](vector value, vector x) { return x + value; });
      case ChainStep::subtract_from:
        return take(left, [](vector value, vector x) { return x - value; });
      case ChainStep::multiply_to:
        return take(left, [](vector value, vector x) { return x * value; });
      case ChainStep::divide_into:
        return take(left, [](vector value, vector x) { return x / value; });
    }
  }

  const StepLocations& locations_;
  const int64 start_;
  vector vectors_[N];
};

/// Runs a chain on the whole vectors of n elements, up to the first block that may have a NaN.
/// Returns the number of elements that are done.
template <class T>
SKERRY_SHARED int64 run_chain(const StepLocations& locations, const FusedStep* begin,
                              int64 n) noexcept {
  int64 position = 0;
  for (constexpr int64 block = chain_vectors * lane_count<T>; position + block <= n;
       position += block) {
    if (!ChainBlock<T, chain_vectors>(locations, position).run(begin)) return position;
  }
  for (constexpr int64 block = 2 * lane_count<T>; position + block <= n; position += block) {
    if (!ChainBlock<T, 2>(locations, position).run(begin)) return position;
  }
  return position;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
