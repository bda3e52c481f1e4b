// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace skerry::cpu {

// An own pool instead of OpenMP: libgomp deadlocks in a forked child once the parent has run a
// parallel region (multiprocessing's default start method on Linux before Python 3.14), and
// ThreadSanitizer can't see its synchronisation.

/// Threads that take part in a parallel loop, the caller included. SKERRY_NUM_THREADS, or else the
/// cores that this process may use.
[[nodiscard]] int thread_count() noexcept;
/// Clamped to 1…1024; holds from the next parallel loop on.
void set_thread_count(int n) noexcept;

/// Calls `body` for ranges that together cover 0…count once, on several threads at a time, and
/// returns when all are done. Ranges have at least `grain_size` elements, but for the last one. All
/// of it runs on the calling thread if count <= grain, from inside a body, and while another thread
/// has the pool.
void parallel_for(std::int64_t count, std::int64_t grain_size,
                  void (*body)(void* context, std::int64_t begin, std::int64_t end) noexcept,
                  void* context) noexcept;

/// The same for a callable `body(begin, end)` that does not throw.
template <class Body>
  requires std::is_invocable_v<Body&, std::int64_t, std::int64_t>
void parallel_for(std::int64_t count, std::int64_t grain_size, Body&& body) noexcept {
  using body_type = std::remove_reference_t<Body>;
  parallel_for(
      count, grain_size,
      [](void* context, std::int64_t begin, std::int64_t end) noexcept {
        (*static_cast<body_type*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace skerry::cpu
