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

/// Whether memmove() does it best: of more bytes threads and stores past the caches do, and of 2
/// KiB on libc's takes up to twenty times as long where the target lies a few bytes beyond the
/// source but for whole pages, unless they overlap (copy_bytes() of the CPU's kernels).
[[nodiscard]] bool is_short_run(const char* destination, const char* source,
                                std::int64_t nbytes) noexcept;

/// A fresh array with the elements of `x`, on its device; the axes are in the order
/// of those of `x` in memory; C order where that is open, as of broadcast ones.
[[nodiscard]] NdArray copy(const NdArray& x);
/// A fresh C-ordered copy.
[[nodiscard]] NdArray copy_c_order(const NdArray& x);
/// `x` itself if it is C-contiguous, else a C-ordered copy.
[[nodiscard]] NdArray contiguous(const NdArray& x);

/// A cast copy on the same device; `x` itself if the dtype is the same and `force_copy` is false.
/// Throws DtypeError for complex to real.
[[nodiscard]] NdArray astype(const NdArray& x, Dtype type, bool force_copy);

/// astype() of a copy, recorded.
[[nodiscard]] PendingArray record_astype(Recording& recording, const Operand& x, Dtype type);
/// `x`, which broadcasts to the shape, in another dtype: recorded as an operand.
[[nodiscard]] PendingArray record_operand(Recording& recording, const Operand& x, Dtype type,
                                          const Dims& shape);

/// A fresh array that broadcasts as `x` does; elements that `x` repeats are converted once. For
/// operands.
[[nodiscard]] NdArray convert_operand(const NdArray& x, Dtype type);

/// `x` itself if it is there already, else a copy on `device`, ordered on both sides.
[[nodiscard]] NdArray to_device(const NdArray& x, Device device);

/// Throws DtypeError unless values of that dtype go into `target` unchanged, but for rounding to
/// its kind.
void check_assigned_dtype(const NdArray& target, Dtype source);
/// `target[...] = source`: same device (else DeviceMismatchError), source broadcasts
/// to the target's shape and promotes to its dtype, overlap gives what a copy would. Throws
/// ReadOnlyError, DtypeError, ShapeError.
void assign(const NdArray& target, const NdArray& source);
/// `target[...] = value`.
void fill(const NdArray& target, const Scalar& value);

}  // namespace skerry
