// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/memory_access.hpp"

#include <cstdio>
#include <string>

#include "device/cuda/emulation/check/global_races.hpp"
#include "device/cuda/emulation/check/request_counter.hpp"
#include "device/cuda/emulation/check/shared_races.hpp"
#include "device/cuda/emulation/check/touched_memory.hpp"
#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

/// No address at all, whatever its alignment.
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

[[nodiscard]] std::string hexadecimal(std::uint64_t value) {
  std::array<char, 24> text;
  (void)std::snprintf(text.data(), text.size(), "%#llx", static_cast<unsigned long long>(value));
  return text.data();
}

[[nodiscard]] std::string named(memory_access access, const char* space, std::uint64_t address) {
  return std::string(access.writes ? "write" : "read") + " of " + std::to_string(access.nbytes) +
         " bytes of " + space + " memory at " + hexadecimal(address);
}

[[noreturn]] void misaligned(int lane, memory_access access, const char* space,
                             std::uint64_t address, std::uint32_t alignment) {
  fault(code::misaligned_address, lane,
        "misaligned " + named(access, space, address) + ", no multiple of " +
            std::to_string(alignment));
}

[[noreturn]] void out_of_bounds(int lane, memory_access access, const char* space,
                                std::uint64_t address, std::uint64_t nbytes) {
  fault(code::illegal_address, lane,
        named(access, space, address) + ": it has " + std::to_string(nbytes) + " bytes");
}

void gather(warp& on, const instruction& what, lane_mask active, lane_addresses& into) {
  auto& at = into.at;
  const auto offset = static_cast<std::uint64_t>(what.immediate);
  if (what.is_uniform) {
    at.fill(offset);
    return;
  }
  if (what.operand_nbytes == 4) {
    const auto* const from = on.values<const std::uint32_t>(what.source[0]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      at[lane] = static_cast<std::uint32_t>(from[lane] + static_cast<std::uint32_t>(offset));
    }
  } else {
    const auto* const from = on.values<const std::uint64_t>(what.source[0]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) at[lane] = from[lane] + offset;
  }
  if (active != all_lanes) {
    const std::uint64_t first = at[static_cast<std::size_t>(std::countr_zero(active))];
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      at[lane] = (active & (lane_mask{1} << lane)) != 0 ? at[lane] : first;
    }
  }
}

/// The first lane's address where those of the others follow, `nbytes` each; else nowhere.
template <class Address>
[[nodiscard]] std::uint64_t first_of_contiguous(const Address* from, std::uint64_t offset,
                                                std::uint32_t nbytes) noexcept {
  Address differs = 0;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    differs |= (from[lane] - from[0]) ^ Address { lane* nbytes };
  }
  return differs == 0 ? static_cast<Address>(from[0] + static_cast<Address>(offset)) : nowhere;
}

/// Whether all lanes' accesses are aligned and their bytes lie in [begin, end). Addresses of the
/// host are positive.
[[nodiscard]] bool are_right(const lane_addresses& of, std::uint64_t begin, std::uint64_t end,
                             std::uint32_t nbytes) noexcept {
  const auto first = static_cast<std::int64_t>(begin);
  const auto last = static_cast<std::int64_t>(end - nbytes);
  std::int64_t outside = 0;
  std::uint64_t bits = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const auto address = static_cast<std::int64_t>(of.at[lane]);
    bits |= of.at[lane];
    outside |=
        static_cast<std::int64_t>(address < first) | static_cast<std::int64_t>(address > last);
  }
  return outside == 0 && end - begin >= nbytes && (bits & (nbytes - 1)) == 0;
}

void check_alignment(const lane_addresses& of, lane_mask active, memory_access access,
                     const char* space) {
  std::uint64_t bits = 0;
  for (const std::uint64_t address : of.at) bits |= address;
  if ((bits & (access.nbytes - 1)) == 0) return;
  for_lanes(active, [&](int lane) {
    const std::uint64_t address = of.at[static_cast<std::size_t>(lane)];
    if ((address & (access.nbytes - 1)) != 0) {
      misaligned(lane, access, space, address, access.nbytes);
    }
  });
}

[[nodiscard]] bool is_within(std::uint64_t address, std::uint64_t begin, std::uint64_t nbytes,
                             std::uint32_t accessed) noexcept {
  return address >= begin && nbytes >= accessed && address - begin <= nbytes - accessed;
}

[[nodiscard]] allocation find_global(warp& on, int lane, std::uint64_t address,
                                     memory_access access) {
  const memory_map& memory = on.owner->launched.memory;
  const allocation found = memory.find(address);
  if (!is_within(address, found.begin, found.end - found.begin, access.nbytes)) {
    const std::uint64_t missed = found.end > found.begin ? found.end : address;
    fault(code::illegal_address, lane,
          named(access, "global", address) + ": " + memory.describe(missed));
  }
  return found;
}

[[nodiscard]] allocation& known_of(const warp& on, const instruction& what) {
  launch_state& launched = on.owner->launched;
  return launched.known[static_cast<std::size_t>(&what - launched.code.code.data())];
}

/// As find_global, which is asked where the instruction's last access was elsewhere.
void find_known(warp& on, const instruction& what, int lane, std::uint64_t address,
                memory_access access) {
  allocation& known = known_of(on, what);
  if (!is_within(address, known.begin, known.end - known.begin, access.nbytes)) {
    known = find_global(on, lane, address, access);
  }
}

void resolve_all_global(warp& on, const instruction& what, lane_mask active, memory_access access,
                        lane_addresses& into) {
  const allocation& known = known_of(on, what);
  if (are_right(into, known.begin, known.end, access.nbytes)) return;
  check_alignment(into, active, access, "global");
  for_lanes(active, [&](int lane) {
    find_known(on, what, lane, into.at[static_cast<std::size_t>(lane)], access);
  });
}

[[nodiscard]] std::uint64_t address_of(const std::byte* data) noexcept {
  return reinterpret_cast<std::uint64_t>(data);
}

void check_local(warp& on, int lane, std::uint64_t address, memory_access access) {
  const std::uint64_t frame = on.owner->launched.code.local_nbytes;
  const std::uint64_t begin = address_of(on.local) + static_cast<std::uint64_t>(lane) * frame;
  if (!is_within(address, begin, frame, access.nbytes)) {
    fault(code::illegal_address, lane,
          named(access, "local", address - begin) + " of the thread's: it has " +
              std::to_string(frame) + " bytes");
  }
}

/// Whether every lane accesses its own frame.
[[nodiscard]] bool are_in_frames(const warp& on, const lane_addresses& of, std::uint32_t nbytes) {
  const std::uint64_t frame = on.owner->launched.code.local_nbytes;
  if (frame < nbytes) return false;
  const std::uint64_t begin = address_of(on.local);
  const auto last = static_cast<std::int64_t>(frame - nbytes);
  std::int64_t outside = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    const auto offset = static_cast<std::int64_t>(of.at[lane] - begin - lane * frame);
    outside |= static_cast<std::int64_t>(offset < 0) | static_cast<std::int64_t>(offset > last);
  }
  return outside == 0;
}

/// A generic address of any space.
void check_generic(warp& on, const instruction& what, int lane, std::uint64_t address,
                   memory_access access) {
  block& owner = *on.owner;
  launch_state& launched = owner.launched;
  const std::uint64_t shared = address_of(owner.shared.data());
  const std::uint64_t local = address_of(on.local);
  const std::uint64_t frames = std::uint64_t{launched.code.local_nbytes} * warp_size;
  if (address - shared < owner.shared_nbytes) {
    if (!is_within(address, shared, owner.shared_nbytes, access.nbytes)) {
      out_of_bounds(lane, access, "shared", address - shared, owner.shared_nbytes);
    }
  } else if (address - local < frames) {
    check_local(on, lane, address, access);
  } else if (!access.writes && is_within(address, address_of(launched.parameters.data()),
                                         launched.parameters.size(), access.nbytes)) {
    return;
  } else {
    find_known(on, what, lane, address, access);
  }
}

/// An address in a space of its own that begins at `base`.
void resolve_window(const std::byte* base, std::uint64_t nbytes, lane_mask active,
                    memory_access access, const char* space, lane_addresses& into) {
  if (!are_right(into, 0, nbytes, access.nbytes)) {
    check_alignment(into, active, access, space);
    for_lanes(active, [&](int lane) {
      const std::uint64_t address = into.at[static_cast<std::size_t>(lane)];
      if (!is_within(address, 0, nbytes, access.nbytes)) {
        out_of_bounds(lane, access, space, address, nbytes);
      }
    });
  }
  for (std::uint64_t& address : into.at) address += address_of(base);
}

/// Checks the addresses that lanes have in a space, and makes the host's of them.
template <memory_space Space>
void locate(warp& on, const instruction& what, lane_mask active, memory_access access,
            lane_addresses& into) {
  block& owner = *on.owner;
  if constexpr (Space == memory_space::shared) {
    resolve_window(owner.shared.data(), owner.shared_nbytes, active, access, "shared", into);
  } else if constexpr (Space == memory_space::parameter) {
    const auto& parameters = owner.launched.parameters;
    resolve_window(parameters.data(), parameters.size(), active, access, "parameter", into);
  } else if constexpr (Space == memory_space::global) {
    resolve_all_global(on, what, active, access, into);
  } else if constexpr (Space == memory_space::local) {
    check_alignment(into, active, access, "local");
    if (are_in_frames(on, into, access.nbytes)) return;
    for_lanes(active, [&](int lane) {
      check_local(on, lane, into.at[static_cast<std::size_t>(lane)], access);
    });
  } else {
    const std::uint64_t shared = address_of(owner.shared.data());
    if (are_right(into, shared, shared + owner.shared_nbytes, access.nbytes)) return;
    check_alignment(into, active, access, "generic");
    if (are_in_frames(on, into, access.nbytes)) return;
    for_lanes(active, [&](int lane) {
      check_generic(on, what, lane, into.at[static_cast<std::size_t>(lane)], access);
    });
  }
}

}  // namespace

template <memory_space Space>
void resolve(warp& on, const instruction& what, lane_mask active, memory_access access,
             lane_addresses& into) {
  gather(on, what, active, into);
  locate<Space>(on, what, active, access, into);
  if constexpr (Space == memory_space::shared || Space == memory_space::generic) {
    if (on.owner->races) on.owner->races->check(on, what, active, into, access);
  }
  if constexpr (Space == memory_space::global || Space == memory_space::generic) {
    const launch_state& launched = on.owner->launched;
    if (launched.races) launched.races->check(on, what, active, into, access);
    if (launched.how.touched != nullptr) launched.how.touched->note(on, active, into, access);
  }
  if (on.owner->undefined) on.owner->undefined->note(into, access);
  if constexpr (Space != memory_space::parameter) {
    if (auto* const counter = on.owner->launched.requests.get()) {
      counter->note(on, active, into, access);
    }
  }
}

template <memory_space Space>
std::byte* resolve_contiguous(warp& on, const instruction& what, std::uint32_t nbytes) noexcept {
  const block& owner = *on.owner;
  if (owner.watches_accesses || what.is_uniform) return nullptr;
  const auto offset = static_cast<std::uint64_t>(what.immediate);
  const std::uint64_t first =
      what.operand_nbytes == 4
          ? first_of_contiguous(on.values<const std::uint32_t>(what.source[0]), offset, nbytes)
          : first_of_contiguous(on.values<const std::uint64_t>(what.source[0]), offset, nbytes);
  if (first == nowhere || (first & (nbytes - 1)) != 0) return nullptr;
  const std::uint32_t all = nbytes * warp_size;
  if constexpr (Space == memory_space::shared) {
    const bool is_inside = is_within(first, 0, owner.shared_nbytes, all);
    return is_inside ? owner.shared.data() + first : nullptr;
  } else {
    const allocation& known = known_of(on, what);
    const bool is_inside = is_within(first, known.begin, known.end - known.begin, all);
    return is_inside ? reinterpret_cast<std::byte*>(first) : nullptr;
  }
}

template std::byte* resolve_contiguous<memory_space::generic>(warp&, const instruction&,
                                                              std::uint32_t) noexcept;
template std::byte* resolve_contiguous<memory_space::global>(warp&, const instruction&,
                                                             std::uint32_t) noexcept;
template std::byte* resolve_contiguous<memory_space::shared>(warp&, const instruction&,
                                                             std::uint32_t) noexcept;

template void resolve<memory_space::generic>(warp&, const instruction&, lane_mask, memory_access,
                                             lane_addresses&);
template void resolve<memory_space::global>(warp&, const instruction&, lane_mask, memory_access,
                                            lane_addresses&);
template void resolve<memory_space::shared>(warp&, const instruction&, lane_mask, memory_access,
                                            lane_addresses&);
template void resolve<memory_space::local>(warp&, const instruction&, lane_mask, memory_access,
                                           lane_addresses&);
template void resolve<memory_space::parameter>(warp&, const instruction&, lane_mask, memory_access,
                                               lane_addresses&);

std::byte* resolve_shared(warp& on, int lane, std::uint64_t address, memory_access access,
                          std::uint32_t alignment) {
  const block& owner = *on.owner;
  if (address % alignment != 0) misaligned(lane, access, "shared", address, alignment);
  if (!is_within(address, 0, owner.shared_nbytes, access.nbytes)) {
    out_of_bounds(lane, access, "shared", address, owner.shared_nbytes);
  }
  return owner.shared.data() + address;
}

std::byte* resolve_global(warp& on, const instruction& what, int lane, std::uint64_t address,
                          memory_access access, std::uint32_t alignment) {
  if (address % alignment != 0) misaligned(lane, access, "global", address, alignment);
  if (access.nbytes != 0) find_known(on, what, lane, address, access);
  return reinterpret_cast<std::byte*>(address);
}

bool is_shared_or_local(const warp& on, std::uint64_t address) noexcept {
  const std::uint64_t frames = std::uint64_t{on.owner->launched.code.local_nbytes} * warp_size;
  return address - address_of(on.owner->shared.data()) < on.owner->shared_nbytes ||
         address - address_of(on.local) < frames;
}

std::uint64_t without_shared_base(const warp& on, std::uint64_t address) noexcept {
  const std::uint64_t shared = address_of(on.owner->shared.data());
  return address - shared < on.owner->shared_nbytes ? address - shared : address;
}

}  // namespace skerry::emulation
