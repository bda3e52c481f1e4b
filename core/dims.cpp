// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/dims.hpp"

#include <utility>

namespace skerry {

void Dims::insert(int axis, std::int64_t value) {
  if (rank_ < inline_capacity) {
    std::copy_backward(inline_ + axis, inline_ + rank_, inline_ + rank_ + 1);
    inline_[axis] = value;
    ++rank_;
    return;
  }
  Dims grown(rank_ + 1);
  std::copy(begin(), begin() + axis, grown.begin());
  grown[axis] = value;
  std::copy(begin() + axis, end(), grown.begin() + axis + 1);
  *this = std::move(grown);
}

void Dims::erase(int axis) {
  std::copy(begin() + axis + 1, end(), begin() + axis);
  --rank_;
  if (heap_ && rank_ <= inline_capacity) {
    std::copy_n(heap_.get(), rank_, inline_);
    heap_.reset();
  }
}

}  // namespace skerry
