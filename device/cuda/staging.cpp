// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

#include "device/cpu/thread_pool.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* copying = "copy_bytes";

/// One thread copies memory that is in no cache at 5 to 10 GB/s, a tenth of what a PCIe 5 link
/// carries: beside an H100, four threads carried 19 of its 55 GB/s.
void copy_by_threads(char* target, const char* source, std::size_t nbytes) noexcept {
  constexpr std::int64_t share = static_cast<std::int64_t>(Staging::chunk_bytes) / 16;
  cpu::parallel_for(
      static_cast<std::int64_t>(nbytes), share, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(target + begin, source + begin, static_cast<std::size_t>(end - begin));
      });
}

/// What goes through a chunk at a time: a quarter of a short transfer, so that it overlaps too.
std::size_t piece_of(std::size_t nbytes) noexcept {
  constexpr std::size_t least = std::size_t{512} << 10;
  constexpr std::size_t page = 4096;
  const std::size_t quarter = (nbytes / 4 + page - 1) / page * page;
  return std::clamp(quarter, least, Staging::chunk_bytes);
}

}  // namespace

/// Ready to be written. Made at first use.
Staging::Chunk& Staging::take_next() {
  Chunk& next = chunks_[next_];
  if (next.event == nullptr) check(call<&Api::event_create>(&next.event), on_, copying);
  if (next.data == nullptr) {
    void* data = nullptr;
    check(call<&Api::host_allocate>(&data, chunk_bytes), on_, copying);
    next.data = static_cast<char*>(data);
  }
  wait(next);
  next.used = 0;
  next_ = (next_ + 1) % chunk_count;
  return next;
}

void Staging::wait(Chunk& each) {
  if (!each.in_flight) return;
  check(call<&Api::event_synchronize>(each.event), on_, copying);
  each.in_flight = false;
}

void Staging::copy(Chunk& by, void* target, const void* source, std::size_t nbytes, CopyKind kind,
                   void* stream) {
  by.in_flight = true;
  by.stream = stream;
  if (const int code = call<&Api::copy_async>(target, source, nbytes, kind, stream);
      code != success) {
    by.in_flight = !finish_work(on_);
    check(code, on_, copying);
  }
  // From here on the chunk is taken. Without an event behind the copy nobody could wait for it.
  const int code = call<&Api::event_record>(by.event, stream);
  if (code != success && finish_work(on_)) by.in_flight = false;
  check(code, on_, copying);
}

char* Staging::Upload::buffer(std::size_t nbytes) {
  constexpr std::size_t alignment = 256;
  const bool small = nbytes <= most_small;
  Chunk* by = &chunks_.last();
  // One event stands for all copies from a chunk, so they have to be on one stream.
  const bool shares = small && stream_ != per_thread_stream && by->in_flight &&
                      by->stream == stream_ && by->used + nbytes <= chunk_bytes;
  if (!shares) by = &chunks_.take_next();
  buffer_ = by->data + by->used;
  by->used = small ? by->used + (nbytes + alignment - 1) / alignment * alignment : chunk_bytes;
  return buffer_;
}

void Staging::Upload::send(void* target, std::size_t nbytes) {
  chunks_.copy(chunks_.last(), target, buffer_, nbytes, CopyKind::host_to_device, stream_);
}

void Staging::to_device(void* target, const void* source, std::size_t nbytes, void* stream) {
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  Upload by(*this, stream);
  const std::size_t piece = piece_of(nbytes);
  for (std::size_t done = 0; done < nbytes; done += piece) {
    const std::size_t size = std::min(piece, nbytes - done);
    copy_by_threads(by.buffer(size), from + done, size);
    by.send(to + done, size);
  }
}

void Staging::to_host(void* target, const void* source, std::size_t nbytes, void* stream) {
  const std::lock_guard lock(mutex_);
  const DeviceGuard guard(on_);
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  const std::size_t piece = piece_of(nbytes);
  const std::size_t n = (nbytes + piece - 1) / piece;
  const auto size_of = [&](std::size_t i) { return std::min(piece, nbytes - i * piece); };
  // One ahead: piece i is on the bus while piece i - 1 is copied by the CPU.
  Chunk* last = nullptr;
  for (std::size_t i = 0; i <= n; ++i) {
    Chunk* now = nullptr;
    if (i < n) {
      now = &take_next();
      now->used = chunk_bytes;
      copy(*now, now->data, from + i * piece, size_of(i), CopyKind::device_to_host, stream);
    }
    if (last != nullptr) {
      wait(*last);
      copy_by_threads(to + (i - 1) * piece, last->data, size_of(i - 1));
    }
    last = now;
  }
}

}  // namespace skerry::cuda
