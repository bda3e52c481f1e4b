// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by kernels for every target, including NVRTC: no standard headers.

#if defined(__CUDACC__)
#define SKERRY_HD __host__ __device__
#define SKERRY_INLINE __forceinline__
#else
#define SKERRY_HD
#define SKERRY_INLINE inline __attribute__((always_inline))
#endif
// Hints to GCC and clang about the loop that follows. SKERRY_IVDEP: no iteration depends on memory
// that another one writes. SKERRY_UNROLL: how often to unroll it.
#define SKERRY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define SKERRY_IVDEP SKERRY_PRAGMA(clang loop vectorize(assume_safety))
#define SKERRY_UNROLL(count) SKERRY_PRAGMA(clang loop unroll_count(count))
#define SKERRY_NOCLONE
#else
#define SKERRY_IVDEP SKERRY_PRAGMA(GCC ivdep)
#define SKERRY_UNROLL(count) SKERRY_PRAGMA(GCC unroll count)
#define SKERRY_NOCLONE __attribute__((noclone))
#endif
/// Declares a constant table at namespace scope; device code has its own copy in device memory.
#if defined(__CUDA_ARCH__)
#define SKERRY_TABLE static __device__ constexpr
#else
#define SKERRY_TABLE inline constexpr
#endif

// Functors and their math are compiled several times into one library: per CPU level, by nvcc,
// and for the host-side tables. An inline namespace named after the target keeps the linker from
// merging them: an older machine could otherwise run a function compiled for AVX-512.
#ifndef SKERRY_TARGET
#define SKERRY_TARGET base
#endif

namespace skerry {

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long;
using float32 = float;
using float64 = double;

static_assert(sizeof(int64) == 8 && sizeof(int32) == 4 && sizeof(int16) == 2);

}  // namespace skerry

/// Defined if fused multiply-add is an instruction of the target; otherwise fma() is a function of
/// libm.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMA)
#define SKERRY_HAS_FMA 1
#endif
