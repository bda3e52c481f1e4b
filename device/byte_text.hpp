// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace skerry {

/// "512 bytes", "8.00 GiB": for messages.
[[nodiscard]] std::string byte_text(std::size_t nbytes);

}  // namespace skerry
