// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/builder.hpp"

#include <algorithm>

namespace skerry::emulation::ptx {
namespace {

constexpr std::uint32_t row_alignment = 64;
constexpr row constant_bank = 1;

[[nodiscard]] std::uint32_t take(std::uint32_t& end, std::uint8_t nbytes) {
  const std::uint32_t offset = end;
  const std::uint32_t size =
      nbytes == 0 ? std::uint32_t{sizeof(lane_mask)} : std::uint32_t{nbytes} * warp_size;
  end += (size + row_alignment - 1) / row_alignment * row_alignment;
  return offset;
}

[[nodiscard]] std::uint64_t cut(std::uint8_t nbytes, std::uint64_t value) {
  return nbytes == 0 ? value != 0 : nbytes >= 8 ? value : value & ((1ULL << (8 * nbytes)) - 1);
}

}  // namespace

row Builder::new_register(std::uint8_t nbytes) {
  rows_.push_back({RowKind::registers, nbytes});
  return static_cast<row>(rows_.size() - 1);
}

row Builder::constant(std::uint8_t nbytes, std::uint64_t value) {
  const auto [entry, is_new] = constants_.try_emplace({nbytes, cut(nbytes, value)}, no_row);
  if (is_new) {
    rows_.push_back({RowKind::constant, nbytes});
    entry->second = static_cast<row>(rows_.size() - 1);
  }
  return entry->second;
}

row Builder::dynamic_shared_address(std::uint8_t nbytes, std::uint64_t offset) {
  const auto [entry, is_new] = dynamic_constants_.try_emplace({nbytes, offset}, no_row);
  if (is_new) {
    rows_.push_back({RowKind::constant, nbytes});
    entry->second = static_cast<row>(rows_.size() - 1);
  }
  return entry->second;
}

row Builder::special(const SpecialRow& special_row) {
  const auto entry = std::ranges::find_if(specials_, [&](const auto& one) {
    return one.second.special_register == special_row.special_register &&
           one.second.index == special_row.index && one.second.offset == special_row.offset;
  });
  if (entry != specials_.end()) return entry->first;
  rows_.push_back({RowKind::special, special_row.special_register->nbytes});
  const auto index = static_cast<row>(rows_.size() - 1);
  specials_.emplace_back(index, special_row);
  return index;
}

std::size_t Builder::add(const Instruction& instruction, const SourceLocation& location) {
  program_->instructions.push_back(instruction);
  program_->locations.push_back(location);
  return size() - 1;
}

void Builder::allocate_constants(std::vector<row>& physical_rows) {
  const auto put = [&](const auto& one, std::uint64_t added) {
    const auto [nbytes, value] = one.first;
    const row physical_row =
        static_cast<row>(take(program_->constant_nbytes, nbytes)) | constant_bank;
    physical_rows[static_cast<std::size_t>(one.second)] = physical_row;
    program_->constants.push_back({physical_row, nbytes, value + added});
  };
  for (const auto& one : constants_) put(one, 0);
  for (const auto& one : dynamic_constants_) put(one, program_->dynamic_shared_offset);
}

void Builder::allocate_specials(std::vector<row>& physical_rows) {
  for (const auto& [index, special_row] : specials_) {
    const bool is_shared = special_row.special_register->sharing == Sharing::launch;
    std::uint32_t& end = is_shared ? program_->constant_nbytes : program_->register_nbytes;
    SpecialRow placed = special_row;
    placed.destination = static_cast<row>(take(end, special_row.special_register->nbytes)) |
                         (is_shared ? constant_bank : 0);
    physical_rows[static_cast<std::size_t>(index)] = placed.destination;
    if (special_row.special_register == &frame_address) program_->frame = placed.destination;
    program_->specials.push_back(placed);
  }
}

std::unique_ptr<const Program> Builder::finish() {
  for (const std::size_t index : dynamic_addresses_) {
    program_->instructions[index].immediate += program_->dynamic_shared_offset;
  }
  std::vector<row> physical_rows(rows_.size(), no_row);
  allocate_constants(physical_rows);
  allocate_specials(physical_rows);
  for (const CodeRegion& region : program_->regions) {
    program_->register_nbytes =
        allocate_rows(*program_, region, rows_, program_->register_nbytes, physical_rows);
  }
  const auto put = [&](row& one) {
    if (one != no_row) one = physical_rows[static_cast<std::size_t>(one)];
  };
  for (Instruction& one : program_->instructions) {
    std::ranges::for_each(one.destination, put);
    std::ranges::for_each(one.source, put);
    put(one.guard);
    put(one.members);
  }
  return std::move(program_);
}

}  // namespace skerry::emulation::ptx
