// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/promotion.hpp"

namespace skerry {

/// Rejects promotion of mixed kinds during its lifetime, as the standard leaves it open.
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
