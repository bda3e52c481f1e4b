// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace skerry::emulation {

/// What kernels of a device have printed, and nobody has shown yet. As on a GPU it holds so many
/// bytes, and the newest: a call of printf more than fits takes the place of the oldest ones.
/// Thread-safe.
class PrintfOutput {
 public:
  /// What CUDA has without being asked.
  static constexpr std::size_t usual_limit = 1 << 20;

  /// The text of one call.
  void append(std::string text);
  void set_limit(std::size_t nbytes);
  /// Writes it to the standard output, behind what the process has printed before.
  void show() noexcept;

 private:
  void shorten();

  std::mutex mutex_;
  std::deque<std::string> calls_;
  std::atomic<std::size_t> nbytes_ = 0;
  std::size_t limit_ = usual_limit;
};

}  // namespace skerry::emulation
