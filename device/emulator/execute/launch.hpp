// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "device/emulator/failure.hpp"
#include "device/emulator/ptx/module.hpp"

namespace skerry::emulation {

class DeviceHeap;
class Findings;
class PrintfOutput;
class MemoryFootprint;

/// The device that is emulated, and how adverse its schedule is. Everything repeats from the seed.
struct DeviceModel {
  int compute_capability = 80;
  int multiprocessors = 4;
  std::uint32_t shared_bytes_per_block = 48 << 10;
  std::uint32_t shared_bytes_per_block_optin = 163 << 10;
  std::uint32_t shared_bytes_per_multiprocessor = 164 << 10;
  std::uint32_t threads_per_block = 1024;
  std::uint32_t threads_per_multiprocessor = 2048;
  std::uint32_t blocks_per_multiprocessor = 32;
  std::uint32_t registers_per_multiprocessor = 65536;

  std::uint64_t seed = 0;
  /// Blocks that run interleaved; 1 runs one after the other, the fastest.
  int resident_blocks = 1;
  /// Instructions after which another warp goes on, on average; 0: only where one has to wait.
  int quantum = 0;
  /// Which of the members elect.sync elects, from the lowest one. PTX allows any of them, the same
  /// for the same mask; CUB's scan for sm_90 is right with the lowest alone (CCCL 3.5,
  /// cub/device/dispatch/kernels/kernel_scan_lookahead.cuh: line 395 takes the warp's aggregate
  /// from WarpReduce::Reduce, which lane 0 alone returns, and line 401 has the elected lane store
  /// it; detail/warpspeed/squad/squad.cuh elects, and look_ahead.cuh says "must only be valid in
  /// lane_0"). Integers reduce by redux.sync, which all lanes return. So programs run with 0.
  std::uint32_t elected_member = 0;
  /// For each thread: frames of functions that are called, and registers that calls keep.
  std::uint32_t stack_bytes = 128 << 10;
  /// A kernel that runs for longer fails with 702; 0: no limit.
  double seconds_limit = 0;
  /// A kernel that runs for longer is told of once, where somebody listens; 0: never.
  double seconds_to_notice = 0;
  /// A kernel that executes more instructions of warps fails with 702; 0: no limit.
  std::uint64_t instruction_limit = 0;
  /// Plain stores to global memory become visible at a fence, a barrier or the end alone.
  bool holds_stores_back = false;
  /// A race on shared memory is a failure; slower by a factor of two to four.
  bool checks_shared_races = false;
  /// The same for global memory, between blocks.
  bool checks_global_races = false;
  /// The same between streams of a device, copies included; looked for by the runtime.
  bool checks_stream_races = false;
  /// Lanes that are missing where their warp or block synchronises are a failure.
  bool checks_synchronization = false;
  /// The use of a value that nobody wrote is a failure; slower by a factor of ten or more.
  bool checks_undefined_values = false;
  /// Races between threads of a block on global memory, too, where those between blocks are sought.
  bool checks_races_in_blocks = false;
  /// What is told of without ending the kernel: a GPU would go on.
  KindSet collected{};
  /// What memory is asked for is counted; slower by a factor of one and a half to four.
  bool counts_requests = false;
};

/// Bytes [begin, end) that kernels may access.
struct Allocation {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What the machine knows of memory; asked from the threads that run kernels.
class MemoryMap {
 public:
  virtual ~MemoryMap() = default;
  /// The live allocation that holds the byte at `address`, and is accessible from the device that
  /// the kernel runs on; empty if there is none. It stays valid until the kernel ends.
  [[nodiscard]] virtual Allocation find(std::uint64_t address) const = 0;
  /// Where an address lies among allocations, for a report: it is in none that find() gives.
  [[nodiscard]] virtual MemoryNear nearest(std::uint64_t address) const = 0;
  /// Bits that are 1 where those at `address` were never written, as far as its allocation goes;
  /// null: all of them were.
  [[nodiscard]] virtual std::byte* undefined_bits(std::uint64_t /*address*/) const {
    return nullptr;
  }
};

/// One launch. What it refers to lives until the kernel has ended.
struct Launch {
  Extent grid{};
  Extent block{};
  /// Blocks that run at the same time and reach each other's shared memory; none: each by itself.
  std::optional<Extent> cluster = {};
  std::uint32_t dynamic_shared_bytes = 0;
  /// KernelAttributes::parameter_bytes of them, each parameter at its offset.
  std::span<const std::byte> parameters{};
  /// Where the device has module::variables(), in their order.
  std::span<const std::uint64_t> variables{};
  /// Mixed into the seed, so that no two launches have the same schedule.
  std::uint64_t number = 0;
  /// Gets what the kernel reads and writes; null: nobody wants to know.
  MemoryFootprint* accessed_memory = nullptr;
  /// Gets what is wrong and does not end the kernel (DeviceModel::collected); null: all ends it.
  Findings* findings = nullptr;
  /// All blocks run at the same time, and can meet at a barrier.
  bool is_cooperative = false;
  /// In place of DeviceModel::stack_bytes; 0: that.
  std::uint32_t stack_bytes = 0;
  /// What malloc in a kernel takes memory from; null: it has none.
  DeviceHeap* heap = nullptr;
  /// Gets what kernels print; null: the standard output does, when the kernel has ended.
  PrintfOutput* printf_output = nullptr;
  /// Gets where a kernel is that has run for DeviceModel::seconds_to_notice; empty: nobody
  /// listens.
  std::function<void(const Failure&)> notice = {};
  /// interruptions() when the program asked for it: it ends by those that come later; none: by
  /// none.
  std::optional<std::uint64_t> interruptions_before = {};
};

/// What warps ask global memory for, in one direction. A request is an instruction of a warp.
struct GlobalRequests {
  std::uint64_t requests = 0;
  std::uint64_t nbytes = 0;            ///< of all lanes
  std::uint64_t sectors = 0;           ///< of 32 bytes, each once for a request: coalesced
  std::uint64_t distinct_sectors = 0;  ///< each once for a launch: if caches held everything
};

/// What warps ask shared memory for: 32 banks, each 4 bytes wide, answer in a wavefront.
struct SharedRequests {
  std::uint64_t requests = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t conflicts = 0;  ///< wavefronts that other lanes' use of a bank costs
};

/// What the kernels did, numbers alone; added up.
struct Statistics {
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::uint64_t divergent_branches = 0;  ///< that some lanes of those at them take
  // Counted where DeviceModel::counts_requests. An atomic operation is a store.
  GlobalRequests loads;
  GlobalRequests stores;
  SharedRequests shared;
  std::uint64_t local_requests = 0;  ///< of threads' own memory: stacks and spilled registers
  Statistics& operator+=(const Statistics& other) noexcept;
};

/// What a launch itself returns, before anything runs: 1 too much shared memory, 9 an impossible
/// grid or block, 209, 218 or 222 a kernel that can't be decoded, 701 too many threads for this
/// kernel, 720 a cooperative launch of more blocks than the device holds, 912 a cluster that it
/// can't be launched with. `shared_bytes_limit` is what cudaFuncSetAttribute allowed for the
/// kernel, or 48 KiB.
[[nodiscard]] std::optional<Failure> check_launch(const Kernel& kernel, const Launch& launch,
                                                  const DeviceModel& device,
                                                  std::uint32_t shared_bytes_limit);

/// Blocks of a kernel that one multiprocessor holds at a time; 0 if not even one fits.
[[nodiscard]] int resident_blocks(const KernelAttributes& attributes, int block_threads,
                                  std::size_t dynamic_shared_bytes, const DeviceModel& device);

/// Kernels that still run after so many seconds fail with 702: the process ends.
void stop_kernels(double seconds) noexcept;

/// Runs a kernel to its end on the calling thread. A failure (700, 702, 710, 715, 716, 719) is what
/// CUDA would report asynchronously, and its text says where; threads that had begun stay undone.
[[nodiscard]] std::optional<Failure> run(const Kernel& kernel, const Launch& launch,
                                         const DeviceModel& device, const MemoryMap& memory,
                                         Statistics* counted = nullptr);

}  // namespace skerry::emulation
