// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device/emulator/failure.hpp"

namespace skerry::emulation {

// Failures in this process: a list for programs, text on stderr for people.

/// Capacity of the list; further failures are only counted.
inline constexpr std::size_t max_reports = 1000;

/// Reports an error on a device. Repeated failures at the same lines of a kernel share an entry.
void report(int ordinal, const Failure& failure);
/// Reports a failure that may be collected instead of being an error (SKERRY_EMULATE_COLLECT). True
/// if it is an error.
[[nodiscard]] bool report_if_error(int ordinal, const Failure& failure);
/// Reports a failure that is not an error of the device.
void report_finding(int ordinal, const Failure& failure);
/// Sets the text of a device's next sticky error, whose failure is reported already.
void set_error_text(int ordinal, const std::string& text);
/// Prints why a call is rejected, unless quiet. The caller returns the status.
void explain(int ordinal, const Failure& failure);
/// Prints a notice that is not an error, even if quiet.
void notice(int ordinal, const Failure& failure);
/// Returns the text of the last error, or an empty string.
[[nodiscard]] std::string last_report();
/// Returns all failures as a JSON array, in order of first occurrence.
[[nodiscard]] std::string reports_as_json();

}  // namespace skerry::emulation

extern "C" {

/// Writes the reports as a zero-terminated JSON array. Returns the bytes needed, including the
/// zero; writes nothing if they exceed `capacity`.
__attribute__((visibility("default"))) std::size_t skerry_emulator_reports(char* buffer,
                                                                           std::size_t capacity);
/// Counts all failures since the reports were cleared, including those beyond the list's capacity.
__attribute__((visibility("default"))) std::uint64_t skerry_emulator_report_count();
/// Lets the errors of all devices count as noticed: the program has got the reports.
__attribute__((visibility("default"))) void skerry_emulator_notice();
/// Discards the reports. Errors of devices count as noticed.
__attribute__((visibility("default"))) void skerry_emulator_clear_reports();
/// Sets a variable SKERRY_EMULATE_* for later launches. No kernel may be running. Returns an error
/// message, valid until this thread's next call, or null.
__attribute__((visibility("default"))) const char* skerry_emulator_set(const char* name,
                                                                       const char* value);
/// Blocks until all devices are idle.
__attribute__((visibility("default"))) void skerry_emulator_wait();
/// Reports what the calling thread has left undone. For the end of a program.
__attribute__((visibility("default"))) void skerry_emulator_check_end();
/// Waits at most `seconds` for the devices' work. If a device then has an error that no call has
/// returned, prints it, and the process ends with status 1 instead of 0. For the end of a program.
__attribute__((visibility("default"))) void skerry_emulator_end(double seconds);
/// Clears sticky errors: devices can be used again, with their memory unchanged.
__attribute__((visibility("default"))) void skerry_emulator_repair();
}
