// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::driver {

struct FoundFunction {
  void* function = nullptr;
  bool is_known = false;  ///< of another version, if there is no function
};
/// The form of a function that a program for `version` of CUDA (13000) means by its name. One that
/// the emulated driver has not is a function that says so and fails.
[[nodiscard]] FoundFunction find_function(std::string_view name, int version) noexcept;

}  // namespace skerry::emulation::driver
