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

/// One bit per lane of a warp.
using lane_mask = std::uint32_t;
inline constexpr int warp_size = 32;
inline constexpr lane_mask all_lanes = ~lane_mask{0};

/// Position of a row of registers: one value per lane, or one lane_mask for a predicate. It is a
/// byte offset into a bank, a multiple of 64, with the number of the bank in the lowest bit. Bank 0
/// belongs to the warp; bank 1 holds values that are the same for all warps of a launch. During
/// decoding it is the number of a virtual register instead.
using row = std::int32_t;
inline constexpr row no_row = -1;

/// Executes an instruction for the lanes of `active`.
using handler = void (*)(Warp& warp, const Instruction& instruction, lane_mask active);

/// How the scheduler treats an instruction.
enum class Control : std::uint8_t {
  sequential,  ///< runs the handler and continues with the next instruction
  yielding,    ///< as sequential, but lets other lanes and warps run, which spinning lanes wait for
  branch,      ///< jumps to `target`
  table,       ///< jumps to Program::branch_tables[target][source 0]
  call,        ///< calls a function: Program::call_sites[target]
  ret,         ///< returns from a called function
  exit,        ///< ends the lanes
  collective,  ///< runs the handler once all lanes of the member mask have arrived
  barrier,     ///< arrives at a barrier of the block, the cluster or the grid
  trap,        ///< fails the kernel
  unsupported,  ///< fails the kernel and names the instruction
};

/// How lanes take part in a barrier. `sync` and the reductions of a predicate (`count`, `all`,
/// `any`) wait.
enum class BarrierKind : std::uint8_t {
  sync,
  arrive,
  count,
  all,
  any,
  cluster_arrive,
  cluster_wait,
  grid  ///< waits for all blocks of a cooperative launch
};

struct Instruction {
  handler execute = nullptr;
  std::int64_t immediate = 0;  ///< offset of an address, or else Operation::immediate
  std::array<row, 4> destination{no_row, no_row, no_row, no_row};
  std::array<row, 5> source{no_row, no_row, no_row, no_row, no_row};
  row guard = no_row;
  row members = no_row;  ///< member mask of a collective
  std::uint32_t target = 0;
  Control flow = Control::sequential;
  bool is_guard_negated = false;
  BarrierKind barrier = BarrierKind::sync;
  std::uint8_t count = 1;           ///< elements of a vector, or bytes that cp.async writes
  std::uint8_t result_nbytes = 0;   ///< bytes per lane of a destination row
  std::uint8_t operand_nbytes = 0;  ///< bytes per lane of a source row, or of the address
  /// Bit k negates source k, a predicate.
  std::uint8_t negated = 0;
  bool is_uniform = false;  ///< the address is `immediate` alone
  bool is_strong = false;   ///< volatile, relaxed, acquire, release or atomic: no race
};

/// Text of an instruction, and the source line from the module's line information.
struct SourceLocation {
  std::string_view text;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

/// A row of bank 1 with the same value in all lanes.
struct ConstantRow {
  row destination = no_row;
  std::uint8_t nbytes = 4;  ///< per lane; 0: a predicate
  std::uint64_t value = 0;
};

struct SpecialReader;

/// Which lanes read the same value of a special register.
enum class Sharing : std::uint8_t { launch, block, lane };

struct SpecialRegister {
  std::string_view name;  ///< in PTX; empty if it has none
  Sharing sharing;
  std::uint64_t (*value)(const SpecialReader& reader);
  std::uint8_t nbytes = 4;
};
extern const SpecialRegister local_address;     ///< of the lane's frame in local memory
extern const SpecialRegister frame_address;     ///< of the current function's frame
extern const SpecialRegister variable_address;  ///< of a variable of the module
/// Returns null if PTX has no special register of that name.
[[nodiscard]] const SpecialRegister* find_special_register(std::string_view name) noexcept;

/// A row that is filled with the values of a special register when a launch or a block starts.
struct SpecialRow {
  row destination = no_row;
  const SpecialRegister* special_register = nullptr;
  std::uint32_t index = 0;   ///< of the variable, for variable_address
  std::uint64_t offset = 0;  ///< added to an address
};

/// Range of bank 0 whose registers may be read before they are written.
struct UndefinedRow {
  std::uint32_t offset = 0;
  std::uint32_t nbytes = 0;
};

/// Layout of a function's results and parameters in its frame, results first.
struct CallLayout {
  std::vector<std::uint32_t> offsets;
  std::string
      signature;  ///< sizes of results and parameters, which a call through an address checks
  std::uint32_t nbytes = 0;
};

/// A function that is called rather than inlined by the decoder: see ptx::CallGraph.
struct CalledFunction {
  std::string_view name;
  std::uint64_t address = 0;  ///< its value in PTX; no memory is mapped there
  std::uint32_t entry = 0;
  std::uint32_t frame_nbytes = 0;  ///< for results, parameters and variables
  CallLayout layout;
};

/// A row that a call saves and restores: each register has one row, which a recursive call
/// overwrites.
struct SavedRow {
  std::uint32_t offset = 0;
  std::uint32_t nbytes = 0;  ///< per lane; 0: a predicate
};

struct CallSite {
  int function = -1;               ///< index in Program::functions; -1: at the address in source 0
  std::uint32_t frame_nbytes = 0;  ///< of the caller; the callee's frame follows it
  std::string signature;
  std::vector<SavedRow> saved_rows;
  std::uint32_t saved_nbytes = 0;  ///< per lane
};

/// The instructions of one function or of the kernel. Functions precede the kernel, so that lanes
/// in a function run before lanes that wait for them after the call. Regions share no register
/// rows.
struct CodeRegion {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// A decoded kernel.
struct Program {
  std::vector<Instruction> instructions;  ///< the last one is an exit
  std::vector<SourceLocation> locations;  ///< one per instruction
  std::vector<ConstantRow> constants;
  std::vector<SpecialRow> specials;
  std::vector<UndefinedRow> undefined_rows;  ///< of bank 0; filled with poison when a block starts
  std::uint32_t register_nbytes = 0;         ///< of bank 0, per warp
  std::uint32_t constant_nbytes = 0;         ///< of bank 1, per launch
  std::uint32_t static_shared_nbytes = 0;
  std::uint32_t dynamic_shared_offset = 0;
  std::uint32_t local_nbytes = 0;  ///< per lane, without the frames of called functions
  std::uint32_t local_alignment = 16;
  std::vector<CodeRegion> regions;
  std::vector<CalledFunction> functions;
  std::vector<CallSite> call_sites;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::uint32_t entry = 0;            ///< of the kernel: its first instruction
  std::uint32_t argument_nbytes = 0;  ///< of results and parameters, maximum over all calls
  row frame = no_row;  ///< each lane's current frame address; no_row if nothing is called
  std::uint32_t parameter_nbytes = 0;
  std::uint32_t max_threads = 0;  ///< 0: any
  Extent cluster{0, 0, 0};        ///< required by .reqnctapercluster; 0: any
};

}  // namespace skerry::emulation
