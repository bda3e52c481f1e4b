// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <unistd.h>

namespace skerry {

/// Bytes of a page of the kernel's: 4 KiB on x86-64; 16 or 64 KiB on some aarch64 machines. What is
/// mapped, protected or given back begins at a multiple of it.
[[nodiscard]] inline std::size_t page_size() noexcept {
  static const auto nbytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return nbytes;
}

[[nodiscard]] inline std::size_t whole_pages(std::size_t nbytes) noexcept {
  const std::size_t page = page_size();
  return (nbytes + page - 1) / page * page;
}

}  // namespace skerry
