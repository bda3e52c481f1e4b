// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// A matrix of items: item (i, j) is at base + i * step + j * row.
struct Strided2d {
  char* base;
  int64 step;
  int64 row;
};

/// Copies n by rows items of 1, 2, 4, 8 or 16 bytes between memory that doesn't overlap. A zero
/// step or row of `input` repeats items. Transpositions use SIMD. The structs are passed by
/// reference: copying one would load two fields at once right after each was stored, which defeats
/// store forwarding.
void copy_2d(const Strided2d& output, const Strided2d& input, int64 n, int64 rows,
             int64 itemsize) noexcept;

/// Like memcpy(), but from 2 KiB on copies by 64-byte cache lines if the destination is not aligned
/// to one, or begins less than 64 bytes after the source modulo 4 KiB. For these, memcpy() of
/// glibc 2.36 takes 1.5 times as long out of cache, and up to 20 times as long with 4K aliasing
/// (EPYC, Zen 4).
void copy_bytes(char* destination, const char* source, int64 n) noexcept;

}  // namespace skerry::inline SKERRY_TARGET::kernels
