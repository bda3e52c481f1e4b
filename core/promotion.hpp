// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.hpp"

namespace skerry {

/// 0 for bool, 1 for integers, 2 for real and 3 for complex floating dtypes: what a scalar of the
/// same rank, or of a lower one, can be written into without loss of kind.
[[nodiscard]] constexpr int kind_rank(Dtype type) {
  switch (kind(type)) {
    case DtypeKind::boolean:
      return 0;
    case DtypeKind::signed_integer:
    case DtypeKind::unsigned_integer:
      return 1;
    case DtypeKind::real_floating:
      return 2;
    case DtypeKind::complex_floating:
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
class Promotion {
 public:
  void add(Dtype type) noexcept;
  /// Empty for uint64 with signed integers, for mixed kinds where these are refused, and where
  /// nothing was added.
  [[nodiscard]] std::optional<Dtype> result() const;
  [[nodiscard]] bool is_empty() const noexcept { return level_ < 0; }

 private:
  std::optional<Dtype> type_;
  int level_ = -1;
  bool is_mixed_ = false;
};

/// The same for two.
[[nodiscard]] std::optional<Dtype> promote_kinds(Dtype a, Dtype b);

}  // namespace skerry
