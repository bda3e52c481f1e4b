// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/stream_order.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace skerry::rehearsal {

namespace {

using shared_clock = std::shared_ptr<const stream_clock>;

/// Prior work of a stream's next item, and the host's clock when it was last joined.
struct StreamOrder {
  shared_clock clock;
  shared_clock joined_host;
};

struct FollowedOrder {
  std::mutex mutex;
  shared_clock host;
  std::unordered_map<std::uint64_t, StreamOrder> streams;
};

FollowedOrder& followed() {
  static auto* const all = new FollowedOrder;  // threads of streams may outlive main()
  return *all;
}

thread_local OrderPoint here;

/// Adds what another clock orders. Points share clocks, so a clock is copied, and only if that is
/// new.
void join(shared_clock& clock, const stream_clock& other_clock) {
  const auto is_known = [&](const stream_clock::value_type& entry) {
    const auto match = clock->find(entry.first);
    return match != clock->end() && match->second >= entry.second;
  };
  if (clock != nullptr && std::ranges::all_of(other_clock, is_known)) return;
  stream_clock both = clock != nullptr ? *clock : stream_clock{};
  for (const auto& [stream, ticket] : other_clock) {
    std::uint64_t& known_ticket = both[stream];
    known_ticket = std::max(known_ticket, ticket);
  }
  clock = std::make_shared<const stream_clock>(std::move(both));
}

void join(shared_clock& clock, const OrderPoint& point) {
  if (point.prior_clock != nullptr) join(clock, *point.prior_clock);
  join(clock, stream_clock{{point.stream, point.ticket}});
}

[[nodiscard]] OrderPoint point_of(std::uint64_t stream, std::uint64_t ticket, shared_clock clock) {
  return {.stream = stream, .ticket = ticket, .prior_clock = std::move(clock), .note = nullptr};
}

}  // namespace

std::uint64_t next_stream_number() noexcept {
  constinit static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1) + 1;
}

void discard_order_of(std::uint64_t stream) noexcept {
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  all.streams.erase(stream);
}

OrderPoint order_submitted(std::uint64_t stream, std::uint64_t ticket,
                           const std::shared_ptr<const stream_clock>& own_clock) {
  if (!follows_order) return {};
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  StreamOrder& order = all.streams[stream];
  if (order.joined_host != all.host) {
    join(order.clock, *all.host);
    order.joined_host = all.host;
  }
  return order_after(point_of(stream, ticket, order.clock), own_clock);
}

OrderPoint order_here(std::uint64_t stream, std::uint64_t ticket) {
  if (!follows_order) return {};
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  return point_of(stream, ticket, all.streams[stream].clock);
}

OrderPoint order_after(const OrderPoint& point, const std::shared_ptr<const stream_clock>& clock) {
  OrderPoint later = point;
  if (clock != nullptr && point.stream != 0) join(later.prior_clock, *clock);
  return later;
}

std::shared_ptr<const stream_clock> joined_clock(std::span<const OrderPoint> points) {
  shared_clock all;
  for (const OrderPoint& point : points) {
    if (point.stream != 0) join(all, point);
  }
  return all;
}

void order_wait(std::uint64_t stream, const OrderPoint& point) {
  if (!follows_order || point.stream == 0) return;
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  join(all.streams[stream].clock, point);
}

void order_observed(const OrderPoint& point) {
  if (!follows_order || point.stream == 0) return;
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  join(all.host, point);
}

const OrderPoint& current_order() noexcept { return here; }
void set_current_order(const OrderPoint& point) noexcept { here = point; }

}  // namespace skerry::rehearsal
