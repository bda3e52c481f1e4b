// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

namespace skerry::emulation {

/// The thread rounds so until the end of the block. Its files are compiled with -frounding-math.
class rounding_mode {
 public:
  explicit rounding_mode(int mode) noexcept : before_(std::fegetround()) { std::fesetround(mode); }
  ~rounding_mode() { std::fesetround(before_); }
  rounding_mode(const rounding_mode&) = delete;
  rounding_mode& operator=(const rounding_mode&) = delete;

 private:
  int before_;
};

}  // namespace skerry::emulation
