// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/contexts.hpp"

#include <array>
#include <mutex>
#include <unordered_map>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/libraries.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

// The handle of a device's primary context is the address of the device's byte here.
char handles[cuda::max_devices];

struct PrimaryState {
  int retained = 0;
  unsigned flags = 0;
};

struct AllContexts {
  std::mutex mutex;
  std::array<PrimaryState, cuda::max_devices> primary;
  std::unordered_map<const void*, int> program_contexts;  ///< created by programs: handle to device
  std::uintptr_t next_handle = 0x1000;
};

AllContexts& contexts() noexcept {
  static auto* const all = new AllContexts;  // leaked: may be used during process exit
  return *all;
}

int program_context_ordinal(const void* context) noexcept {
  AllContexts& all = contexts();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.program_contexts.find(context);
  return entry != all.program_contexts.end() ? entry->second : -1;
}

/// Replaces the context on top of the stack.
int replace_current(void* context) {
  const int ordinal = ordinal_of(context);
  if (ordinal < 0) return code::invalid_context;
  rehearsal::set_current_device(ordinal, context);
  return code::success;
}

int make_context(void** context, unsigned flags, int device) {
  constexpr unsigned known_flags = 0xff;
  if (has_null(context) || (flags & ~known_flags) != 0) return code::invalid_value;
  if (!exists(device)) return code::invalid_device;
  void* handle = nullptr;
  {
    AllContexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    // Handles are never reused, so a stale one is detected.
    handle = reinterpret_cast<void*>(all.next_handle);
    all.next_handle += 16;
    all.program_contexts.emplace(handle, device);
  }
  if (!rehearsal::push_device(device, handle)) return code::invalid_value;
  *context = handle;
  return code::success;
}

}  // namespace

void* primary_context(int ordinal) noexcept { return handles + ordinal; }

int ordinal_of(const void* context) noexcept {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(context) - reinterpret_cast<std::uintptr_t>(handles);
  if (offset < sizeof handles)
    return exists(static_cast<int>(offset)) ? static_cast<int>(offset) : -1;
  return program_context_ordinal(context);
}

void* current_context() noexcept {
  if (!rehearsal::has_current_device()) return nullptr;
  void* const context = rehearsal::current_context_name();
  return context != nullptr ? context : primary_context(rehearsal::current_ordinal());
}

int primary_context_retain(void** context, int device) {
  return run_entry_point([&]() -> int {
    if (has_null(context)) return code::invalid_value;
    if (!exists(device)) return code::invalid_device;
    AllContexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    ++all.primary[static_cast<std::size_t>(device)].retained;
    *context = primary_context(device);
    return code::success;
  });
}

int primary_context_release(int device) {
  return run_entry_point([&]() -> int {
    if (!exists(device)) return code::invalid_device;
    AllContexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    int& retained = all.primary[static_cast<std::size_t>(device)].retained;
    if (retained == 0) return code::invalid_context;
    --retained;
    return code::success;
  });
}

// As on a GPU, this frees other libraries' memory on the device, too. Loaded libraries remain;
// their variables are initialized again.
int primary_context_reset(int device) {
  return run_entry_point([&]() -> int {
    if (!exists(device)) return code::invalid_device;
    rehearsal::System& all = rehearsal::System::instance();
    all.wait_for_device(device);
    remove_modules(device);
    all.reset_device(device);
    invalidate_variables(device);
    rehearsal::clear_error(device);
    return code::success;
  });
}

int primary_context_get_state(int device, unsigned* flags, int* active) {
  return run_entry_point([&]() -> int {
    if (has_null(flags, active)) return code::invalid_value;
    if (!exists(device)) return code::invalid_device;
    AllContexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    const PrimaryState& state = all.primary[static_cast<std::size_t>(device)];
    *flags = state.flags;
    *active = state.retained > 0 ? 1 : 0;
    return code::success;
  });
}

int primary_context_set_flags(int device, unsigned flags) {
  return run_entry_point([&]() -> int {
    if (!exists(device)) return code::invalid_device;
    AllContexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    all.primary[static_cast<std::size_t>(device)].flags = flags;
    return code::success;
  });
}

int context_create_v2(void** context, unsigned flags, int device) {
  return run_entry_point([&] { return make_context(context, flags, device); });
}

int context_create_v3(void** context, const void*, int count, unsigned flags, int device) {
  return run_entry_point([&] {
    if (count != 0) return unsupported("cuCtxCreate_v3 with affinities");
    return make_context(context, flags, device);
  });
}

int context_create(void** context, const void* parameters, unsigned flags, int device) {
  return run_entry_point([&] {
    if (parameters != nullptr) return unsupported("cuCtxCreate_v4 with parameters");
    return make_context(context, flags, device);
  });
}

int context_destroy(void* context) {
  return run_entry_point([&]() -> int {
    const int ordinal = program_context_ordinal(context);
    if (ordinal < 0) return code::invalid_context;
    if (current_context() == context) static_cast<void>(rehearsal::pop_device());
    AllContexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    all.program_contexts.erase(context);
    return code::success;
  });
}

int context_push(void* context) {
  return run_entry_point([&]() -> int {
    const int ordinal = ordinal_of(context);
    if (ordinal < 0) return code::invalid_context;
    return rehearsal::push_device(ordinal, context) ? code::success : code::invalid_value;
  });
}

int context_pop(void** context) {
  return run_entry_point([&]() -> int {
    void* const top = current_context();
    if (top == nullptr) return code::invalid_context;
    if (context != nullptr) *context = top;
    static_cast<void>(rehearsal::pop_device());
    return code::success;
  });
}

int context_set_current(void* context) {
  return run_entry_point([&]() -> int {
    if (context != nullptr) return replace_current(context);
    static_cast<void>(rehearsal::pop_device());
    return code::success;
  });
}

int context_get_current(void** context) {
  return run_entry_point([&]() -> int {
    if (has_null(context)) return code::invalid_value;
    *context = current_context();
    return code::success;
  });
}

int context_get_device(int* device) { return context_get_device_of(device, nullptr); }

int context_get_device_of(int* device, void* context) {
  return run_entry_point([&]() -> int {
    if (has_null(device)) return code::invalid_value;
    const int ordinal = ordinal_of(context != nullptr ? context : current_context());
    if (ordinal < 0) return code::invalid_context;
    *device = ordinal;
    return code::success;
  });
}

int context_get_id(void* context, std::uint64_t* id) {
  return run_entry_point([&]() -> int {
    if (has_null(id)) return code::invalid_value;
    const void* const selected_context = context != nullptr ? context : current_context();
    if (ordinal_of(selected_context) < 0) return code::invalid_context;
    *id = address_of(selected_context);
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
