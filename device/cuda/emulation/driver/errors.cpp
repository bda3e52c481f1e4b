// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/errors.hpp"

#include "device/cuda/emulation/driver/calls.hpp"

namespace skerry::emulation::driver {

namespace {

using rehearsal::ErrorRow;

int give(int code, const char** into, const char* ErrorRow::* which) noexcept {
  if (has_null(into)) return code::invalid_value;
  const ErrorRow* const found = rehearsal::find_error(code);
  const bool known = found != nullptr && found->driver_name != nullptr;
  *into = known ? found->*which : nullptr;
  return known ? code::success : code::invalid_value;
}

}  // namespace

int get_error_name(int code, const char** name) { return give(code, name, &ErrorRow::driver_name); }
int get_error_string(int code, const char** text) { return give(code, text, &ErrorRow::text); }

}  // namespace skerry::emulation::driver
