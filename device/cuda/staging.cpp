// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* copying = "copy_bytes";

}  // namespace

void staging::prepare() {
  for (chunk& each : chunks_) {
    if (each.event == nullptr) check(calls().event_create(&each.event), on_, copying);
    if (each.data == nullptr) check(calls().host_allocate(&each.data, chunk_bytes), on_, copying);
  }
}

void staging::wait(chunk& each) {
  if (!each.in_flight) return;
  check(calls().event_synchronize(each.event), on_, copying);
  each.in_flight = false;
}

void staging::to_device(void* target, const void* source, std::size_t nbytes, void* stream) {
  const std::lock_guard lock(mutex_);
  const device_guard guard(on_);
  prepare();
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  for (std::size_t done = 0, i = 0; done < nbytes; done += chunk_bytes, ++i) {
    chunk& now = chunks_[i % chunks_.size()];
    const std::size_t size = std::min(chunk_bytes, nbytes - done);
    wait(now);
    std::memcpy(now.data, from + done, size);
    check(calls().copy_async(to + done, now.data, size, copy_kind::host_to_device, stream), on_,
          copying);
    // From here on the chunk is taken, whether or not the event could be recorded.
    if (const int code = calls().event_record(now.event, stream); code != success) {
      check_silently(calls().stream_synchronize(stream), on_, copying);
      check(code, on_, copying);
    }
    now.in_flight = true;
  }
}

void staging::to_host(void* target, const void* source, std::size_t nbytes, void* stream) {
  const std::lock_guard lock(mutex_);
  const device_guard guard(on_);
  prepare();
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  const std::size_t n = (nbytes + chunk_bytes - 1) / chunk_bytes;
  const auto size_of = [&](std::size_t i) {
    return std::min(chunk_bytes, nbytes - i * chunk_bytes);
  };
  // One ahead: chunk i is on the bus while chunk i - 1 is copied by the CPU.
  for (std::size_t i = 0; i <= n; ++i) {
    if (i < n) {
      chunk& now = chunks_[i % chunks_.size()];
      wait(now);
      check(calls().copy_async(now.data, from + i * chunk_bytes, size_of(i),
                               copy_kind::device_to_host, stream),
            on_, copying);
      if (const int code = calls().event_record(now.event, stream); code != success) {
        check_silently(calls().stream_synchronize(stream), on_, copying);
        check(code, on_, copying);
      }
      now.in_flight = true;
    }
    if (i > 0) {
      chunk& last = chunks_[(i - 1) % chunks_.size()];
      wait(last);
      std::memcpy(to + (i - 1) * chunk_bytes, last.data, size_of(i - 1));
    }
  }
}

}  // namespace skerry::cuda
