// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/backend.hpp"

namespace skerry::cpu {

extern const backend backend_in_use;

}  // namespace skerry::cpu
