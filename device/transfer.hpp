// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "core/device.hpp"
#include "core/storage.hpp"
#include "device/host_action.hpp"

namespace skerry {

/// Copies bytes between two storages on any two devices, on the current stream of the target's
/// device (the source's, if the target is on a CPU), ordered with other uses of both on any stream.
/// Between CPU and CUDA, pageable memory is staged through pinned chunks, so the source may be
/// reused on return; a copy to the CPU is complete on return and throws errors deferred by earlier
/// kernels. Between CUDA devices: a peer copy if the hardware supports it, otherwise staged.
void copy_bytes(const StorageRef& target, std::size_t target_offset, const StorageRef& source,
                std::size_t source_offset, std::size_t nbytes);

/// The backend's implementation of Upload.
class UploadChunks {
 public:
  virtual ~UploadChunks() = default;
  [[nodiscard]] virtual char* buffer(std::size_t nbytes) = 0;
  virtual void send(char* target_data, std::size_t nbytes) = 0;
};

/// Uploads a storage's bytes that the caller writes chunk by chunk into pinned memory: one chunk is
/// sent while the next is written. For devices whose backend opens uploads. Ordered with the
/// current stream.
class Upload {
 public:
  static constexpr std::size_t max_bytes = std::size_t{4} << 20;

  /// True if the host can read the memory of `source` and `target` supports uploads.
  [[nodiscard]] static bool is_possible(Device source, Device target) noexcept;
  /// `nbytes` is the sum of what is sent, from memory of `source`.
  Upload(const StorageRef& target, Device source, std::size_t nbytes);
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  /// Returns space for a chunk of `nbytes`, at most max_bytes; send() follows.
  [[nodiscard]] char* buffer(std::size_t nbytes);
  void send(std::size_t target_offset, std::size_t nbytes);

 private:
  const StorageRef& target_;
  const Announcement announcement_;
  std::unique_ptr<UploadChunks> chunks_;
};

/// Reads device memory into `target` on the host and waits for it: for scalars and printing.
void read_bytes(void* target, const StorageRef& source, std::size_t source_offset,
                std::size_t nbytes);

/// Bytes moved since start, per pair of device kinds.
struct TransferStatistics {
  unsigned long long host_to_device_bytes = 0;
  unsigned long long device_to_host_bytes = 0;
  unsigned long long device_to_device_bytes = 0;
  unsigned long long count = 0;
};
[[nodiscard]] TransferStatistics transfers() noexcept;

}  // namespace skerry
