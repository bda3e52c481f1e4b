// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "device/cuda/runtime.hpp"
#include "device/outer_lock.hpp"

namespace skerry::cuda {

/// Pinned chunks through which pageable memory is copied to and from a device: the CPU copies one
/// while another is on the bus. Chunks are used in rotation, across transfers too, and small
/// transfers share one, so that they need not wait for earlier ones.
class Staging {
 public:
  /// 4 MiB: a chunk takes about 80 µs on PCIe 5, much longer than the 5 µs to start a copy.
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
  static constexpr std::size_t chunk_count = 4;
  static constexpr std::size_t max_small_bytes = std::size_t{64} << 10;

  explicit Staging(DeviceState& device_state) noexcept : device_state_(device_state) {}

  /// Copies in order with `stream`; the source may be reused on return.
  void to_device(void* target, const void* source, std::size_t nbytes, void* stream);
  /// True if to_device(), or an Upload of that many bytes, waits until the device has read earlier
  /// transfers. A later transfer of another thread may change that.
  [[nodiscard]] bool does_copy_wait(std::size_t nbytes);
  [[nodiscard]] bool does_upload_wait(std::size_t nbytes);
  /// Copies to the host; the data are complete on return.
  void to_host(void* target, const void* source, std::size_t nbytes, void* stream);

  /// One transfer to the device whose bytes the caller writes into chunks; other transfers wait
  /// until it is destroyed.
  class Upload {
   public:
    Upload(Staging& chunks, void* stream)
        : chunks_(chunks), stream_(stream), lock_(chunks.mutex_), guard_(chunks.device_state_) {}
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;
    /// Returns space for `nbytes`, at most chunk_bytes; waits until the device has read its
    /// previous contents.
    [[nodiscard]] char* buffer(std::size_t nbytes);
    /// Sends the first bytes of the last buffer.
    void send(void* target, std::size_t nbytes);

   private:
    Staging& chunks_;
    void* stream_;
    char* buffer_ = nullptr;
    std::lock_guard<WaitingMutex> lock_;
    DeviceGuard guard_;
  };

 private:
  struct Chunk {
    char* data = nullptr;
    void* event = nullptr;   ///< recorded after the last copy
    void* stream = nullptr;  ///< the last copy's
    std::size_t used = 0;    ///< bytes in use since the last wait
    bool in_flight = false;
  };

  [[nodiscard]] Chunk& last() noexcept { return chunks_[(next_ + chunk_count - 1) % chunk_count]; }
  [[nodiscard]] bool does_wait(std::size_t nbytes, std::size_t part_bytes);
  [[nodiscard]] Chunk& take_next();
  void wait(Chunk& chunk);
  void copy(Chunk& chunk, void* target, const void* source, std::size_t nbytes, CopyKind kind,
            void* stream);

  DeviceState& device_state_;
  WaitingMutex mutex_;
  std::array<Chunk, chunk_count> chunks_;
  std::size_t next_ = 0;
};

}  // namespace skerry::cuda
