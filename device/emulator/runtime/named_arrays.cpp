// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/named_arrays.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "device/emulator/execute/report.hpp"
#include "device/emulator/runtime/python_line.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation {

namespace {

/// Arrays that are kept for a block: a program may export many views of it.
constexpr std::size_t max_arrays_per_block = 16;

struct BlockNames {
  PythonLine allocated;
  PythonLine freed;
  std::optional<NamedArray> new_array;
  std::vector<NamedArray> arrays;  ///< the others; the last recorded one last
};

struct ArrayNames {
  std::mutex mutex;
  std::map<std::uint64_t, BlockNames> by_block;
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

[[nodiscard]] bool has_line(std::uint64_t block) {
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.by_block.find(block);
  return entry != all.by_block.end() && entry->second.allocated.number != 0;
}

void add(BlockNames& names_of_block, NamedArray&& array) {
  std::vector<NamedArray>& arrays = names_of_block.arrays;
  std::erase_if(arrays, [&](const NamedArray& one) {
    return one.begin == array.begin && one.text == array.text;
  });
  if (arrays.size() == max_arrays_per_block) arrays.erase(arrays.begin());
  arrays.push_back(std::move(array));
}

/// Returns the address of the block that contains `data`; 0 for host memory.
[[nodiscard]] std::uint64_t block_of(const void* data) noexcept {
  rehearsal::allocation_observer.store(discard_names);
  return address_of(rehearsal::System::instance().find(data, false).data);
}

/// Calls `store` with the names of the array's block and the array.
template <class Store>
void record(const void* data, std::size_t nbytes, const char* text, Store store) noexcept try {
  const std::uint64_t block = block_of(data);
  if (block == 0) return;
  PythonLine line = has_line(block) ? PythonLine{} : python_line();
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  BlockNames& entry = all.by_block[block];
  if (line.number != 0) entry.allocated = std::move(line);
  store(entry, NamedArray{.text = text, .begin = address_of(data), .nbytes = nbytes});
} catch (const std::bad_alloc&) {
  return;  // the report goes without a name
}

[[nodiscard]] std::optional<SourceLine> line_of(std::uint64_t block,
                                                PythonLine BlockNames::* member) {
  PythonLine line;
  {
    ArrayNames& all = names();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.by_block.find(block);
    if (entry != all.by_block.end()) line = entry->second.*member;
  }
  if (line.number == 0) return std::nullopt;
  std::string quote = line_text(line.file, line.number);
  return SourceLine{.file = std::move(line.file), .line = line.number, .quote = std::move(quote)};
}

}  // namespace

void name_array(const void* data, std::size_t nbytes, const char* text) noexcept {
  record(data, nbytes, text, add);
}

void name_new_array(const void* data, std::size_t nbytes, const char* text) noexcept {
  record(data, nbytes, text,
         [](BlockNames& entry, NamedArray&& array) { entry.new_array = std::move(array); });
}

void note_allocation(const void* data) noexcept try {
  PythonLine line = python_line();
  const std::uint64_t block = block_of(data);
  if (line.number == 0 || block == 0) return;
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  all.by_block[block].allocated = std::move(line);
} catch (const std::bad_alloc&) {
  return;  // the report goes without a line
}

std::optional<NamedArray> nearest_array(std::uint64_t block, std::uint64_t address) {
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.by_block.find(block);
  if (entry == all.by_block.end()) return std::nullopt;
  std::vector<NamedArray> arrays = entry->second.arrays;
  if (arrays.empty() && entry->second.new_array) arrays.push_back(*entry->second.new_array);
  if (arrays.empty()) return std::nullopt;
  for (NamedArray& one : arrays) one.address = address;
  std::ranges::reverse(arrays);
  return *std::ranges::min_element(arrays, {},
                                   [](const NamedArray& one) { return std::abs(one.distance()); });
}

void note_free(const void* data, const PythonLine& line) noexcept try {
  if (line.number == 0) return;
  ArrayNames& all = names();
  const std::lock_guard lock(all.mutex);
  all.by_block[address_of(data)].freed = line;
} catch (const std::bad_alloc&) {
  return;  // the report goes without a line
}

std::optional<SourceLine> allocation_line(std::uint64_t block) {
  return line_of(block, &BlockNames::allocated);
}

std::optional<SourceLine> free_line(std::uint64_t block) {
  return line_of(block, &BlockNames::freed);
}

}  // namespace skerry::emulation

void skerry_emulator_name_array(std::uint64_t data, std::size_t nbytes, const char* text,
                                bool is_new) {
  const auto* const memory = reinterpret_cast<const void*>(data);
  if (is_new) {
    skerry::emulation::name_new_array(memory, nbytes, text);
  } else {
    skerry::emulation::name_array(memory, nbytes, text);
  }
}
