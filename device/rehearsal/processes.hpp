// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::rehearsal {

/// True for a zombie too, whose parent has not waited for it yet.
[[nodiscard]] bool has_ended(int process) noexcept;

}  // namespace skerry::rehearsal
