// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/promotion.hpp"

namespace skerry {

/// While it lives, mixed kinds of dtypes are refused, as the standard leaves them open.
class refused_mixes {
 public:
  refused_mixes() {
    ask_whether_strict([] { return true; });
  }
  refused_mixes(const refused_mixes&) = delete;
  refused_mixes& operator=(const refused_mixes&) = delete;
  ~refused_mixes() { ask_whether_strict(nullptr); }
};

}  // namespace skerry
