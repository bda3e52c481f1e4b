// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/emulator/failure.hpp"

namespace skerry::emulation {

/// Such as "8 bytes past the end of 4096 bytes at 0x200000000000 of device 0".
[[nodiscard]] std::string text_of(const MemoryNear& memory);
/// Such as "(1,0,0)".
[[nodiscard]] std::string text_of(const Extent& extent);
/// An instruction and the line it was made from.
[[nodiscard]] std::string text_of(const SourceLine& source_line);
/// `failure.what` in a line, from what it wanted of memory where that is known.
[[nodiscard]] std::string headline(const Failure& failure);
/// All of it, in lines.
[[nodiscard]] std::string text_of(const Failure& failure);

}  // namespace skerry::emulation
