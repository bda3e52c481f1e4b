// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::emulation {

/// From now on those who follow the values of the machine's memory (undefined_memory.hpp) and its
/// users (stream_races.hpp) are told of all that happens to it.
void observe_memory() noexcept;

}  // namespace skerry::emulation
