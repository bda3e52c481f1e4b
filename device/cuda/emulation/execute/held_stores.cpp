// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

void write(const held_store& store) { std::memcpy(store.to, store.value.data(), store.nbytes); }

[[nodiscard]] bool overlaps(const held_store& store, const std::byte* begin, std::uint32_t nbytes) {
  return store.to < begin + nbytes && begin < store.to + store.nbytes;
}

}  // namespace

void hold_store(warp& on, std::byte* to, const std::byte* value, std::uint32_t nbytes) {
  // What a warp stores twice at a place keeps its order.
  release_stores_at(on, to, nbytes);
  held_store held{.to = to, .nbytes = nbytes};
  std::memcpy(held.value.data(), value, nbytes);
  on.owner->held[on.number].push_back(held);
}

void release_stores(warp& on) {
  std::vector<held_store>& held = on.owner->held[on.number];
  if (held.empty()) return;
  for (std::size_t left = held.size(); left > 0; --left) {
    const std::size_t next = on.owner->launched.random.below(static_cast<std::uint32_t>(left));
    write(held[next]);
    held[next] = held[left - 1];
  }
  held.clear();
}

void release_stores_at(warp& on, const std::byte* begin, std::uint32_t nbytes) {
  std::vector<held_store>& held = on.owner->held[on.number];
  if (held.empty()) return;
  std::erase_if(held, [&](const held_store& store) {
    const bool is_there = overlaps(store, begin, nbytes);
    if (is_there) write(store);
    return is_there;
  });
}

}  // namespace skerry::emulation
