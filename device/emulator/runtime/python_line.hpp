// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace skerry::emulation {

/// A line of a Python program.
struct PythonLine {
  std::string file = {};
  std::uint32_t number = 0;  ///< 0: unknown
};

/// Returns the line of this thread's innermost Python frame outside of the libraries that allocate
/// device memory; unknown if there is none. Acquires the GIL: the caller must hold no lock that a
/// thread with the GIL may wait for.
[[nodiscard]] PythonLine python_line();

}  // namespace skerry::emulation
