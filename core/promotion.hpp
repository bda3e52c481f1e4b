// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.hpp"

namespace skerry {

/// Returns 0 for bool, 1 for integer, 2 for real and 3 for complex floating dtypes. A scalar
/// converts implicitly to a dtype of its own or a higher rank.
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

/// True if this thread rejects promotions of mixed kinds that the standard leaves undefined. Called
/// only for such mixes.
[[nodiscard]] bool promotion_is_strict();
/// Sets the function that promotion_is_strict() calls, on any thread; null means always false.
void ask_whether_strict(bool (*ask)()) noexcept;

/// Computes the common dtype of any number of dtypes, independent of their order: the standard's
/// table applied to the dtypes of the highest kind (bool < integer < floating). Real and complex
/// floating dtypes count as one kind here, since the table promotes them with each other.
class Promotion {
 public:
  void add(Dtype type) noexcept;
  /// Returns the common dtype; empty for uint64 with signed integers, for mixed kinds if
  /// promotion_is_strict(), and if nothing was added.
  [[nodiscard]] std::optional<Dtype> result() const;
  [[nodiscard]] bool is_empty() const noexcept { return level_ < 0; }

 private:
  std::optional<Dtype> type_;
  int level_ = -1;
  bool is_mixed_ = false;
};

/// The same for two dtypes.
[[nodiscard]] std::optional<Dtype> promote_kinds(Dtype a, Dtype b);

/// True if values of `source` can be assigned to elements of `target`: to the same or a higher kind
/// (bool < unsigned < signed < floating < complex), of any precision, as by casting="same_kind" of
/// NumPy. If promotion_is_strict(), only if the two promote to `target`.
[[nodiscard]] bool is_assignable(Dtype source, Dtype target);

}  // namespace skerry
