// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <unistd.h>

namespace skerry {

/// Returns the system's page size: 4 KiB on x86-64; 16 or 64 KiB on some aarch64 machines.
/// Mappings, protections and releases begin at a multiple of it.
[[nodiscard]] inline std::size_t page_size() noexcept {
  static const auto nbytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return nbytes;
}

[[nodiscard]] inline std::size_t whole_pages(std::size_t nbytes) noexcept {
  const std::size_t page = page_size();
  return (nbytes + page - 1) / page * page;
}

}  // namespace skerry
