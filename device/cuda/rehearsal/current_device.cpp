// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/current_device.hpp"

#include <array>
#include <atomic>

#include "device/cuda/rehearsal/control.hpp"
#include "device/cuda/rehearsal/settings.hpp"

namespace skerry::rehearsal {

namespace {

constinit std::array<std::atomic<bool>, most_devices> contexts{};

struct context_stack {
  std::array<signed char, 8> ordinals{};
  int depth = 0;
};
constinit thread_local context_stack current{};

[[nodiscard]] signed char& top() noexcept {
  return current.ordinals[static_cast<std::size_t>(current.depth - 1)];
}

}  // namespace

int current_ordinal() noexcept { return current.depth == 0 ? 0 : top(); }

bool has_current_device() noexcept { return current.depth > 0; }

int use_current_device() noexcept {
  if (current.depth == 0) [[unlikely]]
    set_current_device(0);
  return top();
}

void set_current_device(int ordinal) noexcept {
  if (current.depth == 0) current.depth = 1;
  top() = static_cast<signed char>(ordinal);
  contexts[static_cast<std::size_t>(ordinal)].store(true);
}

bool push_device(int ordinal) noexcept {
  if (current.depth == static_cast<int>(current.ordinals.size())) return false;
  ++current.depth;
  set_current_device(ordinal);
  return true;
}

bool pop_device() noexcept {
  if (current.depth == 0) return false;
  --current.depth;
  return true;
}

bool has_context(int ordinal) noexcept {
  return contexts[static_cast<std::size_t>(ordinal)].load();
}

}  // namespace skerry::rehearsal
