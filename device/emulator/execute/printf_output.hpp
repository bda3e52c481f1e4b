// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace skerry::emulation {

/// Buffer for the output of a device's kernels. As on a GPU its size is limited, and when it is
/// full the newest calls of printf replace the oldest. Thread-safe.
class PrintfOutput {
 public:
  /// CUDA's default size.
  static constexpr std::size_t usual_limit = 1 << 20;

  /// Appends the text of one call of printf.
  void append(std::string text);
  void set_limit(std::size_t nbytes);
  /// Writes the text to stdout, after flushing what the process has printed.
  void show() noexcept;

 private:
  void shorten();

  std::mutex mutex_;
  std::deque<std::string> calls_;
  std::atomic<std::size_t> nbytes_ = 0;
  std::size_t limit_ = usual_limit;
};

}  // namespace skerry::emulation
