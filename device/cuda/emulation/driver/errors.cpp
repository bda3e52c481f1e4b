// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/errors.hpp"

#include "device/cuda/emulation/driver/calls.hpp"

namespace skerry::emulation::driver {

namespace {

using rehearsal::error_row;

int give(int code, const char** into, const char* error_row::* which) noexcept {
  if (has_null(into)) return code::invalid_value;
  const error_row* const found = rehearsal::find_error(code);
  const bool known = found != nullptr && found->driver_name != nullptr;
  *into = known ? found->*which : nullptr;
  return known ? code::success : code::invalid_value;
}

}  // namespace

int get_error_name(int code, const char** name) {
  return give(code, name, &error_row::driver_name);
}
int get_error_string(int code, const char** text) { return give(code, text, &error_row::text); }

}  // namespace skerry::emulation::driver
