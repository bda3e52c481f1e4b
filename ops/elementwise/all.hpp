// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bitwise.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/list.hpp"
#include "ops/elementwise/logical.hpp"
#include "ops/elementwise/rounding.hpp"
#include "ops/elementwise/trigonometric.hpp"

// All functors and their lists, for kernels, the registry and tests.
