// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define SKERRY_LINKER_EXPORT extern "C" __attribute__((visibility("default")))

namespace skerry::emulation::linkers {

/// Returns the address of `name` in the NVIDIA library that this stand-in replaces; null before
/// skerry_linker_open, or if that library has no such function.
[[nodiscard]] void* real_symbol(const char* name) noexcept;

template <class Function>
[[nodiscard]] Function* real(const char* name) noexcept {
  return reinterpret_cast<Function*>(real_symbol(name));
}

}  // namespace skerry::emulation::linkers

/// Opens NVIDIA's library by its path, once. Returns an error text, or null on success.
SKERRY_LINKER_EXPORT const char* skerry_linker_open(const char* path) noexcept;
