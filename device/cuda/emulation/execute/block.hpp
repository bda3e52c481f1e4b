// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cuda/emulation/execute/launch.hpp"
#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/execute/random.hpp"
#include "device/cuda/emulation/execute/warp.hpp"

namespace skerry::emulation {

class global_races;
class request_counter;
class shared_races;
class call_stacks;
class undefined_values;
struct watched_program;

/// What fresh memory, shared memory and registers hold.
inline constexpr int poison = 0xa5;

/// A block's shared memory ends at a multiple of it: see end_of_shared().
inline constexpr std::uint32_t shared_vector = 16;

/// Bytes that begin at a multiple of `alignment`: programs ask for more than 16 bytes of arrays.
class aligned_bytes {
 public:
  explicit aligned_bytes(std::size_t nbytes, std::size_t alignment = 1024);
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
struct launch_state {
  launch_state(const kernel& what, const launch& how, const device_model& device,
               const memory_map& memory);
  launch_state(const launch_state&) = delete;
  launch_state& operator=(const launch_state&) = delete;
  ~launch_state();
  /// For a block, without the bytes that align what isn't there.
  [[nodiscard]] std::uint32_t shared_bytes() const noexcept;
  /// What the compiler's own grid barriers count in: nothing but in a cooperative launch.
  [[nodiscard]] std::uint64_t grid_workspace() const noexcept;
  /// Memory that the kernel may access, as memory_map::find says it: the machine's, the heap, and
  /// the grid's workspace.
  [[nodiscard]] allocation find(std::uint64_t address) const;
  [[nodiscard]] memory_near nearest(std::uint64_t address) const;
  [[nodiscard]] printed_text& printed();

  const kernel& what;
  std::unique_ptr<const watched_program> watched;  ///< null: nobody looks for undefined values
  const program& code;
  const launch& how;
  const device_model& device;
  const memory_map& memory;
  const extent cluster;  ///< of one block, if there are none of several
  random_source random;
  std::uint32_t stack_nbytes;                  ///< of a lane, for functions that are called
  std::uint32_t local_nbytes;                  ///< of a lane: the kernel's frame, and those
  std::vector<std::uint64_t> workspace;        ///< of the grid's barriers
  std::vector<block*> grid;                    ///< the blocks of a cooperative launch
  std::vector<block*> peers;                   ///< those of the cluster that runs, by their ranks
  std::unique_ptr<printed_text> printed_here;  ///< where nobody else takes it
  aligned_bytes constants;                     ///< bank 1
  std::vector<std::byte> parameters;
  std::vector<allocation> known;  ///< what each instruction accessed last
  statistics counted;
  std::unique_ptr<global_races> races;        ///< null: nobody looks for them
  std::unique_ptr<request_counter> requests;  ///< null: nobody counts them
  bool fills_up_loads;                        ///< with what it ignores, if they are asynchronous
};

/// Who reads a special register.
struct special_reader {
  const special_row& row;
  const launch_state& launched;
  const warp* on = nullptr;  ///< null if all of the launch read the same
  int lane = 0;
  [[nodiscard]] std::uint32_t thread() const noexcept {
    return on->number * warp_size + static_cast<std::uint32_t>(lane);
  }
};

/// cp.async.bulk into shared memory, done when somebody looks at its barrier.
struct bulk_load {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::uint32_t nbytes = 0;
  std::byte* barrier = nullptr;
};

/// cp.async.bulk out of shared memory, done when its thread waits for the group.
struct bulk_store {
  std::uint32_t thread = 0;
  std::uint32_t group = 0;
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::uint32_t nbytes = 0;
};

/// A plain store to global memory that others do not see yet.
struct held_store {
  std::byte* to = nullptr;
  std::uint32_t nbytes = 0;
  std::array<std::byte, 16> value{};
};

/// The threads that have come to a barrier of a block.
struct barrier_state {
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
class block {
 public:
  explicit block(launch_state& of);
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block();

  /// Begins with the block of that number in the grid.
  void start(std::uint64_t number);
  [[nodiscard]] std::uint32_t alive_threads() const noexcept;
  [[nodiscard]] bool has_ended() const noexcept;
  /// Does the copies for an mbarrier, and what remains of those out of shared memory at the end.
  void finish_loads(std::byte* barrier);
  void finish_stores(std::uint32_t thread, std::uint32_t groups_left);
  void finish_all_stores();

  launch_state& launched;
  extent at;
  aligned_bytes shared;
  std::uint32_t shared_nbytes;
  std::vector<warp> warps;
  std::array<barrier_state, grid_barrier + 1> barriers{};
  std::uint32_t cluster_phase = 0;
  std::vector<std::uint32_t> cluster_phases;  ///< in which each thread has arrived last
  std::vector<bulk_load> loads;
  std::vector<bulk_store> stores;
  std::vector<std::uint32_t> store_groups;
  std::unique_ptr<call_stacks> calls;           ///< null: the kernel calls no function
  std::unique_ptr<shared_races> races;          ///< null: nobody looks for them
  std::unique_ptr<undefined_values> undefined;  ///< null: nobody looks for them
  std::vector<std::vector<held_store>> held;    ///< of each warp, in their order
  bool watches_lanes = false;  ///< somebody counts, checks or holds back what each lane accesses
  bool watches_global_order = false;  ///< somebody looks for races on global memory

 private:
  void start_warp(warp& which);
  void poison_frames();

  aligned_bytes registers_;
  aligned_bytes local_;
};

/// Runs what is ready of a warp for `quantum` instructions, or until it waits. Throws failure.
void run_warp(warp& on, std::uint64_t quantum);

/// The lanes in `mask`, all at the same instruction, arrive at its barrier.
void arrive_at_barrier(warp& on, const instruction& what, lane_mask mask);
/// Looks at all barriers again: threads have ended.
void recheck_barriers(block& of);

// Stores are held back where device_model::holds_stores_back asks for it: loads_and_stores.cpp.
void hold_store(warp& on, std::byte* to, const std::byte* value, std::uint32_t nbytes);
/// The warp's stores become visible, in an order of their own: none of them is before another.
void release_stores(warp& on);
/// A warp sees what it has stored itself: before it reads there, or stores by other means.
void release_stores_at(warp& on, const std::byte* begin, std::uint32_t nbytes);

/// Throws kernel_fault.
[[noreturn]] void fault(int code, int lane, std::string what);
[[noreturn]] void fault(failure_kind kind, int lane, std::string what);

}  // namespace skerry::emulation
