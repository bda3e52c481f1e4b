// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/promotion.hpp"

#include <algorithm>
#include <atomic>

namespace skerry {
namespace {

std::atomic<bool (*)()> strictness_query{nullptr};

/// Returns the rank among kinds, with real and complex floating as one: the standard's table mixes
/// no other two kinds.
int level_of(Dtype type) { return std::min(kind_rank(type), 2); }

}  // namespace

bool promotion_is_strict() {
  bool (*const ask)() = strictness_query.load(std::memory_order_acquire);
  return ask != nullptr && ask();
}

void ask_whether_strict(bool (*ask)()) noexcept {
  strictness_query.store(ask, std::memory_order_release);
}

void Promotion::add(Dtype type) noexcept {
  const int level = level_of(type);
  is_mixed_ = is_mixed_ || (level_ >= 0 && level != level_);
  if (level > level_) {
    type_ = type;
    level_ = level;
  } else if (level == level_ && type_) {
    type_ = promote(*type_, type);
  }
}

std::optional<Dtype> Promotion::result() const {
  return is_mixed_ && promotion_is_strict() ? std::nullopt : type_;
}

std::optional<Dtype> promote_kinds(Dtype a, Dtype b) {
  Promotion promotion;
  promotion.add(a);
  promotion.add(b);
  return promotion.result();
}

bool is_assignable(Dtype source, Dtype target) {
  if (promotion_is_strict()) return promote_kinds(target, source) == target;
  const bool loses_sign =
      kind(source) == DtypeKind::signed_integer && kind(target) == DtypeKind::unsigned_integer;
  return kind_rank(source) <= kind_rank(target) && !loses_sign;
}

}  // namespace skerry
