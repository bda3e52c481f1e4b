// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry {

/// What an operation says about itself; part of its declaration.
struct op_info {
  const char* name;
  const char* doc;         ///< body of the docstring, NumPy style
  bool expensive = false;  ///< a transcendental: worth threads from fewer elements
  /// Serves a function in Python that has its name, takes more dtypes and is what users see.
  bool is_private = false;
};

}  // namespace skerry
