// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/emulator/check/propagation_rules.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// Looks for uses of values that nobody wrote: a branch, an address, whether memory is accessed, an
/// operand of an atomic operation, a result in global memory that was computed from one. Every bit
/// of a block's registers and memory has a shadow, 1 where it is undefined, and a global byte has
/// the byte that MemoryMap::undefined_bits says. What is only moved, such as the padding of a
/// struct, is no use, in whatever sizes it is moved.
class UndefinedValues {
 public:
  explicit UndefinedValues(Block& block);

  /// The next block begins.
  void start();
  /// A plain instruction of a WatchedProgram, for the lanes that come to it.
  void run(Warp& warp, const Instruction& instruction, lane_mask lanes);
  /// A collective, for its members.
  void run_collective(Warp& warp, const Instruction& instruction, lane_mask members);
  /// What is neither: its guard, and what it reads, have to be defined.
  void check_control(Warp& warp, const Instruction& instruction, lane_mask lanes);
  /// Where the instruction that runs has accessed memory.
  void note(const LaneAddresses& addresses, MemoryAccess access) {
    addresses_ = addresses;
    access_ = access;
  }
  /// A copy has been done that an instruction began before.
  void note_copy(const std::byte* destination, const std::byte* source, std::uint32_t nbytes);
  void note_fill(const std::byte* destination, std::uint32_t nbytes);
  /// The bytes are new: nobody has written them.
  void mark_undefined(const std::byte* destination, std::uint32_t nbytes);
  // What is known of the registers of a lane that a call keeps, behind the bytes of `stack`.
  void save(const Warp& warp, std::span<const SavedRow> rows, int lane,
            std::vector<std::byte>& stack);
  void restore(const Warp& warp, std::span<const SavedRow> rows, int lane,
               std::vector<std::byte>& stack);

 private:
  static constexpr std::size_t row_nbytes = std::size_t{16} * warp_size;
  using one_row = std::array<std::byte, row_nbytes>;

  [[nodiscard]] const PropagationRule& rule_of(const Instruction& instruction) const;
  /// A row's shadow; rows of the second bank are defined.
  [[nodiscard]] std::byte* row_shadow(const Warp& warp, row register_row) noexcept;
  [[nodiscard]] lane_mask& predicate_shadow(const Warp& warp, row predicate) noexcept;
  [[nodiscard]] lane_mask& computed(const Warp& warp, row register_row) noexcept;
  [[nodiscard]] std::uint64_t lane_shadow(const Warp& warp, row register_row, std::size_t nbytes,
                                          int lane);
  [[nodiscard]] lane_mask undefined_lanes(const Warp& warp, row register_row, std::uint8_t nbytes,
                                          lane_mask lanes);
  [[nodiscard]] lane_mask undefined_sources(const Warp& warp, const Instruction& instruction,
                                            const PropagationRule& rule, lane_mask lanes,
                                            std::uint32_t sources);
  [[nodiscard]] std::byte* memory_shadow(const std::byte* pointer) noexcept;

  void check_operands(const Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                      lane_mask active);
  // Each leaves the results' bits in results_.
  void propagate(Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                 lane_mask active);
  void set_result_shadows(const PropagationRule& rule, lane_mask lanes);
  void derive_moved(Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                    lane_mask active);
  void derive_bits(Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                   lane_mask active);
  void derive_predicates(Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                         lane_mask active);
  void derive_equality(Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                       lane_mask active);
  void write_results(const Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                     lane_mask active, lane_mask computed_lanes);

  void load(const Warp& warp, const Instruction& instruction, const PropagationRule& rule,
            lane_mask active);
  void store(const Warp& warp, const Instruction& instruction, const PropagationRule& rule,
             lane_mask active);
  void update(const Warp& warp, const Instruction& instruction, const PropagationRule& rule,
              lane_mask active);

  Block& owner_;
  std::span<const PropagationRule> rules_;
  std::size_t registers_nbytes_;  ///< of a warp
  std::vector<std::byte> registers_;
  std::vector<lane_mask> computed_;  ///< of each row: lanes whose bits an operation made undefined
  std::vector<std::byte> shared_;
  std::vector<std::byte> local_;
  alignas(64) std::array<one_row, 9> scratch_{};  ///< four results and five sources
  one_row defined_row_shadow_{};
  LaneAddresses addresses_{};
  MemoryAccess access_{};
};

}  // namespace skerry::emulation
