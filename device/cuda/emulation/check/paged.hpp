// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace skerry::emulation {

/// What is known of memory, by pages that are made when they are first asked for.
template <class Page>
class paged {
 public:
  [[nodiscard]] Page& at(std::uint64_t number) {
    if (last_ == nullptr || last_number_ != number) {
      std::unique_ptr<Page>& found = pages_[number];
      if (found == nullptr) found = std::make_unique<Page>();
      last_ = found.get();
      last_number_ = number;
    }
    return *last_;
  }
  [[nodiscard]] const auto& all() const noexcept { return pages_; }

 private:
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = 0;
  Page* last_ = nullptr;
};

}  // namespace skerry::emulation
