// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

class recording;

/// Whether memmove() does it best: of more bytes threads and stores past the caches do, and of 2
/// KiB on libc's takes up to twenty times as long where the target lies a few bytes beyond the
/// source but for whole pages, unless they overlap (copy_bytes() of the CPU's kernels).
[[nodiscard]] bool is_short_run(const char* to, const char* from, std::int64_t nbytes) noexcept;

/// A fresh array with the elements of `x`, on its device; the axes are in the order
/// of those of `x` in memory; C order where that is open, as of broadcast ones.
[[nodiscard]] ndarray copy(const ndarray& x);
/// A fresh C-ordered copy.
[[nodiscard]] ndarray copy_c_order(const ndarray& x);
/// `x` itself if it is C-contiguous, else a C-ordered copy.
[[nodiscard]] ndarray contiguous(const ndarray& x);

/// A cast copy on the same device; `x` itself if the dtype is the same and `force_copy` is false.
/// Throws dtype_error for complex to real.
[[nodiscard]] ndarray astype(const ndarray& x, dtype type, bool force_copy);

/// astype() of a copy, recorded.
[[nodiscard]] ndarray record_astype(recording& to, const ndarray& x, dtype type);
/// `x`, which broadcasts to the shape, in another dtype: recorded as an operand.
[[nodiscard]] ndarray record_operand(recording& to, const ndarray& x, dtype type,
                                     const dims& shape);

/// A fresh array that broadcasts as `x` does; elements that `x` repeats are converted once. For
/// operands.
[[nodiscard]] ndarray convert_operand(const ndarray& x, dtype type);

/// `x` itself if it is there already, else a copy on `where`, ordered on both sides.
[[nodiscard]] ndarray to_device(const ndarray& x, device where);

/// Throws dtype_error unless values of that dtype go into `target` unchanged, but for rounding to
/// its kind.
void check_assigned_dtype(const char* op, const ndarray& target, dtype source);
/// `target[...] = source`: same device (else device_mismatch_error naming `op`), source broadcasts
/// to the target's shape and promotes to its dtype, overlap gives what a copy would. Throws
/// read_only_error, dtype_error, shape_error.
void assign(const char* op, const ndarray& target, const ndarray& source);
/// `target[...] = value`.
void fill(const char* op, const ndarray& target, const scalar& value);

}  // namespace skerry
