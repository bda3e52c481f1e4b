// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/extent.hpp"

namespace skerry::emulation {

class Warp;
struct Instruction;

/// A bit for each lane of a warp.
using lane_mask = std::uint32_t;
inline constexpr int warp_size = 32;
inline constexpr lane_mask all_lanes = ~lane_mask{0};

/// Where a row of registers (one value for each lane; a predicate is one lane_mask) lies: bytes
/// from the begin of a bank, a multiple of 64, with the bank in the lowest bit. Bank 0 is the
/// warp's own, bank 1 holds what is the same for all warps of a launch. While a kernel is decoded
/// it is the number of a virtual register.
using row = std::int32_t;
inline constexpr row no_row = -1;

/// What a warp does for the lanes of `active` alone.
using handler = void (*)(Warp& warp, const Instruction& instruction, lane_mask active);

/// What the scheduler has to do with an instruction.
enum class Control : std::uint8_t {
  sequential,  ///< the handler, then the next one
  yielding,    ///< the same, but others go on first: who waits in a loop must not keep them waiting
  branch,      ///< to `target`
  table,       ///< to one of the places in Program::branch_tables[target], by source 0
  call,        ///< of a function, as Program::call_sites[target] says
  ret,         ///< a function returns to where it was called
  exit,        ///< the lanes have ended
  collective,  ///< the handler runs when all members named by a mask have come
  barrier,     ///< lanes wait for others of the block
  trap,        ///< the kernel fails
  unsupported,  ///< the kernel stops, and names it
};

/// How lanes take part in a barrier: sync and those that reduce a predicate (count, all, any) wait.
enum class BarrierKind : std::uint8_t {
  sync,
  arrive,
  count,
  all,
  any,
  cluster_arrive,
  cluster_wait,
  grid  ///< of all blocks of a cooperative launch
};

struct Instruction {
  handler execute = nullptr;
  std::int64_t immediate = 0;  ///< added to an address; without one the operation's
  std::array<row, 4> destination{no_row, no_row, no_row, no_row};
  std::array<row, 5> source{no_row, no_row, no_row, no_row, no_row};
  row guard = no_row;
  row members = no_row;  ///< of a collective
  std::uint32_t target = 0;
  Control flow = Control::sequential;
  bool is_guard_negated = false;
  BarrierKind barrier = BarrierKind::sync;
  std::uint8_t count = 1;           ///< of elements of a vector
  std::uint8_t result_nbytes = 0;   ///< of a destination's row for each lane
  std::uint8_t operand_nbytes = 0;  ///< of a source's; where it is an address, of that
  /// Bit k negates predicate source k.
  std::uint8_t negated = 0;
  bool is_uniform = false;  ///< an address that is `immediate` alone
  bool is_strong = false;   ///< volatile, relaxed, acquire, release or atomic: no race with another
};

/// Where an instruction stands in the text.
struct SourceLocation {
  std::string_view text;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

/// A value that is the same for all lanes and warps.
struct ConstantRow {
  row destination = no_row;
  std::uint8_t nbytes = 4;  ///< 0: a predicate
  std::uint64_t value = 0;
};

struct SpecialReader;

/// Who reads the same value of a special register.
enum class Sharing : std::uint8_t { launch, block, lane };

struct SpecialRegister {
  std::string_view name;  ///< in PTX, if it has one
  Sharing sharing;
  std::uint64_t (*value)(const SpecialReader& reader);
  std::uint8_t nbytes = 4;
};
extern const SpecialRegister local_address;     ///< of the lane's frame
extern const SpecialRegister frame_address;     ///< the same, of the function that it is in
extern const SpecialRegister variable_address;  ///< of one of the module's
/// Null if there is none of that name.
[[nodiscard]] const SpecialRegister* find_special_register(std::string_view name) noexcept;

/// A row that is filled when a warp starts, or a launch.
struct SpecialRow {
  row destination = no_row;
  const SpecialRegister* special_register = nullptr;
  std::uint32_t index = 0;   ///< of a variable
  std::uint64_t offset = 0;  ///< added to an address
};

/// Registers that may be read before they are written.
struct UndefinedRow {
  std::uint32_t offset = 0;
  std::uint32_t nbytes = 0;
};

/// What a function takes and returns: the sizes and alignments of its parameters, and where they
/// lie in its frame, results first.
struct CallLayout {
  std::vector<std::uint32_t> offsets;
  std::string signature;  ///< equal for functions that can be called in each other's place
  std::uint32_t nbytes = 0;
};

/// A function that is called, not decoded in the place of its call: recursive ones, and those whose
/// address is taken.
struct CalledFunction {
  std::string_view name;
  std::uint64_t address = 0;  ///< what PTX sees; nothing lies there
  std::uint32_t entry = 0;
  std::uint32_t frame_nbytes = 0;  ///< of results, parameters and variables
  CallLayout layout;
};

/// A row whose lanes a call keeps: the function may be called again before it returns, and its
/// registers have one place.
struct SavedRow {
  std::uint32_t offset = 0;
  std::uint32_t nbytes = 0;  ///< of a lane; 0: a predicate
};

struct CallSite {
  int function = -1;  ///< of Program::functions; -1: the one at the address in source 0
  std::uint32_t frame_nbytes = 0;  ///< of the caller: the callee's frame begins behind it
  std::string signature;
  std::vector<SavedRow> saved_rows;
  std::uint32_t saved_nbytes = 0;  ///< of a lane
};

/// Functions come before the kernel, so that lanes inside of one go on before those that wait for
/// them behind the call. A stretch of code shares rows with no other one.
struct CodeRegion {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// A kernel, ready to be run.
struct Program {
  std::vector<Instruction> instructions;  ///< ends with an exit
  std::vector<SourceLocation> locations;  ///< of the code, in its order
  std::vector<ConstantRow> constants;
  std::vector<SpecialRow> specials;
  std::vector<UndefinedRow> undefined_rows;  ///< of bank 0; what they hold is poison
  std::uint32_t register_nbytes = 0;         ///< of bank 0, for a warp
  std::uint32_t constant_nbytes = 0;         ///< of bank 1
  std::uint32_t static_shared_nbytes = 0;
  std::uint32_t dynamic_shared_offset = 0;
  std::uint32_t local_nbytes = 0;  ///< of a lane, without the frames of functions that it calls
  std::uint32_t local_alignment = 16;
  std::vector<CodeRegion> regions;
  std::vector<CalledFunction> functions;
  std::vector<CallSite> call_sites;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::uint32_t entry = 0;            ///< of the kernel
  std::uint32_t argument_nbytes = 0;  ///< of any call, at most
  row frame = no_row;  ///< where the frame of each lane's function is; none if no calls
  std::uint32_t parameter_nbytes = 0;
  std::uint32_t max_threads = 0;  ///< 0: any
  Extent cluster{0, 0, 0};        ///< that it has to be launched with; 0: any
};

}  // namespace skerry::emulation
