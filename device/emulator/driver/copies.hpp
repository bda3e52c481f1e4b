// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace skerry::emulation::driver {

/// Between any two places that are told apart by their addresses. A status.
[[nodiscard]] int enqueue_copy(void* target, const void* source, std::size_t nbytes, void* stream);
/// What a call that returns when its work is done ends with; `status` is that of the work.
[[nodiscard]] int wait_for_legacy_stream(int status);

}  // namespace skerry::emulation::driver
