// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"
#include "ops/create/kernels.hpp"

// Shared by arange and linspace.
namespace skerry {

__extension__ using wide_int = __int128;  // every difference of two 64-bit integers fits

/// Returns the float64 nearest to the real part.
[[nodiscard]] double real_of(const Scalar& x);
/// Returns the exact value if the scalar is a whole number that fits 64 bits.
[[nodiscard]] std::optional<wide_int> whole(const Scalar& x);
/// Throws OverflowError if the integer is out of range of the dtype.
void require_in_range(wide_int value, Dtype type);
/// Returns an integer as the kernel takes it; int64 and uint64 have the same bits.
[[nodiscard]] Element integer_element(wide_int value);
[[nodiscard]] Element floating_element(Dtype type, complex128 value);
/// The elements of a sequence, as in SequenceParams.
struct Progression {
  Element start;
  Element step;
  Element last{};
  bool has_last = false;
};
/// Computes a sequence of `size` elements with the kernel.
[[nodiscard]] NdArray run_sequence(std::int64_t size, Dtype type, Device device,
                                   const Progression& elements);

}  // namespace skerry
