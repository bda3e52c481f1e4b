// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"

namespace skerry {

/// Throws read_only_error, with the remedy, for a read-only target and for one in which two
/// elements share memory.
void require_writable(const char* op, const ndarray& target);

}  // namespace skerry
