// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/printf_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

namespace skerry::emulation {

void PrintfOutput::append(std::string text) {
  const std::lock_guard lock(mutex_);
  nbytes_ += text.size();
  calls_.push_back(std::move(text));
  shorten();
}

void PrintfOutput::set_limit(std::size_t nbytes) {
  const std::lock_guard lock(mutex_);
  limit_ = nbytes;
  shorten();
}

void PrintfOutput::shorten() {
  while (nbytes_ > limit_ && calls_.size() > 1) {
    nbytes_ -= calls_.front().size();
    calls_.pop_front();
  }
}

void PrintfOutput::show() noexcept {
  if (nbytes_.load() == 0) return;
  std::deque<std::string> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(calls_);
    nbytes_ = 0;
  }
  if (calls.empty()) return;
  std::fflush(stdout);
  for (const std::string& text : calls) {
    std::string_view left = text;
    while (!left.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, left.data(), left.size());
      if (written < 0 && errno != EINTR) return;
      if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

}  // namespace skerry::emulation
