// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace skerry::emulation {

/// What is known of memory, by pages that are made when they are first asked for.
template <class Page>
class paged {
 public:
  [[nodiscard]] Page& at(std::uint64_t number) {
    recent& last = recent_[number % recent_.size()];
    if (last.page == nullptr || last.number != number) {
      std::unique_ptr<Page>& found = pages_[number];
      if (found == nullptr) found = std::make_unique<Page>();
      last = {number, found.get()};
    }
    return *last.page;
  }
  [[nodiscard]] const auto& all() const noexcept { return pages_; }

 private:
  struct recent {
    std::uint64_t number = 0;
    Page* page = nullptr;
  };
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::array<recent, 32> recent_{};
};

}  // namespace skerry::emulation
