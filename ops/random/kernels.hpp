// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Where a call draws from: Philox 4x32-10 of this key, whose counter is the position in its lower
/// half, and the tail, plus the number of the attempt, in its upper half.
struct PhiloxState {
  std::uint64_t key;
  std::uint64_t position;
  std::uint64_t tail;
};

/// What is drawn, of which parameters a and b. The first four take several elements from one block
/// of 128 bits, the others one block or more for each element.
enum class RandomMethod : std::uint8_t {
  bits,         ///< the generator's own words, uint32 or uint64
  uniform,      ///< of [0, 1)
  normal,       ///< of mean 0 and variance 1
  exponential,  ///< of mean 1
  integer,      ///< integers of [low, low + span]
  integer_of_each,
  gamma,      ///< of shape a
  lognormal,  ///< e^x of a normal x of mean a and standard deviation b
  geometric,  ///< trials of probability a up to the first success
  poisson,    ///< of mean a
  binomial,   ///< successes in a trials of probability b
  count
};
inline constexpr int random_method_count = static_cast<int>(RandomMethod::count);

/// Parameters of one call; the output is contiguous. `each`, where it is not null, has the
/// parameter of every element: float64, or uint64 for integers, whose bits are those of int64.
struct RandomParams {
  OutputPointer<char> output;
  std::int64_t size;
  PhiloxState stream;
  double a;
  double b;
  OptionalInputPointer<char> a_each;
  OptionalInputPointer<char> b_each;
  std::uint64_t low;
  std::uint64_t span;
};

struct RandomKernels {
  /// By method and dtype of the output.
  Kernel<RandomParams> kernel[random_method_count][dtype_count];
};

}  // namespace skerry
