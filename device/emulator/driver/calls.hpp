// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <system_error>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/failure.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/launches.hpp"
#include "device/rehearsal/current_device.hpp"
#include "device/rehearsal/faults.hpp"

namespace skerry::emulation::driver {

/// Values of CUresult, in addition to the statuses in failure.hpp.
namespace code {
using namespace emulation::code;
inline constexpr int success = 0;
inline constexpr int out_of_memory = 2;
inline constexpr int not_initialized = 3;
inline constexpr int invalid_device = 101;
inline constexpr int invalid_context = 201;
inline constexpr int unsupported_limit = 215;
inline constexpr int file_not_found = 301;
inline constexpr int operating_system = 304;
inline constexpr int invalid_handle = 400;
inline constexpr int not_found = 500;
inline constexpr int peer_access_not_enabled = 705;
}  // namespace code

/// Restores this thread's last error of the runtime, which a failed driver call must not change.
class RuntimeErrorGuard {
 public:
  RuntimeErrorGuard() noexcept : code_(rehearsal::remembered_error()) {}
  RuntimeErrorGuard(const RuntimeErrorGuard&) = delete;
  RuntimeErrorGuard& operator=(const RuntimeErrorGuard&) = delete;
  ~RuntimeErrorGuard() { rehearsal::remember_error(code_); }

 private:
  int code_;
};

/// Runs the body of an entry point, if the driver has been initialized.
template <class Body>
int run_entry_point(Body body) noexcept {
  if (!system_has_started()) return code::not_initialized;
  const RuntimeErrorGuard error_guard;
  try {
    return body();
  } catch (const ImageError& error) {
    report(rehearsal::current_ordinal(), {error.code(), error.what()});
    return error.code();
  } catch (const std::bad_alloc&) {
    return code::out_of_memory;
  } catch (const std::system_error&) {
    return code::operating_system;
  }
}

/// As run_entry_point, for functions that need a current context. Does not create one. After a
/// sticky error, every call fails with it.
template <class Body>
int in_context(Body body) noexcept {
  return run_entry_point([&]() -> int {
    if (!rehearsal::has_current_device()) return code::invalid_context;
    const int sticky = rehearsal::returned_error(rehearsal::current_ordinal());
    return sticky != 0 ? sticky : body();
  });
}

/// As in_context, for functions that release something: destructors call them and ignore their
/// errors, so a sticky error stays unnoticed.
template <class Body>
int release_in_context(Body body) noexcept {
  return run_entry_point([&]() -> int {
    if (!rehearsal::has_current_device()) return code::invalid_context;
    const int sticky = rehearsal::sticky_error(rehearsal::current_ordinal());
    return sticky != 0 ? sticky : body();
  });
}

[[nodiscard]] inline bool exists(int ordinal) noexcept {
  return ordinal >= 0 && ordinal < current_emulator_settings().devices;
}

/// True if any of these required pointers is null; the call then returns an invalid value (1).
template <class... Pointer>
[[nodiscard]] bool has_null(const Pointer*... pointers) noexcept {
  return ((pointers == nullptr) || ...);
}

[[nodiscard]] inline void* pointer(address data) noexcept { return reinterpret_cast<void*>(data); }
[[nodiscard]] inline address address_of(const void* data) noexcept {
  return reinterpret_cast<address>(data);
}

/// Prints the name of an unsupported feature to stderr and returns 801.
[[nodiscard]] int unsupported(const char* feature) noexcept;

}  // namespace skerry::emulation::driver
