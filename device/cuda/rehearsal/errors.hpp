// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::rehearsal {

// What CUDA calls its errors; the codes are those that the simulated runtime and the emulated GPU
// give, and those that skerry tells apart.

[[nodiscard]] const char* error_name(int code) noexcept;
[[nodiscard]] const char* error_string(int code) noexcept;

}  // namespace skerry::rehearsal
