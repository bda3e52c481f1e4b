// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

namespace skerry::rehearsal {

// Which work is before which, by what a program has asked for: the order of a stream, events that
// streams wait for, and what the host has waited for. Streams of this simulation are threads, so
// that work may come late enough by chance; here it is said what guarantees it.

/// By the number of a stream, how many pieces of its work are known to be done.
using stream_clock = std::map<std::uint64_t, std::uint64_t>;

/// Where a piece of work stands: its stream, its place there, and what is before it.
struct OrderPoint {
  std::uint64_t stream = 0;  ///< 0: nobody follows the order
  std::uint64_t ticket = 0;
  std::shared_ptr<const stream_clock> prior_clock;

  [[nodiscard]] bool is_after(std::uint64_t other_stream, std::uint64_t other_ticket) const {
    if (other_stream == stream) return other_ticket <= ticket;
    if (prior_clock == nullptr) return false;
    const auto entry = prior_clock->find(other_stream);
    return entry != prior_clock->end() && entry->second >= other_ticket;
  }
};

/// Set before the first stream has work, or never.
inline constinit std::atomic<bool> follows_order{false};

// Each does nothing, and returns nothing, where nobody follows the order.

/// A stream's number.
[[nodiscard]] std::uint64_t next_stream_number() noexcept;
/// A stream gets work: all that the host has waited for is before it.
[[nodiscard]] OrderPoint order_submitted(std::uint64_t stream, std::uint64_t ticket);
/// The last work that a stream has got.
[[nodiscard]] OrderPoint order_here(std::uint64_t stream, std::uint64_t ticket);
/// Work that a stream gets from now on is behind a point.
void order_wait(std::uint64_t stream, const OrderPoint& point);
/// The host has seen that a point was reached: it is before all that is submitted from now on. All
/// threads of the host count as one.
void order_observed(const OrderPoint& point);

/// The point of the work that this thread does; its stream is 0 if it does none.
[[nodiscard]] const OrderPoint& current_order() noexcept;
void set_current_order(const OrderPoint& point) noexcept;

}  // namespace skerry::rehearsal
