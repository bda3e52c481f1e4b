// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/library.hpp"

#include <string>

#include "core/errors.hpp"

namespace skerry {

void throw_library_error(const char* library, const char* error_message) {
  throw LibraryError(std::string(library) + " can't be used: " + error_message +
                     "; install the libraries of the CUDA toolkit of this build where the loader "
                     "finds them (LD_LIBRARY_PATH, CUDA_HOME)");
}

}  // namespace skerry
