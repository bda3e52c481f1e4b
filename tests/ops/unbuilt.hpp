// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "core/dtype.hpp"
#include "ops/call/kernels.hpp"

/// Returns from a function of a test if this build has no kernels of one of these dtypes
/// (SKERRY_DTYPES). The rest of the test runs, and the test is reported as skipped.
#define SKERRY_SKIP_UNBUILT(...)                                        \
  for (const ::skerry::Dtype needed_dtype : {__VA_ARGS__}) {            \
    if (!::skerry::is_built(needed_dtype)) {                            \
      GTEST_SKIP() << "built without " << ::skerry::name(needed_dtype); \
    }                                                                   \
  }                                                                     \
  static_assert(true)
