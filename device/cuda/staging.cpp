// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

#include "device/cpu/thread_pool.hpp"
#include "device/host_action.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* copying = "copy_bytes";

/// Copies by several threads, since one copies out-of-cache memory at 5 to 10 GB/s only: on the
/// host of an H100, four threads reached 19 of the 55 GB/s of PCIe 5.
void copy_by_threads(char* target, const char* source, std::size_t nbytes) noexcept {
  constexpr std::int64_t share = static_cast<std::int64_t>(Staging::chunk_bytes) / 16;
  cpu::parallel_for(
      static_cast<std::int64_t>(nbytes), share, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(target + begin, source + begin, static_cast<std::size_t>(end - begin));
      });
}

/// Returns the bytes to send per chunk: a quarter of a short transfer, so that its chunks overlap,
/// too.
std::size_t bytes_per_chunk(std::size_t nbytes) noexcept {
  constexpr std::size_t min_bytes = std::size_t{512} << 10;
  constexpr std::size_t page = 4096;
  const std::size_t quarter = (nbytes / 4 + page - 1) / page * page;
  return std::clamp(quarter, min_bytes, Staging::chunk_bytes);
}

}  // namespace

bool Staging::does_wait(std::size_t nbytes, std::size_t part_bytes) {
  const std::lock_guard lock(mutex_);
  if (nbytes <= max_small_bytes && last().in_flight && last().used + nbytes <= chunk_bytes)
    return false;
  const std::size_t parts = (nbytes + part_bytes - 1) / part_bytes;
  if (parts > chunk_count) return true;
  for (std::size_t i = 0; i < parts; ++i) {
    if (chunks_[(next_ + i) % chunk_count].in_flight) return true;
  }
  return false;
}

bool Staging::does_copy_wait(std::size_t nbytes) {
  return does_wait(nbytes, bytes_per_chunk(nbytes));
}

bool Staging::does_upload_wait(std::size_t nbytes) { return does_wait(nbytes, chunk_bytes); }

/// Returns a chunk that may be overwritten; allocates it at first use.
Staging::Chunk& Staging::take_next() {
  Chunk& next = chunks_[next_];
  if (next.event == nullptr) check(call<&Api::event_create>(&next.event), device_state_, copying);
  if (next.data == nullptr) {
    void* data = nullptr;
    check(call<&Api::host_allocate>(&data, chunk_bytes), device_state_, copying);
    next.data = static_cast<char*>(data);
  }
  wait(next);
  next.used = 0;
  next_ = (next_ + 1) % chunk_count;
  return next;
}

void Staging::wait(Chunk& chunk) {
  if (!chunk.in_flight) return;
  const Announcement announcement(
      [&] { return internal_wait("staging buffer", device_state_.device, chunk.stream); });
  check(call<&Api::event_synchronize>(chunk.event), device_state_, copying);
  chunk.in_flight = false;
}

void Staging::copy(Chunk& chunk, void* target, const void* source, std::size_t nbytes,
                   CopyKind kind, void* stream) {
  chunk.in_flight = true;
  chunk.stream = stream;
  if (const int code = call<&Api::copy_async>(target, source, nbytes, kind, stream);
      code != success) {
    chunk.in_flight = !finish_work(device_state_);
    check(code, device_state_, copying);
  }
  // The copy now uses the chunk; without an event after it nothing could wait for it.
  const int code = call<&Api::event_record>(chunk.event, stream);
  if (code != success && finish_work(device_state_)) chunk.in_flight = false;
  check(code, device_state_, copying);
}

char* Staging::Upload::buffer(std::size_t nbytes) {
  constexpr std::size_t alignment = 256;
  const bool small = nbytes <= max_small_bytes;
  Chunk* chunk = &chunks_.last();
  // One event covers all copies from a chunk, so they must be on one stream.
  const bool shares = small && stream_ != per_thread_stream && chunk->in_flight &&
                      chunk->stream == stream_ && chunk->used + nbytes <= chunk_bytes;
  if (!shares) chunk = &chunks_.take_next();
  buffer_ = chunk->data + chunk->used;
  chunk->used =
      small ? chunk->used + (nbytes + alignment - 1) / alignment * alignment : chunk_bytes;
  return buffer_;
}

void Staging::Upload::send(void* target, std::size_t nbytes) {
  chunks_.copy(chunks_.last(), target, buffer_, nbytes, CopyKind::host_to_device, stream_);
}

void Staging::to_device(void* target, const void* source, std::size_t nbytes, void* stream) {
  auto* target_bytes = static_cast<char*>(target);
  const auto* source_bytes = static_cast<const char*>(source);
  Upload upload(*this, stream);
  const std::size_t step = bytes_per_chunk(nbytes);
  for (std::size_t done = 0; done < nbytes; done += step) {
    const std::size_t size = std::min(step, nbytes - done);
    copy_by_threads(upload.buffer(size), source_bytes + done, size);
    upload.send(target_bytes + done, size);
  }
}

void Staging::to_host(void* target, const void* source, std::size_t nbytes, void* stream) {
  const std::lock_guard lock(mutex_);
  const DeviceGuard guard(device_state_);
  auto* target_bytes = static_cast<char*>(target);
  const auto* source_bytes = static_cast<const char*>(source);
  const std::size_t step = bytes_per_chunk(nbytes);
  const std::size_t n = (nbytes + step - 1) / step;
  const auto size_of = [&](std::size_t i) { return std::min(step, nbytes - i * step); };
  // Pipelined: part i is on the bus while the CPU copies part i - 1.
  Chunk* last = nullptr;
  for (std::size_t i = 0; i <= n; ++i) {
    Chunk* now = nullptr;
    if (i < n) {
      now = &take_next();
      now->used = chunk_bytes;
      copy(*now, now->data, source_bytes + i * step, size_of(i), CopyKind::device_to_host, stream);
    }
    if (last != nullptr) {
      wait(*last);
      copy_by_threads(target_bytes + (i - 1) * step, last->data, size_of(i - 1));
    }
    last = now;
  }
}

}  // namespace skerry::cuda
