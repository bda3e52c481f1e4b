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

/// CUresult's numbers that cudaError_t has not, or that the machine itself never gives.
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

/// What the runtime would say of the last failure of this thread stays: the driver's failures are
/// none of the runtime's.
class RuntimeErrorGuard {
 public:
  RuntimeErrorGuard() noexcept : code_(rehearsal::remembered_error()) {}
  RuntimeErrorGuard(const RuntimeErrorGuard&) = delete;
  RuntimeErrorGuard& operator=(const RuntimeErrorGuard&) = delete;
  ~RuntimeErrorGuard() { rehearsal::remember_error(code_); }

 private:
  int code_;
};

/// Every entry point: `body` if the driver was started.
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

/// The same for what works in the current context: none is made here, and after its sticky error
/// everything fails with that.
template <class Body>
int in_context(Body body) noexcept {
  return run_entry_point([&]() -> int {
    if (!rehearsal::has_current_device()) return code::invalid_context;
    const int sticky = rehearsal::sticky_error(rehearsal::current_ordinal());
    return sticky != 0 ? sticky : body();
  });
}

[[nodiscard]] inline bool exists(int ordinal) noexcept {
  return ordinal >= 0 && ordinal < current_emulator_settings().devices;
}

/// Whether one of them is null that may not be: such a call fails with 1.
template <class... Pointer>
[[nodiscard]] bool has_null(const Pointer*... pointers) noexcept {
  return ((pointers == nullptr) || ...);
}

[[nodiscard]] inline void* pointer(address data) noexcept { return reinterpret_cast<void*>(data); }
[[nodiscard]] inline address address_of(const void* data) noexcept {
  return reinterpret_cast<address>(data);
}

/// Refuses what the emulated driver has not, and says on stderr what it was.
[[nodiscard]] int unsupported(const char* feature) noexcept;

}  // namespace skerry::emulation::driver
