// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::emulation {

/// The machine tells from now on what it does with memory to those who follow its values
/// (undefined_memory.hpp) and its users (stream_races.hpp).
void watch_memory() noexcept;

}  // namespace skerry::emulation
