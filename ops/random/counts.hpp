// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/random/elements.hpp"

// Poisson and binomial distributions. For small means, probabilities are summed up; otherwise W.
// Hoermann's transformed rejection is used ("The transformed rejection method for generating
// Poisson random variables", 1993; "The generation of binomial random variates", 1993).
// Probabilities are computed by C. Loader's expansion about the mean ("Fast and accurate
// computation of binomial probabilities", 2000), which does not cancel for large counts.

namespace skerry::inline SKERRY_TARGET::ops::random {

/// Below this mean, probabilities are summed up.
inline constexpr float64 few = 10.0;

/// stirling_error(n) for n < 16.
SKERRY_TABLE float64 stirling_errors[] = {
    0.0,
    0.0810614667953272582196702,
    0.0413406959554092940938221,
    0.02767792568499833914878929,
    0.02079067210376509311152277,
    0.01664469118982119216319487,
    0.01387612882307074799874573,
    0.01189670994589177009505572,
    0.010411265261972096497478567,
    0.009255462182712732917728637,
    0.008330563433362871256469318,
    0.007573675487951840794972024,
    0.006942840107209529865664152,
    0.006408994188004207068439631,
    0.005951370112758847735624416,
    0.005554733551962801371038690,
};
/// Returns log(n!) - log(sqrt(2 pi n) (n / e)^n): from the table, or by its asymptotic series.
SKERRY_HD inline float64 stirling_error(float64 n) {
  if (n < 16.0) return stirling_errors[static_cast<int>(n)];
  const float64 inverse = 1.0 / n;
  const float64 square = inverse * inverse;
  return inverse * math::portable::polynomial(square, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                                              1.0 / 1188);
}

/// Returns x log(x / mean) + mean - x, without cancellation near the mean.
SKERRY_HD inline float64 deviance(float64 x, float64 mean) {
  const float64 distance = x - mean;
  if (math::fabs(distance) >= 0.1 * (x + mean)) return x * math::portable::log(x / mean) - distance;
  const float64 ratio = distance / (x + mean);
  float64 sum = distance * ratio;
  float64 term = 2.0 * x * ratio;
  const float64 square = ratio * ratio;
  for (int j = 1; j < 1000; ++j) {
    term *= square;
    const float64 next = sum + term / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

inline constexpr float64 two_pi = 6.283185307179586477;

/// Hat function of the transformed rejection, by the ratio of uniforms. A point consists of its
/// count and the values that decide whether the count is accepted.
struct Hat {
  float64 a;
  float64 b;
  float64 center;
  float64 squeeze_bound;  ///< accept immediately below this, unless u is close to the edge

  struct Point {
    float64 count;
    float64 v;
    float64 edge;
  };
  SKERRY_HD SKERRY_INLINE Point sample_point(Block drawn) const {
    const float64 u = open_uniform(drawn.first) - 0.5;
    const float64 edge = 0.5 - math::fabs(u);
    return {math::floor((2.0 * a / edge + b) * u + center), open_uniform(drawn.second), edge};
  }
  SKERRY_HD SKERRY_INLINE bool accepts(Point p) const {
    return p.edge >= 0.07 && p.v <= squeeze_bound;
  }
  /// Returns the logarithm of v relative to the hat's height.
  SKERRY_HD SKERRY_INLINE float64 log_height(Point p, float64 scale) const {
    return math::portable::log(p.v * scale / (a / (p.edge * p.edge) + b));
  }
};

class PoissonElement {
 public:
  static constexpr int blocks = 1;

  SKERRY_HD inline PoissonElement(float64 mean, float64) : mean_(mean) {
    if (mean < few) {
      none_ = math::portable::exp(-mean);
      return;
    }
    const float64 b = 0.931 + 2.53 * math::sqrt(mean);
    hat_ = {-0.059 + 0.02483 * b, b, mean + 0.43, 0.9277 - 3.6224 / (b - 2.0)};
    scale_ = 1.1239 + 1.1328 / (b - 3.4);
  }

  [[nodiscard]] SKERRY_HD SKERRY_INLINE bool has_fast_path() const { return true; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Decided<int64> fast_path(Block drawn, Block) const {
    if (!(mean_ >= few)) return {added_up(uniform_of(drawn.first)), true};
    const Hat::Point p = hat_.sample_point(drawn);
    return {count_of(p.count), hat_.accepts(p)};
  }
  SKERRY_HD inline int64 operator()(Attempts attempts) const {
    if (!(mean_ >= few)) return added_up(uniform_of(attempts.next().first));
    while (true) {
      const Hat::Point p = hat_.sample_point(attempts.next());
      if (hat_.accepts(p)) return count_of(p.count);
      if (p.count < 0 || (p.edge < 0.013 && p.v > p.edge)) continue;
      if (hat_.log_height(p, scale_) <= log_probability(p.count)) return count_of(p.count);
    }
  }

 private:
  SKERRY_HD inline int64 added_up(float64 u) const {
    float64 probability = none_;
    float64 sum = probability;
    int64 count = 0;
    while (u >= sum) {
      ++count;
      probability *= mean_ / static_cast<float64>(count);
      if (!(sum + probability > sum)) break;
      sum += probability;
    }
    return count;
  }
  SKERRY_HD inline float64 log_probability(float64 k) const {
    if (k == 0) return -mean_;
    return -stirling_error(k) - deviance(k, mean_) - 0.5 * math::portable::log(two_pi * k);
  }

  float64 mean_;
  float64 none_ = 0;
  float64 scale_ = 0;
  Hat hat_{};
};

class BinomialElement {
 public:
  static constexpr int blocks = 1;

  SKERRY_HD inline BinomialElement(float64 trials, float64 success)
      : trials_(trials),
        is_swapped_(success > 0.5),
        p_(is_swapped_ ? 1.0 - success : success),
        q_(1.0 - p_) {
    const float64 mean = trials * p_;
    if (mean < few) {
      none_ = math::portable::exp(trials * math::portable::log1p(-p_));
      return;
    }
    is_many_ = true;
    const float64 deviation = math::sqrt(mean * q_);
    const float64 b = 1.15 + 2.53 * deviation;
    hat_ = {-0.0873 + 0.0248 * b + 0.01 * p_, b, mean + 0.5, 0.92 - 4.2 / b};
    scale_ = (2.83 + 5.1 / b) * deviation;
    max_log_probability_ = log_probability(math::floor((trials + 1.0) * p_));
  }

  [[nodiscard]] SKERRY_HD SKERRY_INLINE bool has_fast_path() const { return true; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Decided<int64> fast_path(Block drawn, Block) const {
    if (!is_many_) return {of_successes(added_up(uniform_of(drawn.first))), true};
    const Hat::Point p = hat_.sample_point(drawn);
    const bool is_possible = p.count >= 0 && p.count <= trials_;
    return {of_successes(p.count), is_possible && hat_.accepts(p)};
  }
  SKERRY_HD inline int64 operator()(Attempts attempts) const {
    const float64 count =
        is_many_ ? transformed(attempts) : added_up(uniform_of(attempts.next().first));
    return of_successes(count);
  }

 private:
  [[nodiscard]] SKERRY_HD SKERRY_INLINE int64 of_successes(float64 count) const {
    return count_of(is_swapped_ ? trials_ - count : count);
  }
  SKERRY_HD inline float64 transformed(Attempts attempts) const {
    while (true) {
      const Hat::Point p = hat_.sample_point(attempts.next());
      if (p.count < 0 || p.count > trials_) continue;
      if (hat_.accepts(p)) return p.count;
      if (hat_.log_height(p, scale_) <= log_probability(p.count) - max_log_probability_)
        return p.count;
    }
  }
  SKERRY_HD inline float64 added_up(float64 u) const {
    const float64 odds = p_ / q_;
    float64 probability = none_;
    float64 sum = probability;
    float64 count = 0;
    while (u >= sum && count < trials_) {
      probability *= (trials_ - count) / (count + 1.0) * odds;
      if (!(sum + probability > sum)) break;
      count += 1.0;
      sum += probability;
    }
    return count;
  }
  SKERRY_HD inline float64 log_probability(float64 k) const {
    if (k == 0) return trials_ * math::portable::log1p(-p_);
    if (k == trials_) return trials_ * math::portable::log(p_);
    const float64 rest = trials_ - k;
    return stirling_error(trials_) - stirling_error(k) - stirling_error(rest) -
           deviance(k, trials_ * p_) - deviance(rest, trials_ * q_) -
           0.5 * math::portable::log(two_pi * k * (rest / trials_));
  }

  float64 trials_;
  bool is_swapped_;
  float64 p_;
  float64 q_;
  bool is_many_ = false;
  float64 none_ = 0;
  float64 scale_ = 0;
  float64 max_log_probability_ = 0;
  Hat hat_{};
};

}  // namespace skerry::inline SKERRY_TARGET::ops::random
