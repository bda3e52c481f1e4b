// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/launch.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/stream.hpp"

namespace skerry {

void throw_no_form(device where, const char* note) {
  throw not_implemented_error("launch: this operation has no implementation for " +
                              to_string(where) + note + "; move the arrays to another device");
}

void launch_at_once(device where, const kernel& what, const void* params, std::size_t,
                    std::span<const memory_use>) {
  if (what.host == nullptr) throw_no_form(where);
  what.host(params);
}

}  // namespace skerry
