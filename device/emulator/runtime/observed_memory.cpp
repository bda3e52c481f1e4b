// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/observed_memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "device/emulator/failure.hpp"
#include "device/emulator/runtime/host_kernels.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/emulator/runtime/reports.hpp"
#include "device/emulator/runtime/stream_races.hpp"
#include "device/emulator/runtime/undefined_memory.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation {

namespace {

[[nodiscard]] Allocation range_of(const void* data, std::size_t nbytes) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  return {begin, begin + nbytes};
}

/// Records accesses of the simulated runtime itself. A race is an error of the device that owns the
/// memory.
void note(const char* operation_name, std::span<const Allocation> read,
          std::span<const Allocation> written) noexcept try {
  const std::optional<Failure> race = note_stream_accesses(operation_name, read, written);
  if (!race) return;
  const auto* const data = reinterpret_cast<const void*>(race->memory.address);
  const int owner = std::max(0, rehearsal::System::instance().owner(data));
  if (report_if_error(owner, *race)) rehearsal::set_sticky_error(owner, race->code);
} catch (const std::bad_alloc&) {
  return;  // skip the check
}

/// Records the operands' accesses. Skips operands that are accessed in part: which part is not
/// known.
void note_operands(std::span<const cuda::KernelOperand> operands) noexcept try {
  std::vector<Allocation> read;
  std::vector<Allocation> written;
  for (const cuda::KernelOperand& operand : operands) {
    if (!operand.is_whole) continue;
    (operand.is_written ? written : read).push_back(range_of(operand.data, operand.nbytes));
  }
  note("an operation of skerry", read, written);
} catch (const std::bad_alloc&) {
  return;  // skip the check
}

void on_allocated(void* data, std::size_t nbytes) noexcept {
  undefine_memory(data, nbytes);
  discard_stream_accesses(data, nbytes);
}

void fill(void* data, int value, std::size_t nbytes) noexcept {
  const std::shared_lock lock(memory_mutex());
  std::memset(data, value, nbytes);
  define_memory(data, nbytes);
  const Allocation written = range_of(data, nbytes);
  note("a fill", {}, {&written, 1});
}

void copy(void* target, const void* source, std::size_t nbytes) noexcept {
  const std::shared_lock lock(memory_mutex());
  std::memmove(target, source, nbytes);
  copy_undefined_memory(target, source, nbytes);
  const Allocation read = range_of(source, nbytes);
  const Allocation written = range_of(target, nbytes);
  note("a copy", {&read, 1}, {&written, 1});
}

void on_freed(void* data, std::size_t nbytes) noexcept {
  const Allocation written = range_of(data, nbytes);
  note(end_of_allocation, {}, {&written, 1});
  note_free(data, current_line());
}

void run(void (*kernel)(const void* params), const void* params,
         std::span<const cuda::KernelOperand> operands) noexcept {
  run_host_kernel(kernel, params, operands);
  if (follows_streams()) note_operands(operands);
}

constexpr rehearsal::MemoryMonitor memory_monitor{on_allocated, fill, copy, run, on_freed};

}  // namespace

void observe_memory() noexcept { rehearsal::memory_watcher.store(&memory_monitor); }

}  // namespace skerry::emulation
