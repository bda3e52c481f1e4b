// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/processes.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace skerry::rehearsal {

bool has_ended(int process) noexcept {
  const auto file = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (file < 0) return errno == ESRCH;
  pollfd end{file, POLLIN, 0};
  const bool ended = poll(&end, 1, 0) == 1;
  close(file);
  return ended;
}

}  // namespace skerry::rehearsal
