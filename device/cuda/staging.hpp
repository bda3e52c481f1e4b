// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace skerry::cuda {

struct device_state;

/// Two pinned chunks by which pageable memory reaches a device and comes back: one is copied by the
/// CPU while the other is on the bus.
class staging {
 public:
  /// 4 MiB: a chunk takes about 80 µs on PCIe 5, long beside the 5 µs of starting a copy.
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

  explicit staging(device_state& on) noexcept : on_(on) {}

  /// In order with `stream`; the source may be reused on return.
  void to_device(void* target, const void* source, std::size_t nbytes, void* stream);
  /// Has arrived on return.
  void to_host(void* target, const void* source, std::size_t nbytes, void* stream);

 private:
  struct chunk {
    void* data = nullptr;
    void* event = nullptr;
    bool in_flight = false;
  };

  void prepare();
  void wait(chunk& each);

  device_state& on_;
  std::mutex mutex_;
  std::array<chunk, 2> chunks_;
};

}  // namespace skerry::cuda
