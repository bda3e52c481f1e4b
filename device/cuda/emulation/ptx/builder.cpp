// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/builder.hpp"

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
  const auto [found, is_new] = constants_.try_emplace({nbytes, cut(nbytes, value)}, no_row);
  if (is_new) {
    rows_.push_back({RowKind::constant, nbytes});
    found->second = static_cast<row>(rows_.size() - 1);
  }
  return found->second;
}

row Builder::dynamic_shared_address(std::uint8_t nbytes, std::uint64_t offset) {
  const auto [found, is_new] = dynamic_constants_.try_emplace({nbytes, offset}, no_row);
  if (is_new) {
    rows_.push_back({RowKind::constant, nbytes});
    found->second = static_cast<row>(rows_.size() - 1);
  }
  return found->second;
}

row Builder::special(const SpecialRow& what) {
  const auto found = std::ranges::find_if(specials_, [&](const auto& one) {
    return one.second.what == what.what && one.second.index == what.index &&
           one.second.offset == what.offset;
  });
  if (found != specials_.end()) return found->first;
  rows_.push_back({RowKind::special, what.what->nbytes});
  const auto index = static_cast<row>(rows_.size() - 1);
  specials_.emplace_back(index, what);
  return index;
}

std::size_t Builder::add(const Instruction& what, const Place& where) {
  code_->code.push_back(what);
  code_->places.push_back(where);
  return size() - 1;
}

void Builder::place_constants(std::vector<row>& places) {
  const auto put = [&](const auto& one, std::uint64_t added) {
    const auto [nbytes, value] = one.first;
    const row to = static_cast<row>(take(code_->constant_nbytes, nbytes)) | constant_bank;
    places[static_cast<std::size_t>(one.second)] = to;
    code_->constants.push_back({to, nbytes, value + added});
  };
  for (const auto& one : constants_) put(one, 0);
  for (const auto& one : dynamic_constants_) put(one, code_->dynamic_shared_offset);
}

void Builder::place_specials(std::vector<row>& places) {
  for (const auto& [index, what] : specials_) {
    const bool is_shared = what.what->by == Sharing::launch;
    std::uint32_t& end = is_shared ? code_->constant_nbytes : code_->register_nbytes;
    SpecialRow placed = what;
    placed.to = static_cast<row>(take(end, what.what->nbytes)) | (is_shared ? constant_bank : 0);
    places[static_cast<std::size_t>(index)] = placed.to;
    if (what.what == &frame_address) code_->frame = placed.to;
    code_->specials.push_back(placed);
  }
}

std::unique_ptr<const Program> Builder::finish() {
  for (const std::size_t index : dynamic_addresses_) {
    code_->code[index].immediate += code_->dynamic_shared_offset;
  }
  std::vector<row> places(rows_.size(), no_row);
  place_constants(places);
  place_specials(places);
  for (const CodeRegion& region : code_->regions) {
    code_->register_nbytes = allocate_rows(*code_, region, rows_, code_->register_nbytes, places);
  }
  const auto put = [&](row& one) {
    if (one != no_row) one = places[static_cast<std::size_t>(one)];
  };
  for (Instruction& one : code_->code) {
    std::ranges::for_each(one.destination, put);
    std::ranges::for_each(one.source, put);
    put(one.guard);
    put(one.members);
  }
  return std::move(code_);
}

}  // namespace skerry::emulation::ptx
