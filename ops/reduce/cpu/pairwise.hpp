// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/reduce/cpu/loops.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

using tuning::accumulator_bytes;

/// Partial results at levels that are powers of two, like a binary counter: the tree of a pairwise
/// sum.
class Pairwise {
 public:
  Pairwise(const Reducer& reducer, int64 n) noexcept
      : reducer_(reducer), n_(n), nbytes_(n * reducer.accumulator_size) {}

  void push(const char* partial) noexcept {
    int level = 0;
    for (; ((count_ >> level) & 1) != 0; ++level) {
      reducer_.merge(levels_[level], partial, n_);
      partial = levels_[level];
    }
    __builtin_memcpy(levels_[level], partial, static_cast<unsigned long>(nbytes_));
    ++count_;
  }

  /// Leaves the total in `acc`.
  void total(char* acc) noexcept {
    const char* low = nullptr;
    for (int level = 0; (count_ >> level) != 0; ++level) {
      if (((count_ >> level) & 1) == 0) continue;
      if (low != nullptr) reducer_.merge(levels_[level], low, n_);
      low = levels_[level];
    }
    if (low == nullptr) return reducer_.clear(acc, n_);
    __builtin_memcpy(acc, low, static_cast<unsigned long>(nbytes_));
  }

 private:
  const Reducer& reducer_;
  int64 n_;
  int64 nbytes_;
  uint64 count_ = 0;
  alignas(64) char levels_[48][accumulator_bytes];
};

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
