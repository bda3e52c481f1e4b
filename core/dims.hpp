// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

namespace skerry {

inline constexpr int max_rank = 64;

/// A short list of int64, one per axis, stored inline up to six axes, so that usual shapes use no
/// heap memory.
class Dims {
 public:
  static constexpr int inline_capacity = 6;

  Dims() = default;
  explicit Dims(int rank, std::int64_t fill = 0) : Dims() { assign(rank, fill); }
  Dims(std::initializer_list<std::int64_t> values)
      : Dims(std::span<const std::int64_t>(values.begin(), values.size())) {}
  explicit Dims(std::span<const std::int64_t> values) {
    reserve_exactly(static_cast<int>(values.size()));
    std::copy(values.begin(), values.end(), data());
  }
  Dims(const Dims& other) : rank_(other.rank_) {
    if (other.heap_ == nullptr) {
      std::memcpy(inline_, other.inline_, sizeof inline_);
    } else {
      heap_ = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(rank_));
      std::copy(other.begin(), other.end(), heap_.get());
    }
  }
  Dims(Dims&& other) noexcept
      : rank_(std::exchange(other.rank_, 0)), heap_(std::move(other.heap_)) {
    std::memcpy(inline_, other.inline_, sizeof inline_);
  }
  Dims& operator=(const Dims& other) {
    if (this == &other) return *this;
    if (heap_ == nullptr && other.heap_ == nullptr) {
      rank_ = other.rank_;
      std::memcpy(inline_, other.inline_, sizeof inline_);
    } else {
      Dims copy(other);
      rank_ = copy.rank_;
      heap_ = std::move(copy.heap_);
      if (heap_ == nullptr) std::memcpy(inline_, other.inline_, sizeof inline_);
    }
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this == &other) return *this;
    rank_ = std::exchange(other.rank_, 0);
    heap_ = std::move(other.heap_);
    std::memcpy(inline_, other.inline_, sizeof inline_);
    return *this;
  }
  ~Dims() = default;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] bool empty() const noexcept { return rank_ == 0; }
  [[nodiscard]] std::int64_t* data() noexcept { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] const std::int64_t* data() const noexcept { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] std::int64_t& operator[](int axis) noexcept { return data()[axis]; }
  [[nodiscard]] std::int64_t operator[](int axis) const noexcept { return data()[axis]; }
  [[nodiscard]] std::int64_t* begin() noexcept { return data(); }
  [[nodiscard]] std::int64_t* end() noexcept { return data() + rank_; }
  [[nodiscard]] const std::int64_t* begin() const noexcept { return data(); }
  [[nodiscard]] const std::int64_t* end() const noexcept { return data() + rank_; }
  [[nodiscard]] std::span<const std::int64_t> span() const noexcept {
    return {data(), static_cast<std::size_t>(rank_)};
  }

  void assign(int rank, std::int64_t fill) {
    reserve_exactly(rank);
    std::fill_n(data(), rank, fill);
  }
  void insert(int axis, std::int64_t value);
  void erase(int axis);
  void push_back(std::int64_t value) { insert(rank_, value); }

  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  void reserve_exactly(int rank) {
    rank_ = rank;
    heap_ = rank > inline_capacity
                ? std::make_unique<std::int64_t[]>(static_cast<std::size_t>(rank))
                : nullptr;
  }

  std::int32_t rank_ = 0;
  std::int64_t inline_[inline_capacity];  // uninitialized, since each array has two Dims
  std::unique_ptr<std::int64_t[]> heap_;
};

}  // namespace skerry
