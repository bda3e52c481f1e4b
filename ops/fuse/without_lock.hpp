// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/fuse/recording.hpp"

namespace skerry {

/// From so many steps of an element on others may have the lock meanwhile: about 10 us.
inline constexpr std::int64_t long_work = 1 << 16;

/// Lets others have the lock of the layer above while it lives.
class without_lock {
 public:
  without_lock(const evaluation_hooks& hooks, bool worth_it) : hooks_(hooks) {
    if (worth_it && hooks.let_go != nullptr) state_ = hooks.let_go();
  }
  without_lock(const without_lock&) = delete;
  without_lock& operator=(const without_lock&) = delete;
  ~without_lock() noexcept(false) {
    if (state_ != nullptr) hooks_.take_back(state_);
  }

 private:
  const evaluation_hooks& hooks_;
  void* state_ = nullptr;
};

}  // namespace skerry
