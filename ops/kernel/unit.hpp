// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.hpp"

// A unit of kernels that is compiled for several dtypes has a template `fill<T>(table)` in an
// unnamed namespace and ends in SKERRY_KERNEL_UNIT. The build generates sources of two lines:
//   #define SKERRY_UNIT_DTYPES(X, ...) X(int8, __VA_ARGS__) X(uint8, __VA_ARGS__)
//   #include "ops/reduce/cpu/reduce.cpp"
// Each source has several dtypes, since parsing the headers takes much of the compile time. An
// editor or clang-tidy, which reads the unit without such a source, sees it for int32 and float32.
#ifndef SKERRY_UNIT_DTYPES
#define SKERRY_UNIT_DTYPES(X, ...) X(int32, __VA_ARGS__) X(float32, __VA_ARGS__)
#endif

/// For each dtype of the unit, defines `fill_<family>_<dtype>`, which adds the dtype's kernels to
/// the table of the family. The calls are generated (ops/table).
#define SKERRY_KERNEL_UNIT(family, Kernels) SKERRY_UNIT_DTYPES(SKERRY_UNIT_FILL, family, Kernels)
#define SKERRY_UNIT_FILL(name, family, Kernels) \
  void fill_##family##_##name(Kernels& table) { fill<type_of<Dtype::name>>(table); }
