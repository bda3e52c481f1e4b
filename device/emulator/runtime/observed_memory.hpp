// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::emulation {

/// Reports all uses of device memory by the simulated runtime to undefined_memory.hpp and
/// stream_races.hpp, from now on.
void observe_memory() noexcept;

}  // namespace skerry::emulation
