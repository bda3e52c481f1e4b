// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/vector.hpp"

// Stores past the caches. A result that is larger than what a core may hope for in the caches is
// gone from them when it is read; an ordinary store would read its line from memory first. 64 MiB
// in pieces of 64 KiB, one thread of a Xeon (Sapphire Rapids): 9.4 ms by memmove, 5.3 ms so.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Least bytes of such a result, and of a run of it: the ends of a run may share their lines with
/// others, and the fence at its end waits.
constexpr int64 streamed_bytes = int64{32} << 20;
constexpr int64 streamed_run = 4096;
/// Least bytes of a run where one fence does for many.
constexpr int64 streamed_piece = 256;

SKERRY_INLINE int64 bytes_to_line(const char* to) {
  return static_cast<int64>(-reinterpret_cast<unsigned long>(to) & 63);
}

/// Copies a run of which others follow: a fence has to come after the last. The two areas are the
/// same, or don't overlap.
inline void copy_unfenced(char* to, const char* from, int64 nbytes) {
  const int64 head = least(bytes_to_line(to), nbytes);
  const int64 lines = (nbytes - head) / 64;
  const int64 tail = head + lines * 64;
  const int64 ahead = nbytes > prefetched_ahead ? prefetched_ahead : 0;
  __builtin_memmove(to, from, static_cast<unsigned long>(head));
  for (int64 i = head; i < tail; i += 64) {
    __builtin_prefetch(from + i + ahead);
    store_line_past_caches(to + i, from + i);
  }
  __builtin_memmove(to + tail, from + tail, static_cast<unsigned long>(nbytes - tail));
}

/// The two areas are the same, or don't overlap.
inline void copy_streamed(char* to, const char* from, int64 nbytes) {
  copy_unfenced(to, from, nbytes);
  fence_stores();
}

/// Writes runs one after the other. A line that two of them share is put together first: around an
/// ordinary store to it, others past the caches wait (64 MB in runs of 64 KiB that begin within a
/// line, one thread of a Xeon of model 167: 7.5 ms, and 5.2 so).
class StreamedLines {
 public:
  /// The two areas don't overlap.
  void put(char* to, const char* from, int64 nbytes) {
    if (to != end_) flush();
    end_ = to + nbytes;
    if (held_ == 0) {
      const int64 head = least(bytes_to_line(to), nbytes);
      __builtin_memcpy(to, from, static_cast<unsigned long>(head));
      to += head;
      from += head;
      nbytes -= head;
    } else {
      const int64 more = least(64 - held_, nbytes);
      __builtin_memcpy(line_ + held_, from, static_cast<unsigned long>(more));
      held_ += more;
      if (held_ < 64) return;
      copy_unfenced(to + more - 64, line_, 64);
      to += more;
      from += more;
      nbytes -= more;
    }
    const int64 whole = nbytes / 64 * 64;
    copy_unfenced(to, from, whole);
    held_ = nbytes - whole;
    __builtin_memcpy(line_, from + whole, static_cast<unsigned long>(held_));
  }

  /// To be called after the last; a fence has to follow.
  void flush() {
    __builtin_memcpy(end_ - held_, line_, static_cast<unsigned long>(held_));
    held_ = 0;
  }

 private:
  char* end_ = line_;
  int64 held_ = 0;  ///< bytes before `end_` that are still in `line_`
  alignas(64) char line_[64];
};

/// n items of one value; `to` is aligned for them.
template <class U>
void fill_streamed(char* to, U value, int64 n) {
  constexpr int64 size = sizeof(U);
  const int64 head = bytes_to_line(to) / size;
  const int64 lines = (n - head) * size / 64;
  alignas(64) char line[64];
  for (int64 i = 0; i < 64; i += size) store(line + i, value);
  for (int64 i = 0; i < head; ++i) store(to + i * size, value);
  char* at = to + head * size;
  for (int64 i = 0; i < lines; ++i, at += 64) store_line_past_caches(at, line);
  fence_stores();
  for (int64 i = head + lines * 64 / size; i < n; ++i) store(to + i * size, value);
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
