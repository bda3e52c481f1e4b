// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/errors.hpp"

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

namespace {

using rehearsal::ErrorRow;

int give(int code, const char** text, const char* ErrorRow::* member) noexcept {
  if (has_null(text)) return code::invalid_value;
  const ErrorRow* const row = rehearsal::find_error(code);
  const bool has_driver_name = row != nullptr && row->driver_name != nullptr;
  *text = has_driver_name ? row->*member : nullptr;
  return has_driver_name ? code::success : code::invalid_value;
}

}  // namespace

int get_error_name(int code, const char** name) { return give(code, name, &ErrorRow::driver_name); }
int get_error_string(int code, const char** text) { return give(code, text, &ErrorRow::text); }

}  // namespace skerry::emulation::driver
