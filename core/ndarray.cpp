// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/ndarray.hpp"

#include <numeric>

namespace skerry {
namespace {

struct AddressRange {
  std::uintptr_t first;
  std::uintptr_t last;  ///< past the end; equal to first if there are no elements
};

AddressRange addresses(const NdArray& array) noexcept {
  const auto [first, last] = extent(array.layout(), array.itemsize());
  const auto base = reinterpret_cast<std::uintptr_t>(array.memory()->data());
  return {base + static_cast<std::uintptr_t>(first), base + static_cast<std::uintptr_t>(last)};
}

/// Returns the greatest common divisor of all strides; 0 for one element.
std::int64_t common_step(const Layout& layout) noexcept {
  std::int64_t divisor = 0;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    if (layout.shape[axis] > 1) divisor = std::gcd(divisor, layout.strides[axis]);
  }
  return divisor;
}

/// True if the arrays occupy each other's gaps, as x[::2] and x[1::2] do.
bool interleaved(const NdArray& a, const NdArray& b) noexcept {
  const std::int64_t step = std::gcd(common_step(a.layout()), common_step(b.layout()));
  if (step == 0) return false;
  const auto distance =
      reinterpret_cast<std::intptr_t>(b.data()) - reinterpret_cast<std::intptr_t>(a.data());
  const std::int64_t ahead = (distance % step + step) % step;
  return ahead >= a.itemsize() && step - ahead >= b.itemsize();
}

}  // namespace

std::string describe(const NdArray& array) {
  return std::string(name(array.dtype())) + ' ' + to_string(array.shape()) + " on " +
         to_string(array.device());
}

bool may_overlap(const NdArray& a, const NdArray& b) noexcept {
  const AddressRange in_a = addresses(a);
  const AddressRange in_b = addresses(b);
  if (in_a.first == in_a.last || in_b.first == in_b.last) return false;
  if (in_a.last <= in_b.first || in_b.last <= in_a.first) return false;
  return !interleaved(a, b);
}

bool same_elements(const NdArray& a, const NdArray& b) noexcept {
  if (a.dtype() != b.dtype() || a.device() != b.device() || a.data() != b.data() ||
      a.shape() != b.shape()) {
    return false;
  }
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (a.shape()[axis] > 1 && a.strides()[axis] != b.strides()[axis]) return false;
  }
  return true;
}

}  // namespace skerry
