// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/linkers/ptx_link.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

#include "device/emulator/failure.hpp"
#include "device/emulator/linkers/image_text.hpp"

namespace skerry::emulation::linkers {
namespace {

[[nodiscard]] bool has(const std::vector<std::string>& options, std::string_view option) {
  return std::ranges::find(options, option) != options.end();
}

/// Returns the first number in the last option with this prefix; 0 if there is none.
[[nodiscard]] int number_in(const std::vector<std::string>& options, std::string_view prefix) {
  int number = 0;
  for (const std::string& option : options) {
    const std::size_t digit = option.find_first_of("0123456789");
    if (!option.starts_with(prefix) || digit == std::string::npos) continue;
    std::from_chars(option.data() + digit, option.data() + option.size(), number);
  }
  return number;
}

}  // namespace

PtxLink::PtxLink(std::vector<std::string> options)
    : options_(std::move(options)),
      is_lto_(has(options_, "-lto")),
      asks_for_ptx_(has(options_, "-ptx")),
      compute_capability_(number_in(options_, "-arch=")),
      max_registers_(number_in(options_, "-maxrregcount=")) {}

void PtxLink::take(std::string_view ptx) {
  image_ = image_of(max_registers_ > 0 ? ptx::with_register_limit(ptx, max_registers_) : ptx);
}

int PtxLink::create() {
  std::vector<std::string> options = options_;
  if (is_lto_ && !asks_for_ptx_) options.emplace_back("-ptx");
  return real_->create(options);
}

int PtxLink::add(LinkInput input) {
  if (input.data.starts_with(image_mark)) {
    input.type = input_type::ptx;
    input.data.erase(0, image_mark.size());
  }
  inputs_.push_back(std::move(input));
  // It is machine code: the library could not return PTX with it among the inputs.
  if (is_lto_ && is_device_runtime(inputs_.back())) return link_result::success;
  return real_->add(inputs_.back());
}

int PtxLink::complete() {
  // Join first: the library may crash on multiple definitions.
  if (!is_lto_) {
    if (const int refused = join({})) return refused;
    const int result = real_->complete();
    if (result != link_result::success) image_.clear();
    return result;
  }
  const int result = real_->complete();
  if (asks_for_ptx_) return result;
  if (result == link_result::success) take(real_->ptx());
  // The library returns PTX only if all inputs are LTO-IR.
  return result == link_result::incorrect_input_type ? complete_mixed() : result;
}

int PtxLink::complete_mixed() {
  std::string linked;
  if (const int refused = link_lto_ir(linked)) return refused;
  if (const int refused = join(std::move(linked))) return refused;
  const int result = link_all();
  if (result != link_result::success) image_.clear();
  return result;
}

/// Links to machine code, which is discarded, to get the library's errors, such as undefined names.
int PtxLink::link_all() {
  real_ = std::make_unique<RealLink>();
  if (const int refused = real_->create(options_)) return refused;
  for (const LinkInput& input : inputs_) {
    if (const int refused = real_->add(input)) return refused;
  }
  return real_->complete();
}

int PtxLink::link_lto_ir(std::string& ptx) {
  if (std::ranges::none_of(inputs_, is_lto_ir)) return link_result::success;
  std::vector<std::string> options = options_;
  options.emplace_back("-ptx");
  RealLink lto_link;
  if (const int refused = lto_link.create(options)) return refused;
  for (const LinkInput& input : inputs_) {
    if (!is_lto_ir(input)) continue;
    if (const int refused = lto_link.add(input)) return refused;
  }
  const int result = lto_link.complete();
  if (result == link_result::success) {
    ptx = lto_link.ptx();
  } else {
    own_log_ = lto_link.error_log();
  }
  return result;
}

int PtxLink::join(std::string linked) {
  std::vector<std::pair<std::string, std::string>> texts;
  if (!linked.empty()) texts.emplace_back("LTO-IR", std::move(linked));
  std::string prefix;
  try {
    for (const LinkInput& input : inputs_) {
      if (is_device_runtime(input) || (is_lto_ && is_lto_ir(input))) continue;
      prefix = "'" + input.name + "': ";
      for (std::string& text : ptx_in(input, compute_capability_)) {
        texts.emplace_back(input.name, std::move(text));
      }
    }
    prefix.clear();
    std::vector<ptx::LinkPart> parts;
    parts.reserve(texts.size());
    for (const auto& [name, text] : texts) parts.push_back({name, text});
    take(ptx::join_modules(parts));
  } catch (const ImageError& error) {
    own_log_ = "emulated GPU: " + prefix + error.what() + "\n";
    return link_result::invalid_input;
  }
  return link_result::success;
}

}  // namespace skerry::emulation::linkers
