// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::driver {

struct FoundFunction {
  void* function = nullptr;
  bool is_known = false;  ///< without a function: a newer version of CUDA has one
};
/// Returns the variant that `name` stands for in `version` of CUDA, such as 13000. For a function
/// that is not emulated, returns one that reports this and fails.
[[nodiscard]] FoundFunction find_function(std::string_view name, int version) noexcept;

}  // namespace skerry::emulation::driver
