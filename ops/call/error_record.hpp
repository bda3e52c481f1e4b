// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "device/backend.hpp"
#include "device/deferred.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// An error that a kernel finds in the values of its operands; 0 means none. On a CPU device
/// finish() raises it, as the kernel has run by then; on a device that runs work later, a wait
/// does.
class ErrorRecord {
 public:
  /// If not `native_form_finds`, a native form does not report errors and gets no word.
  ErrorRecord(Device device, const DeferredError& error, bool native_form_finds = true)
      : error_(error), has_word_(native_form_finds || runs_on_host(device)) {
    if (has_word_ && capabilities_of(device).runs_later) deferred_word_.emplace(device, error_);
  }
  /// Valid as long as this object.
  [[nodiscard]] ErrorWord word() noexcept {
    if (!has_word_) return ErrorWord(nullptr);
    return ErrorWord(deferred_word_ ? deferred_word_->get() : &stored_value_);
  }
  void finish() const {
    if (stored_value_ != 0) raise(error_, stored_value_);
  }

 private:
  DeferredError error_;
  bool has_word_;
  std::optional<DeferredWord> deferred_word_;
  std::int64_t stored_value_ = 0;
};

}  // namespace skerry
