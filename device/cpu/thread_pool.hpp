// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace skerry::cpu {

// Not OpenMP: libgomp deadlocks in a forked child once the parent has run a parallel region (fork
// is multiprocessing's default on Linux before Python 3.14), and ThreadSanitizer can't see its
// synchronization.

/// Returns the number of threads of a parallel loop, including the caller: SKERRY_NUM_THREADS, or
/// else the cores available to this process.
[[nodiscard]] int thread_count() noexcept;
/// Sets the number of threads, clamped to 1…1024, from the next parallel loop on.
void set_thread_count(int n) noexcept;

/// Calls `body` for ranges that cover [0, count) exactly once, on several threads, and returns when
/// all are done. All ranges but the last have at least `grain_size` elements. Runs on the calling
/// thread alone if count <= grain_size, inside another body, and while another thread uses the
/// pool.
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
