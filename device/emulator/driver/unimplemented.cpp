// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/unimplemented.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr std::string_view names[] = {
#define SKERRY_UNIMPLEMENTED(name) #name,
#include "device/emulator/driver/unimplemented.inc"
#undef SKERRY_UNIMPLEMENTED
};

/// Fails, and prints the function's name at the first call. Callers may pass any arguments: by the
/// calling convention the caller removes them.
template <std::size_t Index>
int reject_call() noexcept {
  static std::atomic<bool> was_said{false};
  if (was_said.exchange(true)) return code::not_supported;
  return unsupported(std::string(names[Index]).c_str());
}

template <std::size_t... Indices>
constexpr auto rejections(std::index_sequence<Indices...>) noexcept {
  return std::array{&reject_call<Indices>...};
}

}  // namespace

void* find_unimplemented(std::string_view name) noexcept {
  constexpr auto functions = rejections(std::make_index_sequence<std::size(names)>());
  const auto* const entry = std::ranges::find(names, name);
  if (entry == std::end(names)) return nullptr;
  return reinterpret_cast<void*>(functions[static_cast<std::size_t>(entry - std::begin(names))]);
}

}  // namespace skerry::emulation::driver
