// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry::python {

/// True for sequences other than lists and tuples that may hold numbers, such as range and deque:
/// not text, mappings, or objects with a buffer or an array protocol.
[[nodiscard]] bool is_other_sequence(PyObject* object);

/// Creates a 0-d array of a Python scalar. Throws DtypeError, OverflowError.
[[nodiscard]] NdArray from_number(const Scalar& value, std::optional<Dtype> type, Device device);
/// Creates an array of a Python scalar or of nested sequences of scalars and arrays. Without
/// `device`, on the device of the arrays in it, else on `fallback`, else on the default device.
/// Throws ShapeError for ragged sequences, DtypeError, OverflowError, DeviceMismatchError.
[[nodiscard]] NdArray from_sequence(PyObject* object, std::optional<Dtype> type,
                                    std::optional<Device> device,
                                    std::optional<Device> fallback = std::nullopt);

/// What an int out of range of the dtype of a literal does to the result of its function.
enum class IntOutOfRange : std::uint8_t {
  error,
  no_effect_above,  ///< an upper limit, as in `minimum`: replaced by the end of the range
  no_effect_below,  ///< a lower limit, as in `maximum`
  widens,           ///< the literal has the dtype that it has alone
  compared,         ///< has an answer of its own: replaced by an end of the range, and marked
};
/// A literal as an array, and bool arrays on its device that mark the ints above and below the
/// range of the dtype; without one, both are absent.
struct LiteralArray {
  NdArray array;
  std::optional<NdArray> above;
  std::optional<NdArray> below;
};
/// Converts a literal, a Python scalar or nested sequences of scalars, for a call with arrays of
/// dtype `type` on `device`: its dtype is that of an array of `type` combined with its scalars.
/// Sequences that hold arrays have the dtype that asarray gives them. Throws OverflowError for an
/// int out of range (IntOutOfRange::error, or on the other side), and like from_sequence.
[[nodiscard]] LiteralArray literal_array(PyObject* object, std::optional<Dtype> type, Device device,
                                         IntOutOfRange effect);

/// Converts values for an assignment to `target`: on its device and of its dtype, unless their kind
/// is higher, which the assignment then rejects.
[[nodiscard]] NdArray values_to_assign(PyObject* object, const NdArray& target);
/// Converts values for comparison with elements of dtype `x` on `device`; drops ints that the dtype
/// can't hold.
[[nodiscard]] NdArray values_to_find(PyObject* object, Dtype x, Device device);

}  // namespace skerry::python
