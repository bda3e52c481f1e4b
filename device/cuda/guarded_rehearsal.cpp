// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/guarded_rehearsal.hpp"

#include <cstdint>
#include <memory>

#include "device/allocator.hpp"
#include "device/guard/fault.hpp"
#include "device/guard/heap.hpp"
#include "device/guard/note.hpp"
#include "device/rehearsal/queue.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::cuda {

namespace {

using guard::CallNote;
using guard::FaultBlock;

constexpr std::size_t quarantine_nbytes = std::size_t{64} << 20;

bool locate_rehearsed(const void* address, FaultBlock& fault_block) noexcept {
  rehearsal::System& all = rehearsal::System::instance();
  const int owner = all.owner(address);
  if (owner < 0) return false;
  rehearsal::AddressRange& memory = all.device(owner).memory;
  rehearsal::MemoryBlock block = memory.find_freed(address);
  fault_block.is_freed = static_cast<bool>(block);
  if (!block) block = memory.nearest(address);
  fault_block.begin = static_cast<const char*>(block.data);
  fault_block.nbytes = block.nbytes;
  return static_cast<bool>(block);
}

constexpr rehearsal::LaunchMonitor launch_monitor{
    .launched = []() -> std::shared_ptr<const void> { return guard::copy_note(); },
    .began =
        [](const void* note) noexcept {
          guard::current_note = static_cast<const CallNote*>(note);
          guard::catch_faults();
        },
    .ended = []() noexcept { guard::current_note = nullptr; },
};

}  // namespace

void guard_rehearsed_memory() noexcept {
  if (!guard::is_on()) return;
  guard::prepare();  // first, so that its fault finder precedes ours
  rehearsal::block_placement.store(selected_allocator() == Allocator::guard
                                       ? rehearsal::BlockPlacement::at_end
                                       : rehearsal::BlockPlacement::at_begin);
  rehearsal::bytes_in_quarantine.store(quarantine_nbytes);
  rehearsal::launch_watcher.store(&launch_monitor);
  guard::add_fault_finder(locate_rehearsed);
}

}  // namespace skerry::cuda
