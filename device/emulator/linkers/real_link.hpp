// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/emulator/linkers/link_input.hpp"

namespace skerry::emulation::linkers {

/// Values of nvJitLinkResult that are used here.
namespace link_result {
inline constexpr int success = 0;
inline constexpr int invalid_input = 3;
inline constexpr int internal_error = 6;
inline constexpr int null_input = 10;
inline constexpr int incorrect_input_type = 12;
}  // namespace link_result

/// A link by NVIDIA's library.
class RealLink {
 public:
  RealLink() = default;
  RealLink(const RealLink&) = delete;
  RealLink& operator=(const RealLink&) = delete;
  ~RealLink();

  // create, add and complete return an nvJitLinkResult. ptx and the logs return an empty string if
  // the library has no such output.
  [[nodiscard]] int create(std::span<const std::string> options);
  /// The input must stay at its address until the link is destroyed.
  [[nodiscard]] int add(const LinkInput& input);
  [[nodiscard]] int complete();
  [[nodiscard]] std::string ptx() const { return output("nvJitLinkGetLinkedPtx"); }
  [[nodiscard]] std::string error_log() const { return output("nvJitLinkGetErrorLog"); }
  [[nodiscard]] std::string info_log() const { return output("nvJitLinkGetInfoLog"); }

  [[nodiscard]] void* handle() const noexcept { return handle_; }

 private:
  /// Returns the output of `function`, whose size `function` + "Size" returns.
  [[nodiscard]] std::string output(const char* function) const;

  void* handle_ = nullptr;
};

}  // namespace skerry::emulation::linkers
