// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry {

/// The operation of one step of a fused chain of real floats, whose intermediate values stay in
/// registers (ops/fuse/cpu/chain.hpp). The previous value is the first of two inputs or, from
/// add_to on, the second.
enum class ChainStep : unsigned char {
  no,
  square,
  negative,
  reciprocal,
  add,
  subtract,
  multiply,
  divide,
  add_to,
  subtract_from,
  multiply_to,
  divide_into,
};

/// Properties of an operation; part of its declaration.
struct OpInfo {
  const char* name;
  const char* doc;         ///< body of the docstring, NumPy style
  bool expensive = false;  ///< a transcendental function: threads pay for fewer elements
  /// Not public: called by a Python function of the same name, which accepts more dtypes.
  bool is_private = false;
  ChainStep chain = ChainStep::no;
};

}  // namespace skerry
