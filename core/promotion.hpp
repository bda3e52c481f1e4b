// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.hpp"

namespace skerry {

/// 0 for bool, 1 for integers, 2 for real and 3 for complex floating dtypes: what a scalar of the
/// same rank, or of a lower one, can be written into without loss of kind.
[[nodiscard]] constexpr int kind_rank(dtype type) {
  switch (kind(type)) {
    case dtype_kind::boolean:
      return 0;
    case dtype_kind::signed_integer:
    case dtype_kind::unsigned_integer:
      return 1;
    case dtype_kind::real_floating:
      return 2;
    case dtype_kind::complex_floating:
      return 3;
  }
  __builtin_unreachable();
}

/// Whether mixes of kinds that the standard leaves open are refused here and now. Asked only where
/// there is such a mix.
[[nodiscard]] bool promotion_is_strict();
/// Who knows the answer, from now on; without one it is "no". Called from any thread.
void ask_whether_strict(bool (*ask)()) noexcept;

/// The dtype that any number of dtypes promote to, in whatever order: bool < integer < floating,
/// and the highest of these kinds that occurs decides by the standard's table, in which real and
/// complex dtypes meet.
class promotion {
 public:
  void add(dtype type) noexcept;
  /// Empty for uint64 with signed integers, for mixed kinds where these are refused, and where
  /// nothing was added.
  [[nodiscard]] std::optional<dtype> result() const;
  [[nodiscard]] bool is_empty() const noexcept { return level_ < 0; }

 private:
  std::optional<dtype> type_;
  int level_ = -1;
  bool is_mixed_ = false;
};

/// The same for two.
[[nodiscard]] std::optional<dtype> promote_kinds(dtype a, dtype b);

}  // namespace skerry
