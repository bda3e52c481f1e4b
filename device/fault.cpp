// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/fault.hpp"

#include <cstdint>

#include "device/memory.hpp"

namespace skerry {

namespace {

std::atomic<std::uint64_t> counted{0};
std::atomic<std::uint64_t> failing{0};
std::atomic<bool> failing_from_then_on{false};

}  // namespace

namespace detail {

std::atomic<bool> counting_allocations{false};

bool count_allocation_slow() noexcept {
  const std::uint64_t number = counted.fetch_add(1) + 1;
  const std::uint64_t k = failing.load();
  if (k == 0) return false;
  return number == k || (number > k && failing_from_then_on.load());
}

}  // namespace detail

void fail_allocation(std::uint64_t k, bool from_then_on) noexcept {
  failing.store(0);
  failing_from_then_on.store(from_then_on);
  counted.store(0);
  failing.store(k);
  detail::counting_allocations.store(true);
}

std::uint64_t counted_allocations() noexcept { return counted.load(); }

}  // namespace skerry
