// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device/emulator/execute/program.hpp"

namespace skerry::emulation {

/// An access to memory, packed into 64 bits: time, instruction, block and thread. The index of the
/// thread in its block is in the lowest bits, so the entries of a warp's lanes are consecutive
/// numbers. 0: no access.
class ShadowEntry {
 public:
  static constexpr int thread_bits = 10;  // at most 1,024 threads per block
  static constexpr int block_bits = 12;
  static constexpr int pc_bits = 18;
  static constexpr int time_bits = 24;
  /// The largest time; accesses after it are not checked.
  static constexpr std::uint32_t last_time = (std::uint32_t{1} << time_bits) - 1;

  constexpr ShadowEntry() = default;
  ShadowEntry(std::uint32_t time, std::uint32_t pc, std::uint32_t block, std::uint32_t thread)
      : bits_(std::uint64_t{time} << (thread_bits + block_bits + pc_bits) |
              std::uint64_t{std::min(pc, (std::uint32_t{1} << pc_bits) - 1)}
                  << (thread_bits + block_bits) |
              std::uint64_t{block} << thread_bits | thread) {}
  [[nodiscard]] static ShadowEntry of_bits(std::uint64_t bits) noexcept {
    ShadowEntry result;
    result.bits_ = bits;
    return result;
  }

  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] bool is_none() const noexcept { return bits_ == 0; }
  [[nodiscard]] std::uint32_t time() const noexcept { return field(64 - time_bits, time_bits); }
  [[nodiscard]] std::uint32_t pc() const noexcept {
    return field(thread_bits + block_bits, pc_bits);
  }
  [[nodiscard]] std::uint32_t block() const noexcept { return field(thread_bits, block_bits); }
  [[nodiscard]] std::uint32_t thread() const noexcept { return field(0, thread_bits); }
  [[nodiscard]] std::uint32_t warp() const noexcept { return thread() / warp_size; }
  [[nodiscard]] std::uint32_t lane() const noexcept { return thread() % warp_size; }
  /// True if the other entry is of the same warp of the same block.
  [[nodiscard]] bool is_of_warp(ShadowEntry other) const noexcept {
    constexpr std::uint64_t warps = (std::uint64_t{1} << (thread_bits + block_bits)) - warp_size;
    return ((bits_ ^ other.bits_) & warps) == 0;
  }
  /// Returns the entry of the lane that is `lane` lanes after this one.
  [[nodiscard]] ShadowEntry of_lane(std::uint64_t lane) const noexcept {
    return of_bits(bits_ + lane);
  }

 private:
  [[nodiscard]] std::uint32_t field(int begin, int count) const noexcept {
    return static_cast<std::uint32_t>(bits_ >> begin) & ((std::uint32_t{1} << count) - 1);
  }
  std::uint64_t bits_ = 0;
};

/// Logical clock of a block, which orders its threads' accesses by their barriers.
class BlockClock {
 public:
  explicit BlockClock(std::size_t warps) : warps_(warps) {}

  [[nodiscard]] std::uint32_t time() const noexcept { return time_; }
  /// A bound for entries: those with smaller bits are accesses before the last barrier of the
  /// block.
  [[nodiscard]] std::uint64_t phase_bits() const noexcept {
    return std::uint64_t{phase_} << (64 - ShadowEntry::time_bits);
  }
  /// False once the time no longer fits an entry.
  [[nodiscard]] bool is_right() const noexcept { return time_ < ShadowEntry::last_time; }
  void tick() noexcept {
    if (is_right()) ++time_;
  }
  void synchronize() noexcept {
    tick();
    phase_ = time_;
  }
  void synchronize_warp(std::uint32_t warp) noexcept {
    tick();
    warps_[warp] = time_;
  }
  /// True if access `one` of the block is ordered before access `now`.
  [[nodiscard]] bool is_before(ShadowEntry one, ShadowEntry now) const noexcept {
    if (one.time() < phase_ || one.thread() == now.thread()) return true;
    return one.warp() == now.warp() && one.time() < warps_[now.warp()];
  }

 private:
  std::uint32_t time_ = 1;
  std::uint32_t phase_ = 1;
  std::vector<std::uint32_t> warps_;
};

/// The last accesses of each word (its marks): the last write, and up to two unordered reads since.
/// A word that was accessed by bytes has marks for each byte.
class MarkedWords {
 public:
  explicit MarkedWords(std::size_t words)
      : count_(words), marks_(std::make_unique<std::uint64_t[]>(3 * words)) {}

  /// Sets the marks of a word that has not been accessed yet.
  void set(std::size_t word, ShadowEntry write, ShadowEntry read, ShadowEntry other) noexcept {
    marks_[word] = write.bits();
    marks_[count_ + word] = read.bits();
    marks_[2 * count_ + word] = other.bits();
  }

  /// Records an access to bytes [begin, end). `is_before(one, now)` returns whether the earlier
  /// access `one` is ordered before this one. If it is not and either of them writes,
  /// `report_conflict(one, is_write, byte)` is called.
  template <class Order, class Found>
  void note(std::size_t begin, std::size_t end, ShadowEntry now, bool writes,
            const Order& is_before, const Found& report_conflict) {
    for (std::size_t position = begin; position < end;) {
      const std::size_t word = position / 4;
      const std::size_t last = std::min(end, word * 4 + 4);
      const auto report_at_position = [&](ShadowEntry one, bool is_write) {
        report_conflict(one, is_write, position);
      };
      std::uint64_t* const first = &marks_[word];
      if (last - position == 4 && *first != parted) {
        note_marks({first, first + count_, first + 2 * count_}, now, writes, is_before,
                   report_at_position);
      } else {
        note_bytes(word, position % 4, last - word * 4, now, writes, is_before, report_conflict);
      }
      position = last;
    }
  }

  /// Fast path: records a read of a whole word. Marks below `phase_bits` are ordered before it.
  /// Returns false, recording nothing, if note() is needed.
  template <class Order>
  [[nodiscard]] bool note_read(std::size_t word, ShadowEntry now, std::uint64_t phase_bits,
                               const Order& is_before) {
    if (marks_[word] >= phase_bits) return false;
    keep_read(marks_[count_ + word], marks_[2 * count_ + word], now, [&](std::uint64_t mark) {
      return mark < phase_bits || is_before(ShadowEntry::of_bits(mark), now);
    });
    return true;
  }

  /// Fast path: records accesses of `lanes` consecutive lanes, starting with that of `now`, to
  /// contiguous words, `of_lane` words per lane. Marks below `phase_bits` are ordered before all
  /// these accesses. Returns false, recording nothing, if note() is needed.
  template <class Order>
  [[nodiscard]] bool note_run(std::size_t word, std::size_t of_lane, std::size_t lanes,
                              ShadowEntry now, bool writes, const Order& is_before,
                              std::uint64_t phase_bits = 1) {
    const std::size_t words = of_lane * lanes;
    if (word + words > count_) return false;
    std::uint64_t* const write = &marks_[word];
    std::uint64_t* const read = write + count_;
    std::uint64_t* const other = read + count_;
    const auto passes = [&](const std::uint64_t* marks) {
      if (marks[0] < phase_bits) {
        std::uint64_t unordered = 0;
        for (std::size_t k = 0; k < words; ++k) unordered |= std::uint64_t{marks[k] >= phase_bits};
        return unordered == 0;
      }
      return are_of_lanes(marks, of_lane, lanes, now) &&
             is_before(ShadowEntry::of_bits(marks[0]), now);
    };
    if (!passes(write)) return false;
    if (writes) {
      if (!passes(read) || !passes(other)) return false;
      fill(write, of_lane, lanes, now);
      std::fill_n(read, words, 0);
      std::fill_n(other, words, 0);
    } else if (passes(read)) {
      fill(read, of_lane, lanes, now);
    } else {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const ShadowEntry lane_entry = now.of_lane(lane);
        for (std::size_t k = lane * of_lane; k < (lane + 1) * of_lane; ++k) {
          keep_read(read[k], other[k], lane_entry, [&](std::uint64_t mark) {
            return mark < phase_bits || is_before(ShadowEntry::of_bits(mark), lane_entry);
          });
        }
      }
    }
    return true;
  }

 private:
  static constexpr std::uint64_t parted = ~std::uint64_t{0};  ///< the word has marks per byte
  struct WordMarks {
    std::uint64_t* write;
    std::uint64_t* read;
    std::uint64_t* other;
  };
  using byte_marks = std::array<std::array<std::uint64_t, 3>, 4>;

  /// Replaces a read that is ordered before a new one. Of several unordered reads, keeps two, of
  /// different warps if there are such. Barriers of a warp, a block or a grid order a later access
  /// after all of the others' reads or after none, so that these two suffice. Where blocks
  /// synchronize in pairs, by atomics, an access that is ordered after both, but not after a third
  /// read, is not reported.
  template <class Passes>
  static void keep_read(std::uint64_t& read, std::uint64_t& other, ShadowEntry now,
                        const Passes& passes) {
    if (passes(read)) {
      read = now.bits();
    } else if (passes(other) ||
               ShadowEntry::of_bits(read).is_of_warp(ShadowEntry::of_bits(other))) {
      other = now.bits();
    }
  }

  template <class Order, class Report>
  static void note_marks(const WordMarks& marks, ShadowEntry now, bool writes,
                         const Order& is_before, const Report& report_conflict) {
    const auto passes = [&](std::uint64_t mark) {
      return mark == 0 || is_before(ShadowEntry::of_bits(mark), now);
    };
    if (!passes(*marks.write)) report_conflict(ShadowEntry::of_bits(*marks.write), true);
    if (!writes) {
      keep_read(*marks.read, *marks.other, now, passes);
      return;
    }
    if (!passes(*marks.read)) report_conflict(ShadowEntry::of_bits(*marks.read), false);
    if (!passes(*marks.other)) report_conflict(ShadowEntry::of_bits(*marks.other), false);
    *marks.write = now.bits();
    *marks.read = *marks.other = 0;
  }

  template <class Order, class Found>
  void note_bytes(std::size_t word, std::size_t begin, std::size_t end, ShadowEntry now,
                  bool writes, const Order& is_before, const Found& report_conflict) {
    std::uint64_t* const first = &marks_[word];
    byte_marks& bytes = bytes_[word];
    if (*first != parted) bytes.fill({*first, first[count_], first[2 * count_]});
    *first = parted;
    for (std::size_t k = begin; k < end; ++k) {
      auto& [write, read, other] = bytes[k];
      note_marks(
          {&write, &read, &other}, now, writes, is_before,
          [&](ShadowEntry one, bool is_write) { report_conflict(one, is_write, word * 4 + k); });
    }
  }

  /// True if the marks are those of one access by the same lanes, in order.
  [[nodiscard]] static bool are_of_lanes(const std::uint64_t* marks, std::size_t of_lane,
                                         std::size_t lanes, ShadowEntry now) noexcept {
    if (ShadowEntry::of_bits(marks[0]).lane() != now.lane()) return false;
    std::uint64_t differs = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t k = lane * of_lane; k < (lane + 1) * of_lane; ++k) {
        differs |= marks[k] ^ (marks[0] + lane);
      }
    }
    return differs == 0;
  }
  static void fill(std::uint64_t* marks, std::size_t of_lane, std::size_t lanes,
                   ShadowEntry first) noexcept {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::fill_n(marks + lane * of_lane, of_lane, first.of_lane(lane).bits());
    }
  }

  std::size_t count_;
  std::unique_ptr<std::uint64_t[]>
      marks_;  ///< all words' writes, then their reads, then their other reads
  std::unordered_map<std::size_t, byte_marks> bytes_;
};

/// Number of lanes below which a run is recorded lane by lane.
inline constexpr int min_run_length = 4;

/// Returns the lanes whose address is that of the previous lane plus `step`.
template <class Addresses>
[[nodiscard]] lane_mask lanes_after_previous(const Addresses& addresses, std::uint64_t step) {
  lane_mask mask = 0;
  for (std::size_t lane = 1; lane < warp_size; ++lane)
    mask |= static_cast<lane_mask>(addresses[lane] == addresses[lane - 1] + step) << lane;
  return mask;
}

/// Calls `function(first, count)` for each run of active lanes whose accesses, of `nbytes` bytes
/// each, are contiguous.
template <class Addresses, class Function>
void for_runs(const Addresses& addresses, lane_mask active, std::uint32_t nbytes,
              Function&& function) {
  if (active == 0) return;
  const lane_mask after_previous = lanes_after_previous(addresses, nbytes) & (active << 1);
  lane_mask starts = active & ~after_previous;
  while (starts != 0) {
    const int first = std::countr_zero(starts);
    starts &= starts - 1;
    // The run ends before the next lane that is inactive or starts another one.
    const lane_mask next_lanes = ~(active & after_previous) & (all_lanes << first << 1);
    function(first, (next_lanes == 0 ? warp_size : std::countr_zero(next_lanes)) - first);
  }
}

/// Returns the lanes between two that read the same address as they do, if all are active. Such
/// reads need not be recorded: the first and the last reader of an address are enough.
template <class Addresses>
[[nodiscard]] lane_mask lanes_between_equals(const Addresses& addresses, lane_mask active) {
  if (active != all_lanes) return 0;
  const lane_mask equals_previous = lanes_after_previous(addresses, 0);
  return equals_previous & (equals_previous >> 1);
}

}  // namespace skerry::emulation
