// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/stream_order.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace skerry::rehearsal {

namespace {

struct FollowedOrder {
  std::mutex mutex;
  stream_clock host;
  std::unordered_map<std::uint64_t, stream_clock> streams;  ///< prior work of each stream's next
                                                            ///< item
};

FollowedOrder& followed() {
  static auto* const all = new FollowedOrder;  // threads of streams may outlive main()
  return *all;
}

thread_local OrderPoint here;

void join(stream_clock& clock, const stream_clock& other_clock) {
  for (const auto& [stream, ticket] : other_clock) {
    std::uint64_t& known_ticket = clock[stream];
    known_ticket = std::max(known_ticket, ticket);
  }
}

void join(stream_clock& clock, const OrderPoint& point) {
  if (point.prior_clock != nullptr) join(clock, *point.prior_clock);
  std::uint64_t& known_ticket = clock[point.stream];
  known_ticket = std::max(known_ticket, point.ticket);
}

[[nodiscard]] OrderPoint point_of(std::uint64_t stream, std::uint64_t ticket,
                                  const stream_clock& clock) {
  return {.stream = stream,
          .ticket = ticket,
          .prior_clock = std::make_shared<const stream_clock>(clock),
          .note = nullptr};
}

}  // namespace

std::uint64_t next_stream_number() noexcept {
  constinit static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1) + 1;
}

OrderPoint order_submitted(std::uint64_t stream, std::uint64_t ticket,
                           const std::shared_ptr<const stream_clock>& own_clock) {
  if (!follows_order) return {};
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  stream_clock& clock = all.streams[stream];
  join(clock, all.host);
  return order_after(point_of(stream, ticket, clock), own_clock);
}

OrderPoint order_here(std::uint64_t stream, std::uint64_t ticket) {
  if (!follows_order) return {};
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  return point_of(stream, ticket, all.streams[stream]);
}

OrderPoint order_after(const OrderPoint& point, const std::shared_ptr<const stream_clock>& clock) {
  if (clock == nullptr || point.stream == 0) return point;
  stream_clock both = *clock;
  if (point.prior_clock != nullptr) join(both, *point.prior_clock);
  return point_of(point.stream, point.ticket, both);
}

std::shared_ptr<const stream_clock> joined_clock(std::span<const OrderPoint> points) {
  stream_clock all;
  for (const OrderPoint& point : points) {
    if (point.stream != 0) join(all, point);
  }
  return all.empty() ? nullptr : std::make_shared<const stream_clock>(std::move(all));
}

void order_wait(std::uint64_t stream, const OrderPoint& point) {
  if (!follows_order || point.stream == 0) return;
  FollowedOrder& all = followed();
  const std::lock_guard lock(all.mutex);
  join(all.streams[stream], point);
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
