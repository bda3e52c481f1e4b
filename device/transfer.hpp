// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/device.hpp"
#include "core/storage.hpp"

namespace skerry {

/// Copies bytes between two storages on any two devices, ordered after the pending work of both
/// current streams and before later work of the destination's (and of the source's, as far as it
/// would overwrite the source). Between CPU and CUDA pageable memory goes through pinned chunks, so
/// the source may be reused when the call returns; a copy to the CPU has arrived when the call
/// returns, and throws what kernels before it have deferred. Between CUDA devices: peer copy where
/// the hardware can, else staged.
void copy_bytes(const storage_ref& target, std::size_t target_offset, const storage_ref& source,
                std::size_t source_offset, std::size_t nbytes);

/// Reads device memory into `target` on the host and waits for it: for scalars and printing.
void read_bytes(void* target, const storage_ref& source, std::size_t source_offset,
                std::size_t nbytes);

/// What transfers did since start, per pair of device kinds; for reports of bytes moved.
struct transfer_statistics {
  unsigned long long host_to_device_bytes = 0;
  unsigned long long device_to_host_bytes = 0;
  unsigned long long device_to_device_bytes = 0;
  unsigned long long count = 0;
};
[[nodiscard]] transfer_statistics transfers() noexcept;

}  // namespace skerry
