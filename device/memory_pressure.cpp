// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/memory_pressure.hpp"

#include <atomic>
#include <cstdio>
#include <iterator>

namespace skerry {
namespace {

constinit std::atomic<void (*)() noexcept> garbage_collector{nullptr};

}  // namespace

void set_garbage_collector(void (*collect)() noexcept) noexcept {
  garbage_collector.store(collect);
}

void collect_garbage() noexcept {
  if (const auto collect = garbage_collector.load()) collect();
}

std::string byte_text(std::size_t nbytes) {
  if (nbytes < 1024) return std::to_string(nbytes) + (nbytes == 1 ? " byte" : " bytes");
  static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(nbytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s",
                value < 10    ? 2
                : value < 100 ? 1
                              : 0,
                value, units[unit]);
  return text;
}

}  // namespace skerry
