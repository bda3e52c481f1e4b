// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::driver {

struct FoundFunction {
  void* function = nullptr;
  bool is_known = false;  ///< if there is no function: another version has one
};
/// Returns the variant of a function that its name means in `version` of CUDA, such as 13000. For a
/// function that is not emulated, returns one that reports this and fails.
[[nodiscard]] FoundFunction find_function(std::string_view name, int version) noexcept;

}  // namespace skerry::emulation::driver
