// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/undefined_memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "device/emulator/runtime/observed_memory.hpp"
#include "device/rehearsal/address_range.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::emulation {

namespace {

// Size of the address ranges of all devices, which are consecutive.
constexpr std::size_t followed_nbytes =
    std::size_t{rehearsal::max_devices} * rehearsal::AddressRange::wished_stride;
/// `reserved` is never unmapped; `shadow` is null while the check is off.
constinit std::atomic<std::byte*> reserved{nullptr};
constinit std::atomic<std::byte*> shadow{nullptr};

std::byte* bits_at(const void* data) noexcept {
  return undefined_memory_bits(reinterpret_cast<std::uint64_t>(data));
}

}  // namespace

bool follow_undefined_memory() noexcept {
  if (follows_undefined_memory()) return true;
  if (reserved.load() == nullptr) {
    void* const got = mmap(nullptr, followed_nbytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) return false;
    reserved.store(static_cast<std::byte*>(got));
  }
  shadow.store(reserved.load());
  observe_memory();
  return true;
}

bool follows_undefined_memory() noexcept { return shadow.load() != nullptr; }

void unfollow_undefined_memory() noexcept {
  shadow.store(nullptr);
  // The pages read as zeros afterwards.
  if (reserved.load() != nullptr) madvise(reserved.load(), followed_nbytes, MADV_DONTNEED);
}

std::byte* undefined_memory_bits(std::uint64_t address) noexcept {
  std::byte* const begin = shadow.load(std::memory_order_acquire);
  const std::uint64_t offset = address - rehearsal::AddressRange::first_wish;
  return begin != nullptr && offset < followed_nbytes ? begin + offset : nullptr;
}

void define_memory(const void* data, std::size_t nbytes) noexcept {
  if (std::byte* const bits = bits_at(data)) std::memset(bits, 0, nbytes);
}

void undefine_memory(const void* data, std::size_t nbytes) noexcept {
  if (std::byte* const bits = bits_at(data)) std::memset(bits, 0xff, nbytes);
}

void copy_undefined_memory(const void* target, const void* source, std::size_t nbytes) noexcept {
  std::byte* const target_bits = bits_at(target);
  if (target_bits == nullptr) return;
  const std::byte* const source_bits = bits_at(source);
  if (source_bits == nullptr) return define_memory(target, nbytes);
  std::memmove(target_bits, source_bits, nbytes);
}

}  // namespace skerry::emulation
