// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skerry::emulation::linkers {

/// nvJitLinkInputType's numbers.
namespace input_type {
inline constexpr int cubin = 1;
inline constexpr int ptx = 2;
inline constexpr int lto_ir = 3;
inline constexpr int any = 10;
}  // namespace input_type

/// What a program hands to the linker, with a copy of its bytes.
struct LinkInput {
  int type = 0;
  std::string name;
  std::string data;
};

/// Whether it holds functions for the linker to compile, nothing else.
[[nodiscard]] bool is_lto_ir(const LinkInput& input) noexcept;

/// CUDA's device runtime, whose functions the emulated device has itself.
[[nodiscard]] bool is_device_runtime(const LinkInput& input) noexcept;

/// The PTX in an input: in text, fat binaries, objects and archives of objects.
/// Throws ImageError for what holds machine code alone, of a device of this capability.
[[nodiscard]] std::vector<std::string> ptx_in(const LinkInput& input, int compute_capability);

}  // namespace skerry::emulation::linkers
