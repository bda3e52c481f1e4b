// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace skerry::emulation::ptx {
namespace {

constexpr std::uint32_t row_alignment = 64;

using bit_set = std::vector<std::uint64_t>;

[[nodiscard]] bool contains(const bit_set& set, std::size_t index) {
  return (set[index / 64] >> (index % 64) & 1) != 0;
}
void insert(bit_set& set, std::size_t index) {
  set[index / 64] |= std::uint64_t{1} << (index % 64);
}

struct BasicBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::size_t> next{};
  bit_set read_first{};  ///< registers that are read before they are written
  bit_set written{};     ///< in all lanes
  bit_set live_in{};
  bit_set live_out{};
};

/// The range of instructions in which a register is live.
struct Interval {
  std::size_t begin = ~std::size_t{0};
  std::size_t end = 0;
  std::size_t index = 0;

  void include(std::size_t position) {
    begin = std::min(begin, position);
    end = std::max(end, position);
  }
};

class Liveness {
 public:
  Liveness(const Program& in, const CodeRegion& region, std::span<const VirtualRow> rows)
      : code_(std::span(in.instructions).subspan(region.begin, region.end - region.begin)),
        tables_(in.branch_tables),
        begin_(region.begin),
        rows_(rows),
        words_((rows.size() + 63) / 64) {
    split();
    for (BasicBlock& one : basic_blocks_) summarize(one);
    propagate();
  }

  [[nodiscard]] std::vector<Interval> intervals() const {
    std::vector<Interval> live_intervals(rows_.size());
    for (std::size_t k = 0; k < live_intervals.size(); ++k) live_intervals[k].index = k;
    for (const BasicBlock& one : basic_blocks_) cover(one, live_intervals);
    return live_intervals;
  }
  [[nodiscard]] bool is_undefined_at_start(std::size_t index) const {
    return contains(basic_blocks_.front().live_in, index);
  }
  /// Calls `function` with each call and each register that is live after it.
  template <class Function>
  void for_live_at_calls(Function&& function) const {
    for (const BasicBlock& one : basic_blocks_) {
      const Instruction& last = code_[one.end - 1];
      if (last.flow != Control::call) continue;
      for (std::size_t index = 0; index < rows_.size(); ++index) {
        if (contains(one.live_out, index)) function(last, index);
      }
    }
  }

 private:
  [[nodiscard]] bool is_register(row virtual_row) const {
    return virtual_row != no_row &&
           rows_[static_cast<std::size_t>(virtual_row)].kind == RowKind::registers;
  }
  template <class Function>
  void for_read(const Instruction& instruction, Function&& function) const {
    for (const row one : instruction.source) {
      if (is_register(one)) function(static_cast<std::size_t>(one));
    }
    if (is_register(instruction.guard)) function(static_cast<std::size_t>(instruction.guard));
    if (is_register(instruction.members)) function(static_cast<std::size_t>(instruction.members));
  }
  template <class Function>
  void for_written(const Instruction& instruction, Function&& function) const {
    for (const row one : instruction.destination) {
      if (is_register(one)) function(static_cast<std::size_t>(one));
    }
  }

  /// Calls `function` with each target of a branch.
  template <class Function>
  void for_targets(const Instruction& instruction, Function&& function) const {
    if (instruction.flow == Control::branch) function(std::size_t{instruction.target} - begin_);
    if (instruction.flow != Control::table) return;
    for (const std::uint32_t target : tables_[instruction.target])
      function(std::size_t{target} - begin_);
  }
  [[nodiscard]] static bool ends_basic_block(Control flow) {
    return flow == Control::branch || flow == Control::table || flow == Control::call ||
           flow == Control::exit || flow == Control::ret;
  }

  void split() {
    std::vector<bool> begins(code_.size() + 1);
    begins[0] = true;
    for (std::size_t k = 0; k < code_.size(); ++k) {
      for_targets(code_[k], [&](std::size_t target) { begins[target] = true; });
      if (ends_basic_block(code_[k].flow)) begins[k + 1] = true;
    }
    std::vector<std::size_t> block_indices(code_.size() + 1);
    for (std::size_t k = 0; k < code_.size(); ++k) {
      if (begins[k]) basic_blocks_.push_back({.begin = k});
      basic_blocks_.back().end = k + 1;
      block_indices[k] = basic_blocks_.size() - 1;
    }
    for (BasicBlock& one : basic_blocks_) {
      const Instruction& last = code_[one.end - 1];
      const bool always = last.guard == no_row;
      for_targets(last, [&](std::size_t target) { one.next.push_back(block_indices[target]); });
      const bool ends = ends_basic_block(last.flow) && last.flow != Control::call && always;
      if (!ends && one.end < code_.size()) one.next.push_back(block_indices[one.end]);
    }
  }

  void summarize(BasicBlock& one) const {
    one.read_first.resize(words_);
    one.written.resize(words_);
    one.live_in.resize(words_);
    one.live_out.resize(words_);
    for (std::size_t k = one.begin; k < one.end; ++k) {
      for_read(code_[k], [&](std::size_t index) {
        if (!contains(one.written, index)) insert(one.read_first, index);
      });
      // With a guard, the other lanes keep their values.
      if (code_[k].guard == no_row) {
        for_written(code_[k], [&](std::size_t index) { insert(one.written, index); });
      }
    }
    one.live_in = one.read_first;
  }

  void propagate() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = basic_blocks_.size(); k-- > 0;) {
        BasicBlock& one = basic_blocks_[k];
        for (std::size_t word = 0; word < words_; ++word) {
          std::uint64_t out = 0;
          for (const std::size_t next : one.next) out |= basic_blocks_[next].live_in[word];
          const std::uint64_t in = one.read_first[word] | (out & ~one.written[word]);
          changed = changed || in != one.live_in[word];
          one.live_out[word] = out;
          one.live_in[word] = in;
        }
      }
    }
  }

  static void include_all(const bit_set& set, std::size_t position,
                          std::vector<Interval>& live_intervals) {
    for (std::size_t word = 0; word < set.size(); ++word) {
      for (std::uint64_t left = set[word]; left != 0; left &= left - 1) {
        live_intervals[word * 64 + static_cast<std::size_t>(std::countr_zero(left))].include(
            position);
      }
    }
  }

  void cover(const BasicBlock& one, std::vector<Interval>& live_intervals) const {
    include_all(one.live_in, one.begin, live_intervals);
    include_all(one.live_out, one.end, live_intervals);
    for (std::size_t k = one.begin; k < one.end; ++k) {
      for_read(code_[k], [&](std::size_t index) { live_intervals[index].include(k); });
      // At least to the next instruction: the results of one instruction need different rows even
      // if they are never read.
      for_written(code_[k], [&](std::size_t index) {
        live_intervals[index].include(k);
        live_intervals[index].include(k + 1);
      });
    }
  }

  std::span<const Instruction> code_;
  std::span<const std::vector<std::uint32_t>> tables_;
  std::size_t begin_;
  std::span<const VirtualRow> rows_;
  std::size_t words_;
  std::vector<BasicBlock> basic_blocks_;
};

/// Rows of one size, for reuse after their interval.
class RowPool {
 public:
  [[nodiscard]] std::uint32_t take(std::uint32_t nbytes, std::uint32_t& end) {
    if (!free_.empty()) {
      const std::uint32_t offset = free_.back();
      free_.pop_back();
      return offset;
    }
    const std::uint32_t offset = end;
    end += (nbytes + row_alignment - 1) / row_alignment * row_alignment;
    return offset;
  }
  void give_back(std::uint32_t offset) { free_.push_back(offset); }

 private:
  std::vector<std::uint32_t> free_;
};

[[nodiscard]] std::uint32_t size_of_row(const VirtualRow& virtual_row) {
  return virtual_row.nbytes == 0 ? std::uint32_t{sizeof(lane_mask)}
                                 : std::uint32_t{virtual_row.nbytes} * warp_size;
}

}  // namespace

std::uint32_t allocate_rows(Program& in, const CodeRegion& region, std::span<const VirtualRow> rows,
                            std::uint32_t begin, std::vector<row>& physical_rows) {
  const Liveness live(in, region, rows);
  const std::size_t length = region.end - region.begin;
  std::vector<Interval> intervals = live.intervals();
  std::erase_if(intervals, [&](const Interval& one) {
    return rows[one.index].kind != RowKind::registers || one.begin > length;
  });
  std::ranges::sort(intervals, {},
                    [](const Interval& one) { return std::pair(one.begin, one.index); });
  std::array<RowPool, 17> pools;
  std::vector<Interval> used;  // a heap: the interval that ends first is on top
  const auto ends_later = [](const Interval& a, const Interval& b) { return a.end > b.end; };
  std::uint32_t end = begin;
  for (const Interval& one : intervals) {
    // An instruction's result may reuse the row of an operand whose interval ends there: handlers
    // read a lane's operands before they write its result.
    while (!used.empty() && used.front().end <= one.begin) {
      std::ranges::pop_heap(used, ends_later);
      const std::size_t index = used.back().index;
      pools[rows[index].nbytes].give_back(static_cast<std::uint32_t>(physical_rows[index]));
      used.pop_back();
    }
    const std::uint32_t nbytes = size_of_row(rows[one.index]);
    const std::uint32_t offset = pools[rows[one.index].nbytes].take(nbytes, end);
    physical_rows[one.index] = static_cast<row>(offset);
    if (live.is_undefined_at_start(one.index)) in.undefined_rows.push_back({offset, nbytes});
    used.push_back(one);
    std::ranges::push_heap(used, ends_later);
  }
  live.for_live_at_calls([&](const Instruction& call, std::size_t index) {
    CallSite& site = in.call_sites[call.target];
    site.saved_rows.push_back(
        {static_cast<std::uint32_t>(physical_rows[index]), rows[index].nbytes});
    site.saved_nbytes += std::max(1U, std::uint32_t{rows[index].nbytes});
  });
  return end;
}

}  // namespace skerry::emulation::ptx
