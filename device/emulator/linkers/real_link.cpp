// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/linkers/real_link.hpp"

#include <cstddef>
#include <cstdint>

#include "device/emulator/linkers/real_library.hpp"

namespace skerry::emulation::linkers {

RealLink::~RealLink() {
  auto* const destroy = real<int(void**)>("nvJitLinkDestroy");
  if (handle_ != nullptr && destroy != nullptr) destroy(&handle_);
}

int RealLink::create(std::span<const std::string> options) {
  using function = int(void**, std::uint32_t, const char**);
  auto* const create = real<function>("nvJitLinkCreate");
  if (create == nullptr) return link_result::internal_error;
  std::vector<const char*> handed;
  for (const std::string& option : options) handed.push_back(option.c_str());
  return create(&handle_, static_cast<std::uint32_t>(handed.size()), handed.data());
}

int RealLink::add(const LinkInput& input) {
  using function = int(void*, int, const void*, std::size_t, const char*);
  auto* const add = real<function>("nvJitLinkAddData");
  if (add == nullptr) return link_result::internal_error;
  return add(handle_, input.type, input.data.data(), input.data.size(), input.name.c_str());
}

int RealLink::complete() {
  auto* const complete = real<int(void*)>("nvJitLinkComplete");
  return complete == nullptr ? link_result::internal_error : complete(handle_);
}

std::string RealLink::output(const char* function) const {
  auto* const size = real<int(void*, std::size_t*)>((std::string(function) + "Size").c_str());
  auto* const get = real<int(void*, char*)>(function);
  std::size_t nbytes = 0;
  if (handle_ == nullptr || size == nullptr || get == nullptr) return {};
  if (size(handle_, &nbytes) != link_result::success || nbytes == 0) return {};
  std::string text(nbytes, '\0');
  if (get(handle_, text.data()) != link_result::success) return {};
  text.resize(text.find('\0') == std::string::npos ? nbytes : text.find('\0'));
  return text;
}

}  // namespace skerry::emulation::linkers
