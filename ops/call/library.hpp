// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry {

/// Throws LibraryError: a library of the CUDA toolkit can't be opened.
[[noreturn]] void throw_library_error(const char* library, const char* error_message);

}  // namespace skerry
