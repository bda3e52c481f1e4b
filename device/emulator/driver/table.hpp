// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::driver {

struct FoundFunction {
  void* function = nullptr;
  bool is_known = false;  ///< if there is no function: another version has one
};
/// Returns the variant of a function that `version` of CUDA (such as 13000) means by its name. A
/// function that the emulator does not implement is one that reports so and fails.
[[nodiscard]] FoundFunction find_function(std::string_view name, int version) noexcept;

}  // namespace skerry::emulation::driver
