// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/library.hpp"

/// Sets the file of OpenBLAS, for the package skerry_emulator.
extern "C" __attribute__((visibility("default"))) void skerry_emulator_set_openblas(
    const char* path) {
  skerry::blas::set_library(path);
}
