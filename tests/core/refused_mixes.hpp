// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/promotion.hpp"

namespace skerry {

/// While it lives, mixed kinds of dtypes are refused, as the standard leaves them open.
class RefusedMixes {
 public:
  RefusedMixes() {
    ask_whether_strict([] { return true; });
  }
  RefusedMixes(const RefusedMixes&) = delete;
  RefusedMixes& operator=(const RefusedMixes&) = delete;
  ~RefusedMixes() { ask_whether_strict(nullptr); }
};

}  // namespace skerry
