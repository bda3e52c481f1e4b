// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/emulator/linkers/link_input.hpp"

namespace skerry::emulation::linkers {

/// nvJitLinkResult's numbers, as far as they are given here.
namespace link_result {
inline constexpr int success = 0;
inline constexpr int invalid_input = 3;
inline constexpr int internal_error = 6;
inline constexpr int null_input = 10;
inline constexpr int incompatible_options = 12;
}  // namespace link_result

/// A link by NVIDIA's library.
class RealLink {
 public:
  RealLink() = default;
  RealLink(const RealLink&) = delete;
  RealLink& operator=(const RealLink&) = delete;
  ~RealLink();

  /// Each returns an nvJitLinkResult; the texts are empty where there is none.
  [[nodiscard]] int create(std::span<const std::string> options);
  /// The input has to stay where it is as long as the link.
  [[nodiscard]] int add(const LinkInput& input);
  [[nodiscard]] int complete();
  [[nodiscard]] std::string ptx() const { return output("nvJitLinkGetLinkedPtx"); }
  [[nodiscard]] std::string error_log() const { return output("nvJitLinkGetErrorLog"); }
  [[nodiscard]] std::string info_log() const { return output("nvJitLinkGetInfoLog"); }

  [[nodiscard]] void* handle() const noexcept { return handle_; }

 private:
  /// For a pair of functions, one of which is named as the other with "Size".
  [[nodiscard]] std::string output(const char* function) const;

  void* handle_ = nullptr;
};

}  // namespace skerry::emulation::linkers
