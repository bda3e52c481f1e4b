// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skerry::emulation::linkers {

/// Values of nvJitLinkInputType.
namespace input_type {
inline constexpr int cubin = 1;
inline constexpr int ptx = 2;
inline constexpr int lto_ir = 3;
inline constexpr int any = 10;
}  // namespace input_type

/// An input of the linker, with a copy of its bytes.
struct LinkInput {
  int type = 0;
  std::string name;
  std::string data;
};

/// True if the input is LTO-IR, which the linker has to compile.
[[nodiscard]] bool is_lto_ir(const LinkInput& input) noexcept;

/// True for CUDA's device runtime, whose functions the emulator implements itself.
[[nodiscard]] bool is_device_runtime(const LinkInput& input) noexcept;

/// Returns the PTX of an input: text, fat binaries, objects or archives of objects. Throws
/// ImageError if there is none, as in machine code, or if the input is damaged.
[[nodiscard]] std::vector<std::string> ptx_in(const LinkInput& input, int compute_capability);

}  // namespace skerry::emulation::linkers
