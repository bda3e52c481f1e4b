// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/outer_lock.hpp"

#include <atomic>

namespace skerry {
namespace {

constinit std::atomic<const OuterLock*> lock_above{nullptr};

}  // namespace

void set_outer_lock(const OuterLock& lock) noexcept { lock_above.store(&lock); }

WithoutOuterLock::WithoutOuterLock(bool worth_it) noexcept {
  if (!worth_it) return;
  lock_ = lock_above.load(std::memory_order_acquire);
  if (lock_ != nullptr) state_ = lock_->release();
}

WithoutOuterLock::~WithoutOuterLock() {
  if (state_ != nullptr) lock_->acquire(state_);
}

}  // namespace skerry
