// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/named_arrays.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "device/rehearsal/system.hpp"

namespace skerry::emulation {

namespace {

/// Arrays that are kept for a block: a program may export many views of it.
constexpr std::size_t max_arrays_per_block = 16;

struct ArrayNames {
  std::mutex mutex;
  std::map<std::uint64_t, std::vector<NamedArray>> by_block;  ///< the last recorded one last
};

ArrayNames& names() {
  static auto* const all = new ArrayNames;  // leaked: threads of streams may outlive main()
  return *all;
}

std::uint64_t address_of(const void* data) noexcept {
  return reinterpret_cast<std::uint64_t>(data);
}

/// Forgets the arrays of freed blocks whose place a new block takes.
void discard_names(void* data, std::size_t nbytes) noexcept {
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  all.by_block.erase(all.by_block.lower_bound(address_of(data)),
                     all.by_block.lower_bound(address_of(data) + nbytes));
}

}  // namespace

void name_array(const void* data, std::size_t nbytes, const char* text) noexcept try {
  rehearsal::allocation_observer.store(discard_names);
  const rehearsal::MemoryBlock block = rehearsal::System::instance().find(data, false);
  if (!block) return;
  const NamedArray array{.text = text, .begin = address_of(data), .nbytes = nbytes};
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  std::vector<NamedArray>& arrays = all.by_block[address_of(block.data)];
  std::erase_if(arrays, [&](const NamedArray& one) {
    return one.begin == array.begin && one.text == array.text;
  });
  if (arrays.size() == max_arrays_per_block) arrays.erase(arrays.begin());
  arrays.push_back(array);
} catch (const std::bad_alloc&) {
  return;  // the report goes without a name
}

std::optional<NamedArray> nearest_array(std::uint64_t block, std::uint64_t address) {
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.by_block.find(block);
  if (entry == all.by_block.end() || entry->second.empty()) return std::nullopt;
  std::vector<NamedArray> arrays = entry->second;
  for (NamedArray& one : arrays) one.address = address;
  std::ranges::reverse(arrays);
  return *std::ranges::min_element(arrays, {},
                                   [](const NamedArray& one) { return std::abs(one.distance()); });
}

}  // namespace skerry::emulation
