// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/emulator/nccl/communicator.hpp"
#include "device/emulator/nccl/settings.hpp"

namespace skerry::emulation::nccl {

/// Reads the memory of a communicator's ranks, in this process or another, for one call. Counts the
/// bytes of each link, and delays the first read through a slow one.
class RankReader {
 public:
  explicit RankReader(const Communicator& communicator);

  /// Returns memory of a rank, valid until the next call. Throws if it can't be read.
  const void* view(int rank, const void* data, std::size_t nbytes);
  /// Copies memory of a rank; the ranges may overlap.
  void copy(int rank, void* destination, const void* source, std::size_t nbytes);

 private:
  void pass_link(int rank, std::size_t nbytes);

  const Communicator& communicator_;
  std::vector<Fault> faults_;
  std::vector<bool> is_delayed_;  ///< by rank
  std::vector<std::byte> buffer_;
};

/// Returns the bytes that devices of this process have read from a device.
[[nodiscard]] std::uint64_t link_nbytes(int source_device, int device) noexcept;

}  // namespace skerry::emulation::nccl
