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

/// Byte that fills uninitialized memory, shared memory and registers.
inline constexpr int poison = 0xa5;

/// The size of a block's shared memory is rounded up to a multiple of this: see end_of_shared().
inline constexpr std::uint32_t shared_vector = 16;

/// Memory aligned to `alignment`: kernels may align their arrays to more than 16 bytes.
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

/// State that all blocks of a launch share.
struct LaunchState {
  LaunchState(const Kernel& kernel, const Launch& launch, const DeviceModel& device,
              const MemoryMap& memory);
  LaunchState(const LaunchState&) = delete;
  LaunchState& operator=(const LaunchState&) = delete;
  ~LaunchState();
  /// Returns the size of a block's shared memory, without padding before absent dynamic shared
  /// memory.
  [[nodiscard]] std::uint32_t shared_bytes() const noexcept;
  /// Returns the address of the counters of grid barriers that the compiler inlines; 0 unless the
  /// launch is cooperative.
  [[nodiscard]] std::uint64_t grid_workspace() const noexcept;
  /// As MemoryMap::find, including the device heap and the grid workspace.
  [[nodiscard]] Allocation find(std::uint64_t address) const;
  [[nodiscard]] MemoryNear nearest(std::uint64_t address) const;
  [[nodiscard]] PrintfOutput& printf_output();

  const Kernel& kernel;
  std::unique_ptr<const InstrumentedProgram> instrumented;  ///< null: not checked
  const Program& program;
  const Launch& launch;
  const DeviceModel& device;
  const MemoryMap& memory;
  const Extent cluster;  ///< of one block if the launch has no clusters
  RandomSource random;
  std::uint32_t stack_nbytes;            ///< per lane, for called functions
  std::uint32_t local_nbytes;            ///< per lane: the kernel's frame and the stack
  std::vector<std::uint64_t> workspace;  ///< for grid barriers
  std::vector<Block*> grid;              ///< all blocks of a cooperative launch
  std::vector<Block*> peers;             ///< blocks of the running cluster, by rank
  std::unique_ptr<PrintfOutput> default_printf_output;  ///< used if the launch has none
  AlignedBytes constants;                               ///< bank 1
  std::vector<std::byte> parameters;
  std::vector<Allocation> cached_allocations;  ///< last allocation of each instruction
  Statistics counted;
  std::uint64_t clock_readings = 0;
  std::unique_ptr<GlobalRaces> races;        ///< null: not checked
  std::unique_ptr<RequestCounter> requests;  ///< null: not counted
  bool fills_up_loads;                       ///< see fills_up_loads() in check/global_races.hpp
};

/// The lane that reads a special register.
struct SpecialReader {
  const SpecialRow& row;
  const LaunchState& launch_state;
  const Warp* warp = nullptr;  ///< null if the value is the same for the launch
  int lane = 0;
  [[nodiscard]] std::uint32_t thread() const noexcept {
    return warp->number * warp_size + static_cast<std::uint32_t>(lane);
  }
};

/// A cp.async.bulk into shared memory, executed when its mbarrier is tested.
struct BulkLoad {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::uint32_t nbytes = 0;
  std::byte* barrier = nullptr;
};

/// A cp.async.bulk out of shared memory, executed when its thread waits for the group.
struct BulkStore {
  std::uint32_t thread = 0;
  std::uint32_t group = 0;
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::uint32_t nbytes = 0;
};

/// A plain store to global memory that other warps do not see yet.
struct HeldStore {
  std::byte* destination = nullptr;
  std::uint32_t nbytes = 0;
  std::array<std::byte, 16> value{};
};

/// Arrivals at a barrier of a block.
struct BarrierState {
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;  ///< 0: all live threads of the block
  std::uint32_t votes = 0;     ///< arrived threads whose predicate is true
  bool reduces = false;        ///< some arrivals have a predicate
};

inline constexpr std::size_t named_barriers = 16;
/// The barrier of a cluster, where arriving and waiting are separate instructions.
inline constexpr std::size_t cluster_barrier = 16;
inline constexpr std::size_t grid_barrier = 17;

/// A thread block that is being executed.
class Block {
 public:
  explicit Block(LaunchState& state);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  /// Starts block `number` of the grid, reusing this object's memory.
  void start(std::uint64_t number);
  [[nodiscard]] std::uint32_t alive_threads() const noexcept;
  [[nodiscard]] bool has_ended() const noexcept;
  /// Execute pending bulk copies: the loads of an mbarrier, the stores of a thread except its last
  /// `groups_left` groups, and all stores.
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
  std::vector<std::uint32_t> cluster_phases;  ///< phase in which each thread last arrived
  std::vector<BulkLoad> loads;
  std::vector<BulkStore> stores;
  std::vector<std::uint32_t> store_groups;
  std::unique_ptr<CallStacks> calls;                  ///< null: the kernel calls no functions
  std::unique_ptr<SharedRaces> races;                 ///< null: not checked
  std::unique_ptr<UndefinedValues> undefined_values;  ///< null: not checked
  std::vector<std::vector<HeldStore>> held_stores;    ///< of each warp, in program order
  bool watches_lanes = false;         ///< each lane's accesses are counted, checked or held back
  bool watches_global_order = false;  ///< accesses to global memory are checked for races

 private:
  void start_warp(Warp& warp);
  void poison_frames();

  AlignedBytes registers_;
  AlignedBytes local_;
};

/// Runs the ready lanes of a warp for `quantum` instructions, or until they wait. Throws Failure.
void run_warp(Warp& warp, std::uint64_t quantum);

/// Records that lanes `mask`, all at `instruction`, arrive at its barrier.
void arrive_at_barrier(Warp& warp, const Instruction& instruction, lane_mask mask);
/// Releases the barriers that are complete now that some threads have exited.
void recheck_barriers(Block& block);

// Stores are held back if DeviceModel::holds_stores_back is set (loads_and_stores.cpp).
void hold_store(Warp& warp, std::byte* destination, const std::byte* value, std::uint32_t nbytes);
/// Makes the warp's held stores visible, in random order.
void release_stores(Warp& warp);
/// Makes the warp's held stores to this range visible, before the warp accesses it in another way.
void release_stores_at(Warp& warp, const std::byte* begin, std::uint32_t nbytes);

/// Throw KernelFault.
[[noreturn]] void fault(int code, int lane, std::string summary);
[[noreturn]] void fault(FailureKind kind, int lane, std::string summary);

}  // namespace skerry::emulation
