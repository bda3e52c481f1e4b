// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "device/stream.hpp"
#include "ops/call/operand_list.hpp"

namespace skerry {

/// The parameters of a kernel, followed in memory by data whose size is known only at run time.
/// start() reuses the memory for the next launch.
template <class Params>
class ParamsBlock {
  static_assert(std::is_trivially_copyable_v<Params>);
  static_assert(alignof(Params) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

 public:
  /// Starts a block with the result of `make()`, constructed in place since its plan may be large.
  template <class Make>
  void start(Make&& make) {
    reserve(sizeof(Params));
    nbytes_ = sizeof(Params);
    new (bytes_.data()) Params(make());
  }
  void append(std::span<const std::byte> bytes) {
    reserve(nbytes_ + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.data() + nbytes_);
    nbytes_ += bytes.size();
  }
  /// Appends zeros up to a multiple of `nbytes`.
  void align(std::size_t nbytes) {
    const std::size_t rest = (nbytes - nbytes_ % nbytes) % nbytes;
    reserve(nbytes_ + rest);
    std::fill_n(bytes_.data() + nbytes_, rest, std::byte{});
    nbytes_ += rest;
  }

  /// Valid after start().
  [[nodiscard]] Params& params() noexcept {
    return *std::launder(reinterpret_cast<Params*>(bytes_.data()));
  }
  [[nodiscard]] const Params& params() const noexcept {
    return *std::launder(reinterpret_cast<const Params*>(bytes_.data()));
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {bytes_.data(), nbytes_};
  }

 private:
  void reserve(std::size_t nbytes) {
    if (bytes_.size() < nbytes) grow(nbytes);
  }
  [[gnu::noinline]] void grow(std::size_t nbytes) {
    bytes_.resize(std::max(nbytes, 2 * bytes_.size()));
  }

  std::vector<std::byte> bytes_;  ///< its size is the capacity
  std::size_t nbytes_ = 0;
};

/// Launches a kernel with parameters, and the data behind them, that refer to `operands`.
template <class Params>
void launch(Device device, const Kernel<Params>& kernel, const ParamsBlock<Params>& params,
            const OperandList& operands) {
  const std::span<const std::byte> bytes = params.bytes();
  launch(device, kernel.untyped(), bytes.data(), bytes.size(), operands.uses());
}

}  // namespace skerry
