// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace skerry::emulation {

/// Per-page data about memory; pages are created on first access. Recently used pages are cached.
template <class Page>
class Paged {
 public:
  [[nodiscard]] Page& page_at(std::uint64_t number) {
    Recent& last = recent_[slot_of(number)];
    if (last.page == nullptr || last.number != number) {
      std::unique_ptr<Page>& page = pages_[number];
      if (page == nullptr) page = std::make_unique<Page>();
      last = {number, page.get()};
    }
    return *last.page;
  }
  [[nodiscard]] const auto& all() const noexcept { return pages_; }

 private:
  static constexpr int slot_bits = 5;
  /// Returns a hash of the page number. Its lowest bits are not enough: arrays of equal size are
  /// often a multiple of the number of slots apart and would share a slot.
  [[nodiscard]] static std::size_t slot_of(std::uint64_t number) noexcept {
    return static_cast<std::size_t>(number * 0x9e3779b97f4a7c15 >> (64 - slot_bits));
  }
  struct Recent {
    std::uint64_t number = 0;
    Page* page = nullptr;
  };
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Recent, std::size_t{1} << slot_bits> recent_{};
};

}  // namespace skerry::emulation
