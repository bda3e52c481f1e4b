// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Item (i, j) is at base + i * step + j * row.
struct Strided2d {
  char* base;
  int64 step;
  int64 row;
};

/// Copies n by rows items of 1, 2, 4, 8 or 16 bytes; the two areas don't overlap. A zero step or
/// row of `input` repeats; transposes go by 16-byte vectors. By reference: a copy of such a struct
/// would read two fields at once right after each was stored, and wait for all stores before.
void copy_2d(const Strided2d& output, const Strided2d& input, int64 n, int64 rows,
             int64 itemsize) noexcept;

/// memcpy(). From 2 KiB on libc's takes up to twenty times as long where the target is a few bytes
/// beyond the source but for whole pages, and half as long again where it begins within a line and
/// neither is in a cache: line by line there (EPYC of Zen 4, glibc 2.36).
void copy_bytes(char* destination, const char* source, int64 n) noexcept;

}  // namespace skerry::inline SKERRY_TARGET::kernels
