// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "core/device.hpp"
#include "core/storage.hpp"

namespace skerry {

/// Copies bytes between two storages on any two devices, on the current stream of the target's (of
/// the source's, if the target is on a CPU): after earlier uses of both and before later ones, on
/// whatever streams. Between CPU and CUDA pageable memory goes through pinned chunks, so
/// the source may be reused when the call returns; a copy to the CPU has arrived when the call
/// returns, and throws what kernels before it have deferred. Between CUDA devices: peer copy where
/// the hardware can, else staged.
void copy_bytes(const StorageRef& target, std::size_t target_offset, const StorageRef& source,
                std::size_t source_offset, std::size_t nbytes);

/// A backend's part in an upload.
class UploadChunks {
 public:
  virtual ~UploadChunks() = default;
  [[nodiscard]] virtual char* buffer(std::size_t nbytes) = 0;
  virtual void send(char* target_data, std::size_t nbytes) = 0;
};

/// The bytes of one storage on a device whose backend opens uploads, which the caller makes piece
/// by piece in pinned memory: a piece is on its way while the next one is made. In order with the
/// current stream.
class Upload {
 public:
  static constexpr std::size_t max_bytes = std::size_t{4} << 20;

  /// Whether the memory of `source` is the caller's to read, and `target` opens uploads.
  [[nodiscard]] static bool is_possible(Device source, Device target) noexcept;
  explicit Upload(const StorageRef& target);
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  /// Room for a piece of `nbytes`, at most max_bytes; send() follows.
  [[nodiscard]] char* buffer(std::size_t nbytes);
  void send(std::size_t target_offset, std::size_t nbytes);

 private:
  const StorageRef& target_;
  std::unique_ptr<UploadChunks> chunks_;
};

/// Reads device memory into `target` on the host and waits for it: for scalars and printing.
void read_bytes(void* target, const StorageRef& source, std::size_t source_offset,
                std::size_t nbytes);

/// What transfers did since start, per pair of device kinds; for reports of bytes moved.
struct TransferStatistics {
  unsigned long long host_to_device_bytes = 0;
  unsigned long long device_to_host_bytes = 0;
  unsigned long long device_to_device_bytes = 0;
  unsigned long long count = 0;
};
[[nodiscard]] TransferStatistics transfers() noexcept;

}  // namespace skerry
