// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace skerry::rehearsal {

/// Told what happens to the memory of devices, when it happens, from any thread.
struct memory_watch {
  void (*allocated)(void* data, std::size_t nbytes) noexcept;
  void (*filled)(void* data, std::size_t nbytes) noexcept;
  void (*copied)(void* target, const void* source, std::size_t nbytes) noexcept;
  void (*freed)(void* data, std::size_t nbytes) noexcept;  ///< in the order of a stream
};

/// Null as long as nobody wants to know.
inline constinit std::atomic<const memory_watch*> memory_watcher{nullptr};

}  // namespace skerry::rehearsal
