// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <exception>
#include <string>

#include "device/emulator/nccl/calls.hpp"
#include "device/emulator/nccl/groups.hpp"

/// Follows the declaration of one of NCCL's functions.
#define SKERRY_NCCL(symbol) __asm__(#symbol) __attribute__((visibility("default"), used))

namespace skerry::emulation::nccl {

/// ncclUniqueId
struct UniqueId {
  std::array<char, 128> text;
};

/// Returns an id that no other call on this machine returns.
[[nodiscard]] UniqueId new_unique_id();
[[nodiscard]] inline std::string text_of(const UniqueId& id) {
  return {id.text.data(), strnlen(id.text.data(), 39)};
}

/// As CUDA's runtime, device 0 if the thread has none.
[[nodiscard]] int current_device();

/// Calls a function of which exceptions, such as std::bad_alloc, must not reach programs in C.
template <class Function>
int without_exceptions(const Function& function) {
  try {
    return function();
  } catch (const std::exception&) {
    fail_group(system_error);
    return system_error;
  }
}

}  // namespace skerry::emulation::nccl
