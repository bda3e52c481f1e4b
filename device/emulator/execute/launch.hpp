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

/// The emulated device, the schedule of its threads, and the checks. Schedules are reproducible
/// from the seed.
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
  /// Number of blocks that run interleaved; 1, the fastest, runs them one after the other.
  int resident_blocks = 1;
  /// Mean number of instructions before another warp runs; 0: many, for speed (launch.cpp).
  int quantum = 0;
  /// Which member elect.sync elects, counted from the lowest. PTX allows any, as long as it is the
  /// same for the same mask, but CUB's scan for sm_90 is correct only with the lowest (CCCL 3.5,
  /// cub/device/dispatch/kernels/kernel_scan_lookahead.cuh: line 395 takes the warp's aggregate
  /// from WarpReduce::Reduce, which returns it in lane 0 only, and line 401 lets the elected lane
  /// store it; detail/warpspeed/squad/squad.cuh elects, and look_ahead.cuh says "must only be valid
  /// in lane_0"). Integer reductions use redux.sync, which returns the result in all lanes. So the
  /// default is 0.
  std::uint32_t elected_member = 0;
  /// Stack of each thread: frames of called functions, and the registers that calls save.
  std::uint32_t stack_bytes = 128 << 10;
  /// Run time after which a kernel fails with 702; 0: no limit.
  double seconds_limit = 0;
  /// Run time after which Launch::notice is called once; 0: never.
  double seconds_to_notice = 0;
  /// Number of warp instructions after which a kernel fails with 702; 0: no limit.
  std::uint64_t instruction_limit = 0;
  /// Delays plain stores to global memory until a fence, a barrier or the end of the thread.
  bool holds_stores_back = false;
  /// Detects races on shared memory; 2 to 4 times slower.
  bool checks_shared_races = false;
  /// Detects races on global memory between blocks.
  bool checks_global_races = false;
  /// Detects races between streams of a device, copies included; done by the runtime.
  bool checks_stream_races = false;
  /// Detects warps and blocks that synchronize without all their lanes.
  bool checks_synchronization = false;
  /// Detects uses of uninitialized values; 10 times slower or more.
  bool checks_undefined_values = false;
  /// With checks_global_races, detects races on global memory between threads of a block too.
  bool checks_races_in_blocks = false;
  /// Checks each lane by itself, without the paths for whole warps, whose verdicts are equal. For
  /// tests.
  bool checks_single_lanes = false;
  /// Kinds of failure that are reported without ending the kernel, since a GPU would continue.
  KindSet collected{};
  /// Counts memory requests; 1.5 to 4 times slower.
  bool counts_requests = false;
};

/// The range [begin, end) of an allocation that kernels may access.
struct Allocation {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The allocations of the emulated system. Called from the threads that run kernels.
class MemoryMap {
 public:
  virtual ~MemoryMap() = default;
  /// Returns the live allocation that contains `address` and that the kernel's device can access,
  /// or an empty one. The result stays valid until the kernel ends.
  [[nodiscard]] virtual Allocation find(std::uint64_t address) const = 0;
  /// Describes an address that find() does not find, for a report.
  [[nodiscard]] virtual MemoryNear nearest(std::uint64_t address) const = 0;
  /// Returns the shadow bits of the memory at `address`, up to the end of its allocation: 1 for
  /// each bit that was never written. Null if this memory is not tracked and counts as written.
  [[nodiscard]] virtual std::byte* undefined_bits(std::uint64_t /*address*/) const {
    return nullptr;
  }
};

/// The arguments of a launch. Referenced objects must live until the kernel has ended.
struct Launch {
  Extent grid{};
  Extent block{};
  /// Blocks of a cluster, which run concurrently and access each other's shared memory; empty:
  /// no clusters.
  std::optional<Extent> cluster = {};
  std::uint32_t dynamic_shared_bytes = 0;
  /// KernelAttributes::parameter_bytes bytes, each parameter at its offset.
  std::span<const std::byte> parameters{};
  /// The addresses on the device of Module::variables(), in that order.
  std::span<const std::uint64_t> variables{};
  /// Mixed into the seed, so that each launch has its own schedule.
  std::uint64_t number = 0;
  /// Records the memory that the kernel accesses; null: not recorded.
  MemoryFootprint* accessed_memory = nullptr;
  /// Receives failures that do not end the kernel (DeviceModel::collected); null: every failure
  /// ends it.
  Findings* findings = nullptr;
  /// All blocks are resident and can synchronize at a grid barrier.
  bool is_cooperative = false;
  /// Overrides DeviceModel::stack_bytes unless 0.
  std::uint32_t stack_bytes = 0;
  /// The heap of malloc in kernels; null: malloc returns null.
  DeviceHeap* heap = nullptr;
  /// Receives the output of printf in kernels; null: it is written to stdout when the kernel has
  /// ended.
  PrintfOutput* printf_output = nullptr;
  /// Called with the kernel's position after DeviceModel::seconds_to_notice; may be empty.
  std::function<void(const Failure&)> notice = {};
  /// Value of interruptions() at the launch: later interruptions end the kernel. Empty:
  /// interruptions are ignored.
  std::optional<std::uint64_t> interruptions_before = {};
};

/// Requests of warps to global memory, for loads or for stores. A request is one instruction of one
/// warp.
struct GlobalRequests {
  std::uint64_t requests = 0;
  std::uint64_t nbytes = 0;            ///< over all lanes
  std::uint64_t sectors = 0;           ///< 32-byte sectors, once per request: the coalesced traffic
  std::uint64_t distinct_sectors = 0;  ///< once per launch: with an infinite cache
};

/// Requests of warps to shared memory. A wavefront accesses each of the 32 banks, 4 bytes wide,
/// once.
struct SharedRequests {
  std::uint64_t requests = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t conflicts = 0;  ///< additional wavefronts due to bank conflicts
};

/// Counters of executed kernels; can be added.
struct Statistics {
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::uint64_t divergent_branches = 0;  ///< taken by some of the lanes that reach them
  // Counted if DeviceModel::counts_requests. An atomic operation counts as a store.
  GlobalRequests loads;
  GlobalRequests stores;
  SharedRequests shared;
  std::uint64_t local_requests = 0;  ///< to local memory: local variables and call frames
  Statistics& operator+=(const Statistics& other) noexcept;
};

/// Checks a launch before anything runs and returns the error that the launch call reports: 1 too
/// much shared memory or missing arguments, 9 an invalid grid or block, 209, 218 or 222 a kernel
/// that cannot be decoded, 701 too many threads for the kernel, 720 a cooperative launch of more
/// blocks than fit on the device, 801 an unsupported cluster, 912 an invalid one.
/// `shared_bytes_limit` is the limit set by cudaFuncSetAttribute
/// for the kernel, or 48 KiB.
[[nodiscard]] std::optional<Failure> check_launch(const Kernel& kernel, const Launch& launch,
                                                  const DeviceModel& device,
                                                  std::uint32_t shared_bytes_limit);

/// Returns the occupancy: the number of blocks that fit on one multiprocessor, 0 if none does.
[[nodiscard]] int resident_blocks(const KernelAttributes& attributes, int block_threads,
                                  std::size_t dynamic_shared_bytes, const DeviceModel& device);

/// Makes kernels that still run after `seconds` fail with 702. Called when the process exits.
void stop_kernels(double seconds) noexcept;

/// Runs a kernel on the calling thread until it ends. Returns the failure (700, 702, 710, 715, 716,
/// 719) that CUDA would report asynchronously, with text that locates it; running threads stop
/// where they are.
[[nodiscard]] std::optional<Failure> run(const Kernel& kernel, const Launch& launch,
                                         const DeviceModel& device, const MemoryMap& memory,
                                         Statistics* counted = nullptr);

}  // namespace skerry::emulation
