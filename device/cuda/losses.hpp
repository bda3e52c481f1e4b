// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::cuda {

/// Takes lost devices into use again, for tests of what happens when a rehearsed one is lost. A GPU
/// stays lost.
void forget_losses() noexcept;

}  // namespace skerry::cuda
