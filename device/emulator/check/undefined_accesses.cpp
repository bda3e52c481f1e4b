// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/block.hpp"

// Undefined bits of memory, and what loads and stores do with them.
namespace skerry::emulation {
namespace {

[[nodiscard]] bool are_zero(const std::byte* begin, std::size_t nbytes) {
  std::byte any{};
  for (std::size_t k = 0; k < nbytes; ++k) any |= begin[k];
  return any == std::byte{};
}

/// Addresses of all lanes: inactive ones have that of an active one.
struct AddressBounds {
  std::uint64_t first;
  std::uint64_t last;
};

[[nodiscard]] AddressBounds bounds_of(const LaneAddresses& addresses) {
  AddressBounds bounds{addresses.values[0], addresses.values[0]};
  for (const std::uint64_t address : addresses.values) {
    bounds.first = std::min(bounds.first, address);
    bounds.last = std::max(bounds.last, address);
  }
  return bounds;
}

/// True if each lane of a whole warp accesses the bytes after those of the previous one.
[[nodiscard]] bool are_contiguous(const LaneAddresses& addresses, std::uint64_t nbytes) {
  std::uint64_t differs = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane)
    differs |= addresses.values[lane] ^ (addresses.values[0] + lane * nbytes);
  return differs == 0;
}

/// Accesses of a warp to fewer bytes than this are checked as one range.
constexpr std::uint64_t max_scanned_nbytes = 1024;

[[nodiscard]] const std::byte* pointer_to(std::uint64_t address) noexcept {
  return reinterpret_cast<const std::byte*>(address);
}

}  // namespace

/// Returns null for memory without a shadow, whose bytes are all defined: parameters, and global
/// memory that is not tracked.
std::byte* UndefinedValues::memory_shadow(const std::byte* pointer) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const auto offset_in = [&](const std::byte* begin) {
    return address - reinterpret_cast<std::uint64_t>(begin);
  };
  if (const std::uint64_t k = offset_in(owner_.shared.data()); k < shared_.size()) {
    return shared_.data() + k;
  }
  for (const Block* const peer : owner_.launch_state.peers) {
    if (const std::uint64_t k = offset_in(peer->shared.data()); k < peer->shared.size()) {
      return peer->undefined_values->shared_.data() + k;
    }
  }
  if (owner_.warps.empty()) return nullptr;
  if (const std::uint64_t k = offset_in(owner_.warps.front().local); k < local_.size()) {
    return local_.data() + k;
  }
  const auto& parameters = owner_.launch_state.parameters;
  if (offset_in(parameters.data()) < parameters.size()) return nullptr;
  return owner_.launch_state.memory.undefined_bits(address);
}

std::uint64_t UndefinedValues::global_address(int lane) const {
  const auto address = reinterpret_cast<std::uint64_t>(addresses_.pointer(lane));
  return owner_.launch_state.memory.undefined_bits(address) != nullptr ? address : 0;
}

void UndefinedValues::note_copy(const std::byte* destination, const std::byte* source,
                                std::uint32_t nbytes) {
  std::byte* const destination_shadow = memory_shadow(destination);
  if (destination_shadow == nullptr || nbytes == 0) return;
  if (const std::byte* const source_shadow = memory_shadow(source)) {
    std::memmove(destination_shadow, source_shadow, nbytes);
  } else {
    std::memset(destination_shadow, 0, nbytes);
  }
}

void UndefinedValues::note_fill(const std::byte* destination, std::uint32_t nbytes) {
  if (std::byte* const shadow = memory_shadow(destination); shadow != nullptr)
    std::memset(shadow, 0, nbytes);
}

void UndefinedValues::mark_undefined(const std::byte* destination, std::uint32_t nbytes) {
  if (std::byte* const shadow = memory_shadow(destination); shadow != nullptr)
    std::memset(shadow, 0xff, nbytes);
}

bool UndefinedValues::are_parameters(std::uint64_t first, std::uint64_t last) const noexcept {
  const auto& parameters = owner_.launch_state.parameters;
  const auto begin = reinterpret_cast<std::uint64_t>(parameters.data());
  return first >= begin && last - begin < parameters.size();
}

std::optional<std::ptrdiff_t> UndefinedValues::shadow_distance(
    std::uint64_t first_address, std::uint64_t last_address) noexcept {
  const std::byte* const first = memory_shadow(pointer_to(first_address));
  const std::byte* const last = memory_shadow(pointer_to(last_address));
  if (first == nullptr || last == nullptr) return std::nullopt;
  const std::ptrdiff_t distance = first - pointer_to(first_address);
  if (last - pointer_to(last_address) != distance) return std::nullopt;
  return distance;
}

bool UndefinedValues::is_accessed_memory_defined(lane_mask active) noexcept {
  const std::size_t nbytes = access_.nbytes;
  const auto [first, last] = bounds_of(addresses_);
  if (nbytes == 0 || are_parameters(first, last)) return true;
  const auto distance = shadow_distance(first, last);
  // The range may have gaps, which may be undefined.
  if (distance && last - first < max_scanned_nbytes &&
      are_zero(pointer_to(first) + *distance, last - first + nbytes))
    return true;
  bool is_defined = true;
  for_lanes(active, [&](int lane) {
    const std::byte* const pointer = addresses_.pointer(lane);
    const std::byte* const shadow = distance ? pointer + *distance : memory_shadow(pointer);
    is_defined &= shadow == nullptr || are_zero(shadow, nbytes);
  });
  return is_defined;
}

void UndefinedValues::define_accessed_memory(lane_mask active) noexcept {
  const std::size_t nbytes = access_.nbytes;
  if (nbytes == 0) return;
  const auto [first, last] = bounds_of(addresses_);
  const auto distance = shadow_distance(first, last);
  if (distance && active == all_lanes && are_contiguous(addresses_, nbytes)) {
    std::memset(addresses_.pointer(0) + *distance, 0, nbytes * warp_size);
    return;
  }
  for_lanes(active, [&](int lane) {
    std::byte* const pointer = addresses_.pointer(lane);
    std::byte* const shadow = distance ? pointer + *distance : memory_shadow(pointer);
    if (shadow != nullptr) std::memset(shadow, 0, nbytes);
  });
}

void UndefinedValues::load(const Warp& warp, const Instruction& instruction,
                           const PropagationRule& rule, lane_mask active) {
  set_result_shadows(rule, 0);
  const std::size_t element = access_.nbytes / instruction.count;
  const std::size_t width = rule.result_nbytes[0];
  for_lanes(access_.nbytes == 0 ? 0 : active, [&](int lane) {
    const std::byte* const source = memory_shadow(addresses_.pointer(lane));
    if (source == nullptr) return;
    const bool any =
        std::any_of(source, source + access_.nbytes, [](std::byte b) { return b != std::byte{}; });
    if (any) set_origins(warp, instruction, lane, global_address(lane));
    for (std::size_t k = 0; k < instruction.count; ++k) {
      std::byte* const destination = scratch_[k].data() + width * static_cast<std::size_t>(lane);
      std::memcpy(destination, source + k * element, element);
      const bool extends =
          rule.extends_sign && (destination[element - 1] & std::byte{0x80}) != std::byte{};
      if (extends) std::memset(destination + element, 0xff, width - element);
    }
  });
  write_results(warp, instruction, rule, active, 0);
}

void UndefinedValues::store(const Warp& warp, const Instruction& instruction,
                            const PropagationRule& rule, lane_mask active) {
  const std::size_t element = access_.nbytes / instruction.count;
  const std::size_t width = rule.source_nbytes[1];
  const std::byte* const local = owner_.warps.front().local;
  for_lanes(active, [&](int lane) {
    std::byte* const destination = memory_shadow(addresses_.pointer(lane));
    const auto is_own = [&](const std::byte* begin, std::size_t nbytes) {
      return static_cast<std::size_t>(addresses_.pointer(lane) - begin) < nbytes;
    };
    const bool is_global =
        !is_own(owner_.shared.data(), shared_.size()) && !is_own(local, local_.size());
    for (std::size_t k = 0; k < instruction.count; ++k) {
      const row value = instruction.source[1 + k];
      const std::byte* const source =
          row_shadow(warp, value) + width * static_cast<std::size_t>(lane);
      const bool is_computed = (value & 1) == 0 && (computed(warp, value) >> lane & 1) != 0;
      const bool any =
          std::any_of(source, source + element, [](std::byte b) { return b != std::byte{}; });
      if (any && is_global && is_computed) {
        report(warp, instruction, lane_mask{1} << lane, origin_of(warp, value, lane),
               "a result in global memory was computed from it");
      }
      if (destination != nullptr) std::memcpy(destination + k * element, source, element);
    }
  });
}

void UndefinedValues::update(const Warp& warp, const Instruction& instruction,
                             const PropagationRule& rule, lane_mask active) {
  const std::size_t width = rule.source_nbytes[1];
  set_result_shadows(rule, 0);
  for_lanes(active, [&](int lane) {
    std::byte* const shadow = memory_shadow(addresses_.pointer(lane));
    if (shadow == nullptr) return;
    const bool any =
        std::any_of(shadow, shadow + width, [](std::byte b) { return b != std::byte{}; });
    if (rule.flow == Propagation::atomic) {
      if (any)
        report(warp, instruction, lane_mask{1} << lane, global_address(lane),
               "an atomic operation reads it from memory");
      std::memset(shadow, 0, width);
      return;
    }
    if (any) set_origins(warp, instruction, lane, global_address(lane));
    std::memcpy(scratch_[0].data() + width * static_cast<std::size_t>(lane), shadow, width);
    std::memcpy(shadow,
                row_shadow(warp, instruction.source[1]) + width * static_cast<std::size_t>(lane),
                width);
  });
  write_results(warp, instruction, rule, active, 0);
}

}  // namespace skerry::emulation
