// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "device/backend.hpp"
#include "device/deferred.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// What a kernel finds wrong with the values of its operands; 0 is nothing. On a CPU device it has
/// run when finish() is called; where work runs later a wait raises.
class ErrorRecord {
 public:
  ErrorRecord(Device device, const DeferredError& error) : error_(error) {
    if (capabilities_of(device).runs_later) deferred_word_.emplace(device, error_);
  }
  /// Valid as long as this object.
  [[nodiscard]] ErrorWord word() noexcept {
    return ErrorWord(deferred_word_ ? deferred_word_->get() : &stored_value_);
  }
  void finish() const {
    if (stored_value_ != 0) error_.raise(error_, stored_value_);
  }

 private:
  DeferredError error_;
  std::optional<DeferredWord> deferred_word_;
  std::int64_t stored_value_ = 0;
};

}  // namespace skerry
