// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"
#include "ops/create/kernels.hpp"

// Exact scalars and the sequence kernel, for arange and linspace.
namespace skerry {

__extension__ using wide_int = __int128;  // holds any difference of two 64-bit integers

/// Returns the real part, rounded to float64.
[[nodiscard]] double real_of(const Scalar& x);
/// Returns the exact value of a scalar that is a whole number and fits 64 bits (as a float: up to
/// 2^63 in magnitude), otherwise nothing.
[[nodiscard]] std::optional<wide_int> whole(const Scalar& x);
/// Throws OverflowError if `value` is out of range of the dtype.
void require_in_range(wide_int value, Dtype type);
/// Returns the low 64 bits of `value` for SequenceParams, the same for int64 and uint64.
[[nodiscard]] Element integer_element(wide_int value);
/// Returns `value` for SequenceParams: complex128 if the dtype is complex, otherwise float64.
[[nodiscard]] Element floating_element(Dtype type, complex128 value);
/// Start, step and optional last element of a sequence, as in SequenceParams.
struct Progression {
  Element start;
  Element step;
  Element last{};
  bool has_last = false;
};
/// Returns a new array with the `size` elements of a sequence.
[[nodiscard]] NdArray run_sequence(std::int64_t size, Dtype type, Device device,
                                   const Progression& elements);

}  // namespace skerry
