// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

struct Operand;
struct PendingArray;
class Recording;

/// True if memmove() is fastest. Larger copies gain from threads and non-temporal stores. From 2
/// KiB on, libc's memmove takes up to twenty times as long if the target is a few bytes after the
/// source modulo the page size, unless they overlap; copy_bytes() of the CPU kernels avoids that.
[[nodiscard]] bool is_short_run(const char* destination, const char* source,
                                std::int64_t nbytes) noexcept;

/// Returns a copy of `x` on its device. The axes have the same order in memory as those of `x`; C
/// order where that is undefined, as for broadcast axes.
[[nodiscard]] NdArray copy(const NdArray& x);
/// Returns a copy in C order.
[[nodiscard]] NdArray copy_c_order(const NdArray& x);
/// Returns `x` itself if it is C-contiguous, otherwise a copy in C order.
[[nodiscard]] NdArray contiguous(const NdArray& x);

/// Returns a cast copy on the same device, or `x` itself if the dtype is the same and `force_copy`
/// is false. Throws DtypeError for complex to real.
[[nodiscard]] NdArray astype(const NdArray& x, Dtype type, bool force_copy);

/// Records astype() with force_copy.
[[nodiscard]] PendingArray record_astype(Recording& recording, const Operand& x, Dtype type);
/// The same with the given layout of the result, which must be dense.
[[nodiscard]] PendingArray record_cast(Recording& recording, const Operand& x, Dtype type,
                                       Layout layout);
/// Records `x`, which broadcasts to `shape`, as an operand cast to `type`.
[[nodiscard]] PendingArray record_operand(Recording& recording, const Operand& x, Dtype type,
                                          const Dims& shape);

/// Returns a new array that broadcasts as `x` does: elements that `x` repeats are converted once.
/// For operands.
[[nodiscard]] NdArray convert_operand(const NdArray& x, Dtype type);

/// Returns `x` itself if it is on `device`, otherwise a copy there, ordered after earlier work on
/// both devices.
[[nodiscard]] NdArray to_device(const NdArray& x, Device device);

/// Throws DtypeError unless is_assignable(source, target.dtype()).
void check_assigned_dtype(const NdArray& target, Dtype source);
/// `target[...] = source`: both on the same device (otherwise DeviceMismatchError); source
/// broadcasts to the target's shape and is converted to its dtype. Overlapping memory acts as if
/// source were copied first. Throws ReadOnlyError, DtypeError, ShapeError.
void assign(const NdArray& target, const NdArray& source);
/// `target[...] = value`.
void fill(const NdArray& target, const Scalar& value);

}  // namespace skerry
