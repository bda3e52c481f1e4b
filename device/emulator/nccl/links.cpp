// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/links.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace skerry::emulation::nccl {

namespace {

constexpr std::size_t max_devices = 64;
constexpr std::size_t step_nbytes = std::size_t{1} << 20;

/// By device that is read, and device that reads.
std::array<std::array<std::atomic<std::uint64_t>, max_devices>, max_devices> bytes_of_links;

bool joins(const Fault& fault, int a, int b) {
  return fault.kind == Fault::Kind::slow &&
         ((fault.rank == a && fault.peer == b) || (fault.rank == b && fault.peer == a));
}

}  // namespace

RankReader::RankReader(const Communicator& communicator)
    : communicator_(communicator),
      faults_(current_settings().faults),
      is_delayed_(static_cast<std::size_t>(communicator.ranks)) {}

const void* RankReader::view(int rank, const void* data, std::size_t nbytes) {
  pass_link(rank, nbytes);
  const int process = communicator_.board->state(rank).process;
  if (process == getpid() || nbytes == 0) return data;
  buffer_.resize(std::max(buffer_.size(), nbytes));
  const iovec local{buffer_.data(), nbytes};
  const iovec remote{const_cast<void*>(data), nbytes};
  if (process_vm_readv(process, &local, 1, &remote, 1, 0) != static_cast<ssize_t>(nbytes)) {
    throw std::runtime_error("the memory of process " + std::to_string(process) +
                             " can't be read: " + std::strerror(errno));
  }
  return buffer_.data();
}

void RankReader::copy(int rank, void* destination, const void* source, std::size_t nbytes) {
  for (std::size_t offset = 0; offset < nbytes; offset += step_nbytes) {
    const std::size_t count = std::min(step_nbytes, nbytes - offset);
    const void* const data = view(rank, static_cast<const std::byte*>(source) + offset, count);
    std::memmove(static_cast<std::byte*>(destination) + offset, data, count);
  }
}

void RankReader::pass_link(int rank, std::size_t nbytes) {
  if (rank == communicator_.rank || nbytes == 0) return;
  const auto source = static_cast<std::size_t>(communicator_.board->state(rank).device);
  const auto reader = static_cast<std::size_t>(communicator_.device);
  bytes_of_links[source % max_devices][reader % max_devices].fetch_add(nbytes);
  const auto index = static_cast<std::size_t>(rank);
  if (is_delayed_[index]) return;
  is_delayed_[index] = true;
  for (const Fault& fault : faults_) {
    if (joins(fault, rank, communicator_.rank))
      std::this_thread::sleep_for(std::chrono::duration<double>(fault.seconds));
  }
}

std::uint64_t link_nbytes(int source_device, int device) noexcept {
  const auto source = static_cast<std::size_t>(source_device);
  const auto reader = static_cast<std::size_t>(device);
  return source < max_devices && reader < max_devices ? bytes_of_links[source][reader].load() : 0;
}

}  // namespace skerry::emulation::nccl
