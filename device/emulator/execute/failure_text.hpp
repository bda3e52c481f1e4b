// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/emulator/failure.hpp"

namespace skerry::emulation {

/// Formats e.g. "8 bytes past the end of 4096 bytes at 0x200000000000 of device 0".
[[nodiscard]] std::string text_of(const MemoryNear& memory);
/// Formats e.g. "float32 (64,): 8 bytes past its end".
[[nodiscard]] std::string text_of(const NamedArray& array);
/// Formats e.g. "(1,0,0)".
[[nodiscard]] std::string text_of(const Extent& extent);
/// Formats an instruction, its source line's position and text.
[[nodiscard]] std::string text_of(const SourceLine& source_line);
/// Returns a one-line summary, which includes the memory access if there is one.
[[nodiscard]] std::string headline(const Failure& failure);
/// Returns the complete report, in several lines.
[[nodiscard]] std::string text_of(const Failure& failure);

}  // namespace skerry::emulation
