// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.hpp"

namespace skerry {

/// Returns 0 for bool, 1 for integers, 2 for real and 3 for complex floating dtypes: a scalar of
/// the same or a lower rank can be written without losing its kind.
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

/// True if promotions of mixed kinds that the standard leaves open are rejected on this thread.
/// Called only for such mixes.
[[nodiscard]] bool promotion_is_strict();
/// Installs the function behind promotion_is_strict(), called from any thread; null means false.
void ask_whether_strict(bool (*ask)()) noexcept;

/// Computes the dtype that any number of dtypes promote to, in any order: the highest kind present
/// (bool < integer < floating) decides by the standard's table, in which real and complex dtypes
/// promote together.
class Promotion {
 public:
  void add(Dtype type) noexcept;
  /// Empty for uint64 with signed integers, for mixed kinds if these are rejected, and if nothing
  /// was added.
  [[nodiscard]] std::optional<Dtype> result() const;
  [[nodiscard]] bool is_empty() const noexcept { return level_ < 0; }

 private:
  std::optional<Dtype> type_;
  int level_ = -1;
  bool is_mixed_ = false;
};

/// The same for two dtypes.
[[nodiscard]] std::optional<Dtype> promote_kinds(Dtype a, Dtype b);

}  // namespace skerry
