// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/fault.hpp"

#include <cstdint>

#include "device/host_action.hpp"
#include "device/memory.hpp"

namespace skerry {

namespace {

std::atomic<std::uint64_t> counted{0};
std::atomic<std::uint64_t> failing{0};
std::atomic<bool> failing_from_then_on{false};
std::atomic<bool> is_counting{false};
std::atomic<bool> is_announcing{false};
std::atomic<bool> is_tracing{false};

}  // namespace

namespace detail {

std::atomic<bool> counting_allocations{false};

namespace {

void update_counting() noexcept {
  counting_allocations.store(is_announcing.load() || is_tracing.load() || is_counting.load());
}

}  // namespace

bool count_allocation_slow(Device device, std::size_t nbytes) {
  if (is_announcing.load()) {
    const Announcement announcement([&] {
      return HostAction{.kind = ActionKind::allocation,
                        .cause = "allocation",
                        .source = device,
                        .target = device,
                        .nbytes = nbytes};
    });
  }
  if (!is_counting.load()) return false;
  const std::uint64_t number = counted.fetch_add(1) + 1;
  const std::uint64_t k = failing.load();
  if (k == 0) return false;
  return number == k || (number > k && failing_from_then_on.load());
}

void announce_allocations(bool is_on) noexcept {
  is_announcing.store(is_on);
  update_counting();
}

void trace_allocations(bool is_on) noexcept {
  is_tracing.store(is_on);
  update_counting();
}

}  // namespace detail

void fail_allocation(std::uint64_t k, bool from_then_on) noexcept {
  failing.store(0);
  failing_from_then_on.store(from_then_on);
  counted.store(0);
  failing.store(k);
  is_counting.store(true);
  detail::counting_allocations.store(true);
}

std::uint64_t counted_allocations() noexcept { return counted.load(); }

}  // namespace skerry
