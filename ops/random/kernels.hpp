// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Where a call draws from: Philox 4x32-10 with this key. The counter's lower half is the position;
/// its upper half is the tail plus the number of the attempt.
struct PhiloxState {
  std::uint64_t key;
  std::uint64_t position;
  std::uint64_t tail;
};

/// Parameters of the kernel that stores a state in memory, as three words.
struct RandomStateParams {
  OutputPointer<char> output;
  PhiloxState state;
};

/// Distributions, with parameters a and b. The first four take several elements from one block of
/// 128 bits, the others at least one block per element.
enum class RandomMethod : std::uint8_t {
  bits,         ///< raw words of the generator, uint32 or uint64
  uniform,      ///< in [0, 1)
  normal,       ///< mean 0 and variance 1
  exponential,  ///< mean 1
  integer,      ///< integers in [low, low + span]
  integer_of_each,
  gamma,      ///< shape a
  lognormal,  ///< e^x for a normal x of mean a and standard deviation b
  geometric,  ///< trials up to the first success, of probability a
  poisson,    ///< mean a
  binomial,   ///< successes in a trials of probability b
  count
};
inline constexpr int random_method_count = static_cast<int>(RandomMethod::count);

/// Parameters of one call; the output is contiguous. `a_each` and `b_each`, if not null, have the
/// parameter of each element: float64, or for integers uint64 with the bits of int64.
struct RandomParams {
  OutputPointer<char> output;
  std::int64_t size;
  PhiloxState stream;
  /// If not null, has a stored state when the kernel runs, and the position of `stream` counts from
  /// it.
  OptionalInputPointer<char> base;
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
  Kernel<RandomStateParams> store_state;
};

}  // namespace skerry
