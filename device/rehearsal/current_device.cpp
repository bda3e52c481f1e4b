// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/current_device.hpp"

#include <array>
#include <atomic>
#include <cstdint>

#include "device/rehearsal/control.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::rehearsal {

namespace {

constinit std::array<std::atomic<bool>, max_devices> contexts{};

/// A context's name (its handle, or null) with the device's ordinal in the upper byte, which is
/// zero in addresses. Packed because static TLS is scarce: libraries that are opened late share 1.6
/// KiB of it.
class StackedContext {
 public:
  StackedContext() = default;
  StackedContext(int ordinal, void* name) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(name) | static_cast<std::uintptr_t>(ordinal)
                                                           << name_bits) {}
  [[nodiscard]] int ordinal() const noexcept { return static_cast<int>(bits_ >> name_bits); }
  [[nodiscard]] void* name() const noexcept {
    return reinterpret_cast<void*>(bits_ & ((std::uintptr_t{1} << name_bits) - 1));
  }

 private:
  static constexpr int name_bits = 56;
  std::uintptr_t bits_ = 0;
};
struct ContextStack {
  std::array<StackedContext, 16> contexts{};
  int depth = 0;
};
constinit thread_local ContextStack current{};

[[nodiscard]] StackedContext& top() noexcept {
  return current.contexts[static_cast<std::size_t>(current.depth - 1)];
}

}  // namespace

int current_ordinal() noexcept { return current.depth == 0 ? 0 : top().ordinal(); }

bool has_current_device() noexcept { return current.depth > 0; }

int use_current_device() noexcept {
  if (current.depth == 0) [[unlikely]]
    set_current_device(0);
  return top().ordinal();
}

void set_current_device(int ordinal, void* name) noexcept {
  if (current.depth == 0) current.depth = 1;
  top() = {ordinal, name};
  contexts[static_cast<std::size_t>(ordinal)].store(true);
}

bool push_device(int ordinal, void* name) noexcept {
  if (current.depth == static_cast<int>(current.contexts.size())) return false;
  ++current.depth;
  set_current_device(ordinal, name);
  return true;
}

void* current_context_name() noexcept { return current.depth == 0 ? nullptr : top().name(); }

bool pop_device() noexcept {
  if (current.depth == 0) return false;
  --current.depth;
  return true;
}

bool has_context(int ordinal) noexcept {
  return contexts[static_cast<std::size_t>(ordinal)].load();
}

}  // namespace skerry::rehearsal
