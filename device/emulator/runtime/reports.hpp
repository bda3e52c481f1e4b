// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device/emulator/failure.hpp"

namespace skerry::emulation {

// What went wrong in this process: a list for programs, lines on stderr for people.

/// For so many the list has all parts; others are counted.
inline constexpr std::size_t max_reports = 1000;

/// Tells what went wrong on a device, once for the same lines of a kernel.
void report(int ordinal, const Failure& failure);
/// The same for what may be told of without being an error; whether it is one.
[[nodiscard]] bool report_if_error(int ordinal, const Failure& failure);
/// Says on stderr why a call is refused; its caller has the status.
void explain(int ordinal, const Failure& failure);
/// Says on stderr what is not wrong; also where what is wrong is kept for others.
void notice(int ordinal, const Failure& failure);
/// The text of the last one that was an error; empty if there was none.
[[nodiscard]] std::string last_report();
/// All of them, in their order, as an array of JSON.
[[nodiscard]] std::string reports_as_json();

}  // namespace skerry::emulation

extern "C" {

/// Writes the reports as a zero-terminated array of JSON and says how many bytes that takes with
/// its zero; where they are more than `capacity`, nothing is written.
__attribute__((visibility("default"))) std::size_t skerry_emulator_reports(char* buffer,
                                                                           std::size_t capacity);
/// How many there were since they were cleared, those that the list has no room for included.
__attribute__((visibility("default"))) std::uint64_t skerry_emulator_report_count();
__attribute__((visibility("default"))) void skerry_emulator_clear_reports();
/// Sets what a variable SKERRY_EMULATE_* means for launches from now on, while no kernel runs. What
/// is wrong with it, or null; the text lives until the thread's next call.
__attribute__((visibility("default"))) const char* skerry_emulator_set(const char* name,
                                                                       const char* value);
/// Until all devices have done their work.
__attribute__((visibility("default"))) void skerry_emulator_wait();
/// Devices that kernels have made unusable work again, with what was in their memory.
__attribute__((visibility("default"))) void skerry_emulator_repair();
}
