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

/// What a virtual row is.
enum class RowKind : std::uint8_t { registers, constant, special };

struct VirtualRow {
  RowKind kind = RowKind::registers;
  std::uint8_t nbytes = 4;  ///< of a lane; 0: a predicate
};

/// Gives registers whose values are needed at different times the same row: a sort has thousands of
/// virtual ones, and their rows would not fit into a cache. Lanes may be anywhere in the code, but
/// each has a place of its own in every row, so that what holds for one thread holds for all.
/// Writes their places from `begin` on, notes in `undefined_rows` which may be read before they are
/// written, and returns where the rows end.
/// Also notes, at each call, the registers that are needed behind it.
[[nodiscard]] std::uint32_t allocate_rows(Program& in, const CodeRegion& region,
                                          std::span<const VirtualRow> rows, std::uint32_t begin,
                                          std::vector<row>& physical_rows);

/// Collects instructions over virtual rows, numbered as they come, and gives them places at the
/// end.
class Builder {
 public:
  [[nodiscard]] row new_register(std::uint8_t nbytes);
  [[nodiscard]] row constant(std::uint8_t nbytes, std::uint64_t value);
  /// A constant to which the offset of dynamic shared memory is added at the end.
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
  /// The instruction added last adds the offset of dynamic shared memory to its address.
  void add_dynamic_shared_offset_to_last() { dynamic_addresses_.push_back(size() - 1); }

  [[nodiscard]] Program& code() noexcept { return *program_; }
  /// All targets are known.
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
