// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry {

/// What a step of real floats does to vectors in registers, where the next step goes on with them
/// (ops/fuse/cpu/chain.hpp). Of two inputs the vectors are the first, from add_to on the second.
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

/// What an operation says about itself; part of its declaration.
struct OpInfo {
  const char* name;
  const char* doc;         ///< body of the docstring, NumPy style
  bool expensive = false;  ///< a transcendental: worth threads from fewer elements
  /// Serves a function in Python that has its name, takes more dtypes and is what users see.
  bool is_private = false;
  ChainStep chain = ChainStep::no;
};

}  // namespace skerry
