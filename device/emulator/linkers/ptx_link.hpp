// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/linkers/link_input.hpp"
#include "device/emulator/linkers/real_link.hpp"
#include "device/emulator/ptx/joined_modules.hpp"

namespace skerry::emulation::linkers {

/// A link that returns PTX in place of machine code. NVIDIA's library checks options and inputs,
/// compiles LTO-IR, and rejects what it would reject for a GPU; this class joins the PTX.
class PtxLink {
 public:
  explicit PtxLink(std::vector<std::string> options);

  // These return an nvJitLinkResult.
  [[nodiscard]] int create();
  [[nodiscard]] int add(LinkInput input);
  [[nodiscard]] int complete();

  /// Returns the marked PTX text that stands in for the cubin; empty if there is none. size() does
  /// not count the terminating zero, which is part of the image.
  [[nodiscard]] const std::string& image() const noexcept { return image_; }
  [[nodiscard]] bool asks_for_ptx() const noexcept { return asks_for_ptx_; }
  [[nodiscard]] std::string error_log() const { return own_log_ + real_->error_log(); }
  [[nodiscard]] std::string info_log() const { return real_->info_log(); }
  [[nodiscard]] void* real_handle() const noexcept { return real_->handle(); }

 private:
  [[nodiscard]] int complete_mixed();
  [[nodiscard]] int link_all();
  [[nodiscard]] int link_lto_ir(std::string& ptx);
  [[nodiscard]] int join(std::string linked);
  /// Sets the image from linked PTX.
  void take(std::string_view ptx);

  std::vector<std::string> options_;
  bool is_lto_ = false;
  bool asks_for_ptx_ = false;
  int compute_capability_ = 0;
  int max_registers_ = 0;
  std::deque<LinkInput> inputs_;  // a deque: the library keeps pointers to the names
  std::unique_ptr<RealLink> real_ = std::make_unique<RealLink>();
  std::string own_log_;
  std::string image_;
};

}  // namespace skerry::emulation::linkers
