// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/emulator/execute/launch.hpp"
#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/random.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

class GlobalRaces;
class RequestCounter;
class SharedRaces;
class CallStacks;
class UndefinedValues;
struct InstrumentedProgram;

/// What fresh memory, shared memory and registers hold.
inline constexpr int poison = 0xa5;

/// A block's shared memory ends at a multiple of it: see end_of_shared().
inline constexpr std::uint32_t shared_vector = 16;

/// Bytes that begin at a multiple of `alignment`: programs ask for more than 16 bytes of arrays.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t nbytes, std::size_t alignment = 1024);
  [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return nbytes_; }

 private:
  struct release {
    std::size_t alignment;
    void operator()(std::byte* data) const noexcept;
  };
  std::size_t nbytes_;
  std::unique_ptr<std::byte, release> data_;
};

/// What all blocks of a launch share.
struct LaunchState {
  LaunchState(const Kernel& kernel, const Launch& launch, const DeviceModel& device,
              const MemoryMap& memory);
  LaunchState(const LaunchState&) = delete;
  LaunchState& operator=(const LaunchState&) = delete;
  ~LaunchState();
  /// For a block, without the bytes that align what isn't there.
  [[nodiscard]] std::uint32_t shared_bytes() const noexcept;
  /// What the compiler's own grid barriers count in: nothing but in a cooperative launch.
  [[nodiscard]] std::uint64_t grid_workspace() const noexcept;
  /// Memory that the kernel may access, as MemoryMap::find says it: the machine's, the heap, and
  /// the grid's workspace.
  [[nodiscard]] Allocation find(std::uint64_t address) const;
  [[nodiscard]] MemoryNear nearest(std::uint64_t address) const;
  [[nodiscard]] PrintfOutput& printf_output();

  const Kernel& kernel;
  std::unique_ptr<const InstrumentedProgram>
      instrumented;  ///< null: nobody looks for undefined values
  const Program& program;
  const Launch& launch;
  const DeviceModel& device;
  const MemoryMap& memory;
  const Extent cluster;  ///< of one block, if there are none of several
  RandomSource random;
  std::uint32_t stack_nbytes;            ///< of a lane, for functions that are called
  std::uint32_t local_nbytes;            ///< of a lane: the kernel's frame, and those
  std::vector<std::uint64_t> workspace;  ///< of the grid's barriers
  std::vector<Block*> grid;              ///< the blocks of a cooperative launch
  std::vector<Block*> peers;             ///< those of the cluster that runs, by their ranks
  std::unique_ptr<PrintfOutput> default_printf_output;  ///< where nobody else takes it
  AlignedBytes constants;                               ///< bank 1
  std::vector<std::byte> parameters;
  std::vector<Allocation> cached_allocations;  ///< what each instruction accessed last
  Statistics counted;
  std::unique_ptr<GlobalRaces> races;        ///< null: nobody looks for them
  std::unique_ptr<RequestCounter> requests;  ///< null: nobody counts them
  bool fills_up_loads;                       ///< with what it ignores, if they are asynchronous
};

/// Who reads a special register.
struct SpecialReader {
  const SpecialRow& row;
  const LaunchState& launch_state;
  const Warp* warp = nullptr;  ///< null if all of the launch read the same
  int lane = 0;
  [[nodiscard]] std::uint32_t thread() const noexcept {
    return warp->number * warp_size + static_cast<std::uint32_t>(lane);
  }
};

/// cp.async.bulk into shared memory, done when somebody looks at its barrier.
struct BulkLoad {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::uint32_t nbytes = 0;
  std::byte* barrier = nullptr;
};

/// cp.async.bulk out of shared memory, done when its thread waits for the group.
struct BulkStore {
  std::uint32_t thread = 0;
  std::uint32_t group = 0;
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::uint32_t nbytes = 0;
};

/// A plain store to global memory that others do not see yet.
struct HeldStore {
  std::byte* destination = nullptr;
  std::uint32_t nbytes = 0;
  std::array<std::byte, 16> value{};
};

/// The threads that have come to a barrier of a block.
struct BarrierState {
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;  ///< 0: all threads of the block that have not ended
  std::uint32_t votes = 0;     ///< of those whose predicate holds
  bool reduces = false;        ///< some of them have a predicate
};

inline constexpr std::size_t named_barriers = 16;
/// A cluster's barrier, at which threads arrive and for which they wait apart.
inline constexpr std::size_t cluster_barrier = 16;
inline constexpr std::size_t grid_barrier = 17;

/// A block that is being run.
class Block {
 public:
  explicit Block(LaunchState& state);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  /// Begins with the block of that number in the grid.
  void start(std::uint64_t number);
  [[nodiscard]] std::uint32_t alive_threads() const noexcept;
  [[nodiscard]] bool has_ended() const noexcept;
  /// Does the copies for an mbarrier, and what remains of those out of shared memory at the end.
  void finish_loads(std::byte* barrier);
  void finish_stores(std::uint32_t thread, std::uint32_t groups_left);
  void finish_all_stores();

  LaunchState& launch_state;
  Extent index;
  AlignedBytes shared;
  std::uint32_t shared_nbytes;
  std::vector<Warp> warps;
  std::array<BarrierState, grid_barrier + 1> barriers{};
  std::uint32_t cluster_phase = 0;
  std::vector<std::uint32_t> cluster_phases;  ///< in which each thread has arrived last
  std::vector<BulkLoad> loads;
  std::vector<BulkStore> stores;
  std::vector<std::uint32_t> store_groups;
  std::unique_ptr<CallStacks> calls;                  ///< null: the kernel calls no function
  std::unique_ptr<SharedRaces> races;                 ///< null: nobody looks for them
  std::unique_ptr<UndefinedValues> undefined_values;  ///< null: nobody looks for them
  std::vector<std::vector<HeldStore>> held_stores;    ///< of each warp, in their order
  bool watches_lanes = false;  ///< somebody counts, checks or holds back what each lane accesses
  bool watches_global_order = false;  ///< somebody looks for races on global memory

 private:
  void start_warp(Warp& warp);
  void poison_frames();

  AlignedBytes registers_;
  AlignedBytes local_;
};

/// Runs what is ready of a warp for `quantum` instructions, or until it waits. Throws failure.
void run_warp(Warp& warp, std::uint64_t quantum);

/// The lanes in `mask`, all at the same instruction, arrive at its barrier.
void arrive_at_barrier(Warp& warp, const Instruction& instruction, lane_mask mask);
/// Looks at all barriers again: threads have ended.
void recheck_barriers(Block& block);

// Stores are held back where DeviceModel::holds_stores_back asks for it: loads_and_stores.cpp.
void hold_store(Warp& warp, std::byte* destination, const std::byte* value, std::uint32_t nbytes);
/// The warp's stores become visible, in an order of their own: none of them is before another.
void release_stores(Warp& warp);
/// A warp sees what it has stored itself: before it reads there, or stores by other means.
void release_stores_at(Warp& warp, const std::byte* begin, std::uint32_t nbytes);

/// Throws KernelFault.
[[noreturn]] void fault(int code, int lane, std::string summary);
[[noreturn]] void fault(FailureKind kind, int lane, std::string summary);

}  // namespace skerry::emulation
