// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/exponential.hpp"
#include "ops/math/logarithm.hpp"
#include "ops/random/words.hpp"

// Distributions that use at least one block per element, and as many attempts as they need. Each is
// constructed from its parameters, once if they are the same for all elements, and has two forms.
// `fast_path` takes the first blocks, without branches if it is to be vectorized. The call operator
// starts again and handles elements that `fast_path` does not decide. Where both decide, the bits
// are equal.

namespace skerry::inline SKERRY_TARGET::ops::random {

/// Largest int64, which stands for larger counts.
inline constexpr int64 max_count = 0x7fffffffffffffff;
SKERRY_HD SKERRY_INLINE int64 count_of(float64 x) {
  return x < 0x1p63 ? static_cast<int64>(x) : max_count;
}

template <class T>
struct Decided {
  T value;
  bool is_final;
};

/// The gamma distribution, after G. Marsaglia and W. W. Tsang, "A simple method for generating
/// gamma variables" (2000); a shape below 1 is drawn by way of shape + 1. An attempt takes two
/// blocks: a normal number, and two uniform ones.
class GammaElement {
 public:
  static constexpr int blocks = 2;

  SKERRY_HD SKERRY_INLINE GammaElement(float64 shape, float64)
      : shape_(shape),
        d_((shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0),
        c_(1.0 / math::sqrt(9.0 * d_)),
        is_boosted_(shape < 1.0) {}

  [[nodiscard]] SKERRY_HD SKERRY_INLINE bool has_fast_path() const { return !is_boosted_; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Decided<float64> fast_path(Block point,
                                                                   Block uniform) const {
    const Candidate candidate(*this, point, uniform);
    return {d_ * candidate.v, candidate.is_inside()};
  }

  SKERRY_HD inline float64 operator()(Attempts attempts) const {
    if (!(shape_ > 0)) return shape_ == 0 ? 0.0 : math::nan<float64>();
    while (true) {
      const Block point = attempts.next();
      const Block uniform = attempts.next();
      const Candidate candidate(*this, point, uniform);
      if (!candidate.is_inside()) {
        if (candidate.root <= 0) continue;
        const float64 bound =
            0.5 * candidate.square + d_ * ((1.0 - candidate.v) + math::portable::log(candidate.v));
        if (!(math::portable::log(candidate.u) < bound)) continue;
      }
      if (!is_boosted_) return d_ * candidate.v;
      return d_ * candidate.v *
             math::portable::exp(log_of_normal(open_uniform(uniform.second)) / shape_);
    }
  }

 private:
  struct Candidate {
    float64 root;
    float64 v;
    float64 u;
    float64 square;

    SKERRY_HD SKERRY_INLINE Candidate(const GammaElement& element, Block point, Block uniform) {
      const float64 x = normal_pair(point.first, point.second).first;
      root = math::fma(element.c_, x, 1.0);
      v = root * root * root;
      u = open_uniform(uniform.first);
      square = x * x;
    }
    /// True if a simple bound on the density accepts the point.
    [[nodiscard]] SKERRY_HD SKERRY_INLINE bool is_inside() const {
      return (root > 0) & (u < 1.0 - 0.0331 * square * square);
    }
  };

  float64 shape_;
  float64 d_;
  float64 c_;
  bool is_boosted_;
};

class LognormalElement {
 public:
  static constexpr int blocks = 1;

  SKERRY_HD SKERRY_INLINE LognormalElement(float64 mean, float64 deviation)
      : mean_(mean), deviation_(deviation) {}

  [[nodiscard]] SKERRY_HD SKERRY_INLINE bool has_fast_path() const { return true; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Decided<float64> fast_path(Block point, Block) const {
    const float64 x = normal_pair(point.first, point.second).first;
    return {math::portable::exp(mean_ + deviation_ * x), true};
  }
  SKERRY_HD inline float64 operator()(Attempts attempts) const {
    return fast_path(attempts.next(), {}).value;
  }

 private:
  float64 mean_;
  float64 deviation_;
};

/// The geometric distribution, by inversion with the logarithm of the probability of failure.
class GeometricElement {
 public:
  static constexpr int blocks = 1;

  SKERRY_HD SKERRY_INLINE GeometricElement(float64 success, float64)
      : log_failure_(math::portable::log1p(-success)) {}

  [[nodiscard]] SKERRY_HD SKERRY_INLINE bool has_fast_path() const { return true; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Decided<int64> fast_path(Block drawn, Block) const {
    const float64 trials = math::ceil(log_of_normal(open_uniform(drawn.first)) / log_failure_);
    return {trials >= 1.0 ? count_of(trials) : 1, true};
  }
  SKERRY_HD inline int64 operator()(Attempts attempts) const {
    return fast_path(attempts.next(), {}).value;
  }

 private:
  float64 log_failure_;
};

}  // namespace skerry::inline SKERRY_TARGET::ops::random
