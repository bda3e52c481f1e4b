// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace skerry::emulation {

/// cudaError_t's numbers, which are CUresult's too, as far as the emulated machine gives them.
namespace code {
inline constexpr int invalid_value = 1;
inline constexpr int invalid_configuration = 9;
inline constexpr int invalid_kernel_image = 200;
inline constexpr int no_kernel_image_for_device = 209;
inline constexpr int invalid_ptx = 218;
inline constexpr int unsupported_ptx_version = 222;
inline constexpr int illegal_address = 700;
inline constexpr int launch_out_of_resources = 701;
inline constexpr int launch_timeout = 702;
inline constexpr int illegal_instruction = 715;
inline constexpr int misaligned_address = 716;
inline constexpr int launch_failure = 719;
inline constexpr int not_supported = 801;
}  // namespace code

/// What CUDA would say, and the text for people.
struct failure {
  int code = 0;
  std::string text;
};

/// An image that can't be loaded, or a kernel of it that can't be decoded.
class image_error : public std::runtime_error {
 public:
  image_error(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace skerry::emulation
