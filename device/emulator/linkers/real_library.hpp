// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define SKERRY_LINKER_EXPORT extern "C" __attribute__((visibility("default")))

namespace skerry::emulation::linkers {

/// Returns the address of a function of NVIDIA's library that this one replaces; null before
/// skerry_linker_open, and if that library lacks it.
[[nodiscard]] void* real_symbol(const char* name) noexcept;

template <class Function>
[[nodiscard]] Function* real(const char* name) noexcept {
  return reinterpret_cast<Function*>(real_symbol(name));
}

}  // namespace skerry::emulation::linkers

/// Opens NVIDIA's library by its path, once. Returns an error text, or null on success.
SKERRY_LINKER_EXPORT const char* skerry_linker_open(const char* path) noexcept;
