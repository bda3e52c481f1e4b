// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// Means that there is no address. No access starts at the last byte of the address space.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// Returns the first lane's address plus `offset` if each lane's address is `nbytes` above that of
/// the previous lane, else `nowhere`.
template <class Address>
[[nodiscard]] std::uint64_t first_of_contiguous(const Address* addresses, std::uint64_t offset,
                                                std::uint32_t nbytes) noexcept {
  Address differs = 0;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    differs |= (addresses[lane] - addresses[0]) ^ Address { lane* nbytes };
  }
  return differs == 0 ? static_cast<Address>(addresses[0] + static_cast<Address>(offset)) : nowhere;
}

/// True if all lanes' accesses are aligned and within [begin, end). Signed comparisons suffice:
/// host addresses are positive.
[[nodiscard]] inline bool are_right(const LaneAddresses& addresses, std::uint64_t begin,
                                    std::uint64_t end, std::uint32_t nbytes) noexcept {
  const auto first = static_cast<std::int64_t>(begin);
  const auto last = static_cast<std::int64_t>(end - nbytes);
  std::int64_t outside = 0;
  std::uint64_t bits = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const auto address = static_cast<std::int64_t>(addresses.values[lane]);
    bits |= addresses.values[lane];
    outside |=
        static_cast<std::int64_t>(address < first) | static_cast<std::int64_t>(address > last);
  }
  return outside == 0 && end - begin >= nbytes && (bits & (nbytes - 1)) == 0;
}

[[nodiscard]] inline bool is_within(std::uint64_t address, std::uint64_t begin,
                                    std::uint64_t nbytes, std::uint32_t accessed) noexcept {
  return address >= begin && nbytes >= accessed && address - begin <= nbytes - accessed;
}

}  // namespace skerry::emulation
