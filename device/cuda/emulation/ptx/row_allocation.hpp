// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/ptx/builder.hpp"

namespace skerry::emulation::ptx {

/// Gives registers whose values are needed at different times the same row: a sort has thousands of
/// virtual ones, and their rows would not fit into a cache. Lanes may be anywhere in the code, but
/// each has a place of its own in every row, so that what holds for one thread holds for all.
/// Writes their places from `begin` on, notes in `undefined` which may be read before they are
/// written, and returns where the rows end.
[[nodiscard]] std::uint32_t allocate_rows(std::span<const instruction> code,
                                          std::span<const virtual_row> rows, std::uint32_t begin,
                                          std::vector<row>& places,
                                          std::vector<undefined_row>& undefined);

}  // namespace skerry::emulation::ptx
