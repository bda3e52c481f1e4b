// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/emulator/check/shadow_entries.hpp"

namespace skerry::emulation {

/// The marks (last accesses) of a line of 32 words of memory. If consecutive lanes access the whole
/// line, as usual, one mark describes all words: the line takes 56 bytes instead of 768, which
/// would have to be initialized. Other lines have marks per word.
class MarkedLine {
 public:
  static constexpr std::size_t words = warp_size;
  static constexpr std::uint64_t nbytes = 4 * words;

  /// As MarkedWords::note.
  template <class Order, class Found>
  void note(std::size_t begin, std::size_t end, ShadowEntry now, bool writes,
            const Order& is_before, const Found& report_conflict) {
    word_marks().note(begin, end, now, writes, is_before, report_conflict);
  }

  /// As MarkedWords::note_run; `of_lane` is a power of 2.
  template <class Order>
  [[nodiscard]] bool note_run(std::size_t word, std::size_t of_lane, std::size_t lanes,
                              ShadowEntry now, bool writes, const Order& is_before) {
    if (word_marks_ == nullptr && of_lane * lanes == words) {
      const LaneMarks lane_marks{now.bits(), static_cast<std::uint8_t>(std::countr_zero(of_lane))};
      if (note_all(lane_marks, writes, is_before)) return true;
    }
    return word_marks().note_run(word, of_lane, lanes, now, writes, is_before);
  }

 private:
  /// Marks of consecutive lanes with 2^`shift` words each.
  struct LaneMarks {
    std::uint64_t first = 0;  ///< entry of the first lane; 0: no access
    std::uint8_t shift = 0;
    [[nodiscard]] ShadowEntry entry_at(std::size_t word) const noexcept {
      return ShadowEntry::of_bits(first == 0 ? 0 : first + (word >> shift));
    }
    [[nodiscard]] bool has_lanes_of(const LaneMarks& other) const noexcept {
      return shift == other.shift && entry_at(0).lane() == other.entry_at(0).lane();
    }
  };
  enum class AccessOrder : std::uint8_t { all_before, none_before, some_before };

  template <class Order>
  [[nodiscard]] static AccessOrder order_of(const LaneMarks& one, const LaneMarks& now,
                                            const Order& is_before) {
    if (one.first == 0) return AccessOrder::all_before;
    if (one.has_lanes_of(now)) {
      return is_before(one.entry_at(0), now.entry_at(0)) ? AccessOrder::all_before
                                                         : AccessOrder::none_before;
    }
    std::size_t earlier_count = 0;
    for (std::size_t k = 0; k < words; ++k)
      earlier_count += is_before(one.entry_at(k), now.entry_at(k)) ? 1 : 0;
    if (earlier_count == words) return AccessOrder::all_before;
    return earlier_count == 0 ? AccessOrder::none_before : AccessOrder::some_before;
  }

  /// Records an access to the whole line. Returns false, recording nothing, if LaneMarks cannot
  /// express it or there is a conflict.
  template <class Order>
  [[nodiscard]] bool note_all(const LaneMarks& now, bool writes, const Order& is_before) {
    const auto passes = [&](const LaneMarks& one) {
      return order_of(one, now, is_before) == AccessOrder::all_before;
    };
    if (!passes(write_)) return false;
    if (writes) {
      if (!passes(read_) || !passes(other_)) return false;
      write_ = now;
      read_ = other_ = {};
      return true;
    }
    switch (order_of(read_, now, is_before)) {
      case AccessOrder::all_before:
        read_ = now;
        return true;
      case AccessOrder::none_before:
        return note_other_read(now, is_before);
      default:
        return false;
    }
  }

  /// As MarkedWords::keep_read, for a read that is not ordered after read_.
  template <class Order>
  [[nodiscard]] bool note_other_read(const LaneMarks& now, const Order& is_before) {
    const AccessOrder order = order_of(other_, now, is_before);
    if (order == AccessOrder::some_before) return false;
    if (order == AccessOrder::all_before || read_.entry_at(0).is_of_warp(other_.entry_at(0)))
      other_ = now;
    return true;
  }

  [[nodiscard]] MarkedWords& word_marks() {
    if (word_marks_ == nullptr) {
      word_marks_ = std::make_unique<MarkedWords>(words);
      for (std::size_t k = 0; k < words; ++k) {
        word_marks_->set(k, write_.entry_at(k), read_.entry_at(k), other_.entry_at(k));
      }
    }
    return *word_marks_;
  }

  LaneMarks write_;
  LaneMarks read_;
  LaneMarks other_;  ///< reads that are not ordered with read_
  std::unique_ptr<MarkedWords> word_marks_;
};

/// The marks of 32 KiB of global memory.
struct MarkedPage {
  static constexpr std::uint64_t nbytes = 32 << 10;
  std::array<MarkedLine, nbytes / MarkedLine::nbytes> lines;
  [[nodiscard]] MarkedLine& line_of(std::uint64_t address) noexcept {
    return lines[address % nbytes / MarkedLine::nbytes];
  }
};

}  // namespace skerry::emulation
