// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/emulator/check/propagation_rules.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// Detects uses of undefined values: in control flow, in an address, in the guard of a memory
/// access, as an operand of an atomic operation or a barrier, as the member mask of a collective,
/// or in the computation of a result in global memory. Every bit of a block's registers and memory
/// has a shadow bit, 1 if undefined; the shadow of global memory is MemoryMap::undefined_bits.
/// Moving a value, in units of any size, is not a use: structs may be copied with their padding.
class UndefinedValues {
 public:
  explicit UndefinedValues(Block& block);

  /// Starts the next block.
  void start();
  /// Executes a sequential instruction of an InstrumentedProgram for the lanes that reach it.
  void run(Warp& warp, const Instruction& instruction, lane_mask lanes);
  /// Executes a collective for its members.
  void run_collective(Warp& warp, const Instruction& instruction, lane_mask members);
  /// Checks any other instruction: its guard and its operands must be defined.
  void check_control(Warp& warp, const Instruction& instruction, lane_mask lanes);
  /// Records the addresses of the running instruction.
  void note(const LaneAddresses& addresses, MemoryAccess access) {
    addresses_ = addresses;
    access_ = access;
  }
  /// Copies the shadow of bytes that are copied; note_fill() marks bytes as defined.
  void note_copy(const std::byte* destination, const std::byte* source, std::uint32_t nbytes);
  void note_fill(const std::byte* destination, std::uint32_t nbytes);
  /// Marks bytes as undefined.
  void mark_undefined(const std::byte* destination, std::uint32_t nbytes);
  // Push the shadows of a lane's saved rows to `stack`, and pop them.
  void save(const Warp& warp, std::span<const SavedRow> rows, int lane,
            std::vector<std::byte>& stack);
  void restore(const Warp& warp, std::span<const SavedRow> rows, int lane,
               std::vector<std::byte>& stack);

 private:
  static constexpr std::size_t row_nbytes = std::size_t{16} * warp_size;
  using one_row = std::array<std::byte, row_nbytes>;

  [[nodiscard]] const PropagationRule& rule_of(const Instruction& instruction) const;
  /// Returns a row's shadow. Rows of bank 1, the constants, share one without undefined bits.
  [[nodiscard]] std::byte* row_shadow(const Warp& warp, row register_row) noexcept;
  [[nodiscard]] lane_mask& predicate_shadow(const Warp& warp, row predicate) noexcept;
  [[nodiscard]] lane_mask& computed(const Warp& warp, row register_row) noexcept;
  /// False if all lanes of a row are defined and none is computed from undefined values.
  [[nodiscard]] bool& may_be_undefined(const Warp& warp, std::uint32_t register_row) noexcept;
  /// True if no row that an instruction reads or writes may be undefined.
  [[nodiscard]] bool are_defined(const Warp& warp, const PropagationRule& rule) noexcept;
  /// Executes an instruction whose rows are defined. False if its result may not be.
  [[nodiscard]] bool run_defined(Warp& warp, const Instruction& instruction,
                                 const PropagationRule& rule, lane_mask active);
  [[nodiscard]] std::uint64_t lane_shadow(const Warp& warp, row register_row, std::size_t nbytes,
                                          int lane);
  [[nodiscard]] lane_mask undefined_lanes(const Warp& warp, row register_row, std::uint8_t nbytes,
                                          lane_mask lanes);
  [[nodiscard]] lane_mask undefined_sources(const Warp& warp, const Instruction& instruction,
                                            const PropagationRule& rule, lane_mask lanes,
                                            std::uint32_t sources);
  [[nodiscard]] std::byte* memory_shadow(const std::byte* pointer) noexcept;
  /// True if both addresses are of parameters, which are defined.
  [[nodiscard]] bool are_parameters(std::uint64_t first, std::uint64_t last) const noexcept;
  /// Returns the distance from addresses between both to their shadow; nullopt if it differs or
  /// there is none.
  [[nodiscard]] std::optional<std::ptrdiff_t> shadow_distance(std::uint64_t first_address,
                                                              std::uint64_t last_address) noexcept;
  /// True if all bytes that the running instruction accesses are defined.
  [[nodiscard]] bool is_accessed_memory_defined(lane_mask active) noexcept;
  /// Marks the bytes that the running instruction accesses as defined.
  void define_accessed_memory(lane_mask active) noexcept;

  // An origin is the address in global memory that the undefined bits of a lane of a row were
  // loaded from; 0 if unknown.
  [[nodiscard]] std::uint64_t origin_key(const Warp& warp, row register_row, int lane) noexcept;
  [[nodiscard]] std::uint64_t origin_of(const Warp& warp, row register_row, int lane);
  [[nodiscard]] std::uint64_t origin_of_sources(const Warp& warp, const Instruction& instruction,
                                                const PropagationRule& rule, int lane);
  void set_origins(const Warp& warp, const Instruction& instruction, int lane,
                   std::uint64_t address);
  /// Returns the address that a lane accesses if that is in tracked global memory, else 0.
  [[nodiscard]] std::uint64_t global_address(int lane) const;
  /// Reports a use of a value that is undefined in `lanes`; `origin` is that of the first of them.
  void report(const Warp& warp, const Instruction& instruction, lane_mask lanes,
              std::uint64_t origin, const char* use);

  void check_operands(const Warp& warp, const Instruction& instruction, const PropagationRule& rule,
                      lane_mask active);
  // set_result_shadows() and derive_*() write the shadows of the results to scratch_, and
  // write_results() copies them to the shadows of the registers.
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
  std::size_t registers_nbytes_;  ///< per warp
  std::vector<std::byte> registers_;
  std::vector<lane_mask> computed_;  ///< per row: undefined lanes that were computed, not moved
  std::unique_ptr<bool[]> may_be_undefined_;  ///< per row
  bool has_undefined_rows_ = true;            ///< some row has not been defined since start()
  /// Of undefined values only, by origin_key(): most programs have none.
  std::unordered_map<std::uint64_t, std::uint64_t> origins_;
  std::vector<std::byte> shared_;
  std::vector<std::byte> local_;
  alignas(64) std::array<one_row, 9> scratch_{};  ///< four results, five sources
  one_row defined_row_shadow_{};
  LaneAddresses addresses_{};
  MemoryAccess access_{};
};

}  // namespace skerry::emulation
