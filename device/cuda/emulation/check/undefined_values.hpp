// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cuda/emulation/check/undefined_rules.hpp"
#include "device/cuda/emulation/execute/memory_access.hpp"
#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/execute/warp.hpp"

namespace skerry::emulation {

/// Looks for uses of values that nobody wrote: a branch, an address, whether memory is accessed, an
/// operand of an atomic operation, a result in global memory that was computed from one. Every bit
/// of a block's registers and memory has a shadow, 1 where it is undefined, and a global byte has
/// the byte that MemoryMap::undefined_bits says. What is only moved, such as the padding of a
/// struct, is no use, in whatever sizes it is moved.
class UndefinedValues {
 public:
  explicit UndefinedValues(Block& of);

  /// The next block begins.
  void start();
  /// A plain instruction of a WatchedProgram, for the lanes that come to it.
  void run(Warp& on, const Instruction& what, lane_mask lanes);
  /// A collective, for its members.
  void run_collective(Warp& on, const Instruction& what, lane_mask members);
  /// What is neither: its guard, and what it reads, have to be defined.
  void check_control(Warp& on, const Instruction& what, lane_mask lanes);
  /// Where the instruction that runs has accessed memory.
  void note(const LaneAddresses& at, MemoryAccess how) {
    at_ = at;
    access_ = how;
  }
  /// A copy has been done that an instruction began before.
  void copied(const std::byte* to, const std::byte* from, std::uint32_t nbytes);
  void filled(const std::byte* to, std::uint32_t nbytes);
  /// The bytes are new: nobody has written them.
  void forget(const std::byte* to, std::uint32_t nbytes);
  // What is known of the registers of a lane that a call keeps, behind the bytes of `stack`.
  void keep(const Warp& on, std::span<const KeptRow> rows, int lane, std::vector<std::byte>& stack);
  void restore(const Warp& on, std::span<const KeptRow> rows, int lane,
               std::vector<std::byte>& stack);

 private:
  static constexpr std::size_t row_nbytes = std::size_t{16} * warp_size;
  using one_row = std::array<std::byte, row_nbytes>;

  [[nodiscard]] const UndefinedRule& rule_of(const Instruction& what) const;
  /// A row's shadow; rows of the second bank are defined.
  [[nodiscard]] std::byte* bits(const Warp& on, row of) noexcept;
  [[nodiscard]] lane_mask& lanes_of(const Warp& on, row predicate) noexcept;
  [[nodiscard]] lane_mask& computed(const Warp& on, row of) noexcept;
  [[nodiscard]] std::uint64_t value_bits(const Warp& on, row of, std::size_t nbytes, int lane);
  [[nodiscard]] lane_mask undefined_lanes(const Warp& on, row of, std::uint8_t nbytes,
                                          lane_mask among);
  [[nodiscard]] lane_mask undefined_sources(const Warp& on, const Instruction& what,
                                            const UndefinedRule& rule, lane_mask among,
                                            std::uint32_t sources);
  [[nodiscard]] std::byte* memory_bits(const std::byte* at) noexcept;

  void check_operands(const Warp& on, const Instruction& what, const UndefinedRule& rule,
                      lane_mask active);
  // Each leaves the results' bits in results_.
  void derive(Warp& on, const Instruction& what, const UndefinedRule& rule, lane_mask active);
  void derive_all(const UndefinedRule& rule, lane_mask from);
  void derive_moved(Warp& on, const Instruction& what, const UndefinedRule& rule, lane_mask active);
  void derive_bits(Warp& on, const Instruction& what, const UndefinedRule& rule, lane_mask active);
  void derive_predicates(Warp& on, const Instruction& what, const UndefinedRule& rule,
                         lane_mask active);
  void derive_equality(Warp& on, const Instruction& what, const UndefinedRule& rule,
                       lane_mask active);
  void write_results(const Warp& on, const Instruction& what, const UndefinedRule& rule,
                     lane_mask active, lane_mask computed_lanes);

  void load(const Warp& on, const Instruction& what, const UndefinedRule& rule, lane_mask active);
  void store(const Warp& on, const Instruction& what, const UndefinedRule& rule, lane_mask active);
  void update(const Warp& on, const Instruction& what, const UndefinedRule& rule, lane_mask active);

  Block& owner_;
  std::span<const UndefinedRule> rules_;
  std::size_t registers_nbytes_;  ///< of a warp
  std::vector<std::byte> registers_;
  std::vector<lane_mask> computed_;  ///< of each row: lanes whose bits an operation made undefined
  std::vector<std::byte> shared_;
  std::vector<std::byte> local_;
  alignas(64) std::array<one_row, 9> scratch_{};  ///< four results and five sources
  one_row defined_{};
  LaneAddresses at_{};
  MemoryAccess access_{};
};

}  // namespace skerry::emulation
