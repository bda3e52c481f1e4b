// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bfloat16.hpp"
#include "core/complex.hpp"
#include "core/config.hpp"
#include "core/float16.hpp"
#include "core/stored_float.hpp"

// Included by kernels for every target, including NVRTC: no standard headers.

/// The dtypes: X(enumerator and name, C++ type, kind, array-interface type string). The only list
/// of them: the build reads the first column here and names kernel sources after it.
#define SKERRY_FOR_EACH_DTYPE(X)                             \
  X(bool_, bool, boolean, "|b1")                             \
  X(int8, ::skerry::int8, signed_integer, "|i1")             \
  X(int16, ::skerry::int16, signed_integer, "<i2")           \
  X(int32, ::skerry::int32, signed_integer, "<i4")           \
  X(int64, ::skerry::int64, signed_integer, "<i8")           \
  X(uint8, ::skerry::uint8, unsigned_integer, "|u1")         \
  X(uint16, ::skerry::uint16, unsigned_integer, "<u2")       \
  X(uint32, ::skerry::uint32, unsigned_integer, "<u4")       \
  X(uint64, ::skerry::uint64, unsigned_integer, "<u8")       \
  X(float16, ::skerry::float16, real_floating, "<f2")        \
  X(bfloat16, ::skerry::bfloat16, real_floating, "<V2")      \
  X(float32, ::skerry::float32, real_floating, "<f4")        \
  X(float64, ::skerry::float64, real_floating, "<f8")        \
  X(complex64, ::skerry::complex64, complex_floating, "<c8") \
  X(complex128, ::skerry::complex128, complex_floating, "<c16")

namespace skerry {

enum class DtypeKind : unsigned char {
  boolean,
  signed_integer,
  unsigned_integer,
  real_floating,
  complex_floating
};

/// The type in which T is computed: float32 for the dtypes that are storage only, otherwise T.
template <class T>
struct computed_type {
  using type = T;
};
template <class Format>
struct computed_type<StoredFloat<Format>> {
  using type = float32;
};
template <class T>
using computed_t = typename computed_type<T>::type;

}  // namespace skerry
