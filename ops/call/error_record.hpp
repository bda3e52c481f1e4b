// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "device/backend.hpp"
#include "device/deferred.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// The word in which a kernel reports an error in the values of its operands; 0 means no error. On
/// a CPU device, where the kernel has run when launch() returns, finish() throws the error. On a
/// device that runs work later, the next wait throws it.
class ErrorRecord {
 public:
  /// `native_form_finds`: false if the native form reports no errors; it then gets a null word.
  ErrorRecord(Device device, const DeferredError& error, bool native_form_finds = true)
      : error_(error), has_word_(native_form_finds || runs_on_host(device)) {
    if (has_word_ && capabilities_of(device).runs_later) deferred_word_.emplace(device, error_);
  }
  /// Returns the word for the kernel's parameters, valid for the lifetime of this object.
  [[nodiscard]] ErrorWord word() noexcept {
    if (!has_word_) return ErrorWord(nullptr);
    return ErrorWord(deferred_word_ ? deferred_word_->get() : &stored_value_);
  }
  /// Throws the error that a kernel on a CPU device has reported, if any.
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
