// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

namespace skerry::rehearsal {

// Tracks the order of work that a program has established: stream order, events that streams wait
// for, and waits of the host. Streams of this simulation are threads, so work may happen to run
// late enough without any guarantee; this records what is guaranteed. That a free waits for a
// device, or a free or the record of an event for the streams of the legacy stream, orders no other
// work: libraries free memory and record events at times that no program relies on, such as when
// Python collects garbage.

/// For each stream number, how many of its work items are known to be done.
using stream_clock = std::map<std::uint64_t, std::uint64_t>;

/// Position of a work item: its stream, its ticket there, and the work known to precede it.
struct OrderPoint {
  std::uint64_t stream = 0;  ///< 0 if the order is not tracked
  std::uint64_t ticket = 0;
  std::shared_ptr<const stream_clock> prior_clock;
  std::shared_ptr<const void> note;  ///< of submission_notes, when it was submitted

  [[nodiscard]] bool is_after(std::uint64_t other_stream, std::uint64_t other_ticket) const {
    if (other_stream == stream) return other_ticket <= ticket;
    if (prior_clock == nullptr) return false;
    const auto entry = prior_clock->find(other_stream);
    return entry != prior_clock->end() && entry->second >= other_ticket;
  }
};

/// True if the order is tracked. Set before the first stream has work, or never.
inline constinit std::atomic<bool> follows_order{false};

/// Returns a note on what the calling thread does, such as its line of the program, which each item
/// that accesses memory gets when it is submitted; null by default. The caller holds no lock of
/// streams.
inline constinit std::atomic<std::shared_ptr<const void> (*)()> submission_notes{nullptr};

// If the order is not tracked, functions that take or return points do nothing and return empty
// points.

/// Returns a new stream number.
[[nodiscard]] std::uint64_t next_stream_number() noexcept;
/// Discards what precedes the next work of a stream that gets no more work.
void discard_order_of(std::uint64_t stream) noexcept;
/// Records a submission: everything that the host has waited for precedes it, and `own_clock`,
/// which precedes this item alone; null for nothing.
[[nodiscard]] OrderPoint order_submitted(std::uint64_t stream, std::uint64_t ticket,
                                         const std::shared_ptr<const stream_clock>& own_clock);
/// Returns the point of the last work submitted to a stream.
[[nodiscard]] OrderPoint order_here(std::uint64_t stream, std::uint64_t ticket);
/// Returns a point that is also after `clock`; null for nothing.
[[nodiscard]] OrderPoint order_after(const OrderPoint& point,
                                     const std::shared_ptr<const stream_clock>& clock);
/// Returns what all of these points order; null if there is none.
[[nodiscard]] std::shared_ptr<const stream_clock> joined_clock(std::span<const OrderPoint> points);
/// Orders later work of a stream after a point.
void order_wait(std::uint64_t stream, const OrderPoint& point);
/// Records that the host has observed a point: it precedes all later submissions. All host threads
/// count as one.
void order_observed(const OrderPoint& point);

/// Returns the point of the work that this thread runs; its stream is 0 if there is none.
[[nodiscard]] const OrderPoint& current_order() noexcept;
void set_current_order(const OrderPoint& point) noexcept;

}  // namespace skerry::rehearsal
