// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"

namespace skerry {

/// Uninitialised, C order. `op` is whom errors name.
[[nodiscard]] ndarray empty(const char* op, const dims& shape, dtype type, device where);
[[nodiscard]] ndarray empty(const dims& shape, dtype type, device where);
/// Uninitialised, of a checked dense layout.
[[nodiscard]] ndarray empty_of(layout place, dtype type, device where);

namespace detail {
/// Called with each array that this thread is about to write, by who may have put off reading it;
/// null while nobody may.
using write_hook = void (*)(const ndarray& target);
[[gnu::tls_model("initial-exec")]] extern constinit thread_local write_hook before_write;
}  // namespace detail

/// Throws read_only_error, with the remedy, for a read-only target and for one in which two
/// elements share memory.
void require_writable(const char* op, const ndarray& target);

}  // namespace skerry
