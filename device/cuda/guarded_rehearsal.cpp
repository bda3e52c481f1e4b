// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/guarded_rehearsal.hpp"

#include <cstdint>
#include <memory>

#include "device/allocator.hpp"
#include "device/cuda/rehearsal/machine.hpp"
#include "device/cuda/rehearsal/queue.hpp"
#include "device/guard/fault.hpp"
#include "device/guard/heap.hpp"
#include "device/guard/note.hpp"

namespace skerry::cuda {

namespace {

using guard::CallNote;
using guard::FaultPlace;

constexpr std::size_t quarantine_nbytes = std::size_t{64} << 20;

bool locate_rehearsed(const void* address, FaultPlace& into) noexcept {
  rehearsal::Machine& all = rehearsal::Machine::instance();
  const int owner = all.owner(address);
  if (owner < 0) return false;
  rehearsal::AddressRange& memory = all.at(owner).memory;
  rehearsal::MemoryBlock found = memory.find_freed(address);
  into.is_freed = static_cast<bool>(found);
  if (!found) found = memory.nearest(address);
  into.begin = static_cast<const char*>(found.data);
  into.nbytes = found.nbytes;
  return static_cast<bool>(found);
}

constexpr rehearsal::LaunchWatch watch{
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
  guard::prepare();  // so that its finder is asked first
  rehearsal::place_of_blocks.store(chosen_allocator() == Allocator::guard
                                       ? rehearsal::BlockPlace::at_end
                                       : rehearsal::BlockPlace::at_begin);
  rehearsal::bytes_in_quarantine.store(quarantine_nbytes);
  rehearsal::launch_watcher.store(&watch);
  guard::add_fault_finder(locate_rehearsed);
}

}  // namespace skerry::cuda
