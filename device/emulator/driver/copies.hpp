// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace skerry::emulation::driver {

/// Enqueues a copy whose kind is inferred from the two addresses. Returns a status.
[[nodiscard]] int enqueue_copy(void* target, const void* source, std::size_t nbytes, void* stream);
/// Ends a synchronous call: waits for the legacy stream, unless `status` of the enqueued work is an
/// error.
[[nodiscard]] int wait_for_legacy_stream(int status);

}  // namespace skerry::emulation::driver
