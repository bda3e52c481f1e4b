// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/writable.hpp"

#include <string>

#include "core/errors.hpp"

namespace skerry {

void require_writable(const char* op, const ndarray& target) {
  if (target.read_only()) {
    throw read_only_error(std::string(op) + ": the target is read-only: " + describe(target) +
                          "; write to a copy of it");
  }
  if (overlaps_itself(target.layout(), target.itemsize())) {
    throw read_only_error(std::string(op) + ": elements of the target share memory: " +
                          describe(target) + " is a broadcast view; write to a copy of it");
  }
}

}  // namespace skerry
