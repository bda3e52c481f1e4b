// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/promotion.hpp"

namespace skerry {

/// Rejects promotion of mixed kinds, which the standard leaves undefined, during its lifetime.
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
