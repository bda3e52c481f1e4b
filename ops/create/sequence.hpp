// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"
#include "ops/create/kernels.hpp"

// What arange and linspace share.
namespace skerry {

__extension__ using wide_int = __int128;  // every difference of two 64-bit integers fits

/// The nearest float64 of the real part.
[[nodiscard]] double real_of(const Scalar& x);
/// The exact value if the scalar is a whole number that 64 bits hold.
[[nodiscard]] std::optional<wide_int> whole(const Scalar& x);
/// Throws OverflowError if the dtype does not hold the integer.
void require_in_range(wide_int value, Dtype type);
/// Integers as the kernel takes them; both dtypes of 64 bits have the same bits.
[[nodiscard]] Element integer_element(wide_int value);
[[nodiscard]] Element floating_element(Dtype type, complex128 value);
/// The elements of a sequence, as in SequenceParams.
struct Progression {
  Element start;
  Element step;
  Element last{};
  bool has_last = false;
};
/// Of `size` elements, by the kernel.
[[nodiscard]] NdArray run_sequence(std::int64_t size, Dtype type, Device device,
                                   const Progression& elements);

}  // namespace skerry
