// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/emulator/execute/program.hpp"

namespace skerry::emulation::ptx {

/// Kinds of virtual rows.
enum class RowKind : std::uint8_t { registers, constant, special };

struct VirtualRow {
  RowKind kind = RowKind::registers;
  std::uint8_t nbytes = 4;  ///< per lane; 0: a predicate
};

/// Allocates rows for the registers of a region. Registers with disjoint live ranges share a row: a
/// sorting kernel has thousands of virtual registers, whose rows would not fit a cache. Lanes may
/// be at different instructions, but each has its own element of every row, so liveness per thread
/// is sufficient. Rows are allocated from `begin`; the result is their end. Appends registers that
/// may be read before they are written to `undefined_rows`, and registers that are live across a
/// call to its CallSite.
[[nodiscard]] std::uint32_t allocate_rows(Program& in, const CodeRegion& region,
                                          std::span<const VirtualRow> rows, std::uint32_t begin,
                                          std::vector<row>& physical_rows);

/// Collects instructions with numbered virtual rows, and allocates the rows at the end.
class Builder {
 public:
  [[nodiscard]] row new_register(std::uint8_t nbytes);
  [[nodiscard]] row constant(std::uint8_t nbytes, std::uint64_t value);
  /// Returns a constant to which finish() adds the offset of dynamic shared memory.
  [[nodiscard]] row dynamic_shared_address(std::uint8_t nbytes, std::uint64_t offset);
  [[nodiscard]] row special(const SpecialRow& special_row);
  [[nodiscard]] std::uint8_t nbytes_of(row virtual_row) const {
    return rows_[static_cast<std::size_t>(virtual_row)].nbytes;
  }

  std::size_t add(const Instruction& instruction, const SourceLocation& location);
  [[nodiscard]] std::size_t size() const noexcept { return program_->instructions.size(); }
  [[nodiscard]] Instruction& instruction_at(std::size_t index) {
    return program_->instructions[index];
  }
  /// Makes finish() add the offset of dynamic shared memory to the last instruction's address.
  void add_dynamic_shared_offset_to_last() { dynamic_addresses_.push_back(size() - 1); }

  [[nodiscard]] Program& code() noexcept { return *program_; }
  /// Allocates the rows and returns the program. All targets must be resolved.
  [[nodiscard]] std::unique_ptr<const Program> finish();

 private:
  void allocate_constants(std::vector<row>& physical_rows);
  void allocate_specials(std::vector<row>& physical_rows);

  std::unique_ptr<Program> program_ = std::make_unique<Program>();
  std::vector<VirtualRow> rows_;
  std::map<std::pair<std::uint8_t, std::uint64_t>, row> constants_;
  std::map<std::pair<std::uint8_t, std::uint64_t>, row> dynamic_constants_;
  std::vector<std::pair<row, SpecialRow>> specials_;
  std::vector<std::size_t> dynamic_addresses_;
};

}  // namespace skerry::emulation::ptx
