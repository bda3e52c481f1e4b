// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstdint>

namespace skerry::emulation {

/// Sets the thread's rounding mode for a scope. Its users are compiled with -frounding-math.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) noexcept : previous_state_(exchange(mode)) {}
  ~RoundingMode() { set(previous_state_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
#if defined(__SSE2__)
  // Sets only the mode of SSE and AVX: fesetround also sets that of the x87, which takes longer
  // than the arithmetic of 32 lanes.
  using state = std::uint32_t;
  static state exchange(int mode) noexcept {
    constexpr state field = 0x6000;
    constexpr int shift = 3;  // FE_* have the positions of the x87 control word
    state previous_state = 0;
    asm volatile("stmxcsr %0" : "=m"(previous_state));
    set((previous_state & ~field) | static_cast<state>(mode) << shift);
    return previous_state;
  }
  static void set(state new_state) noexcept {
    asm volatile("ldmxcsr %0" : : "m"(new_state) : "memory");
  }
#else
  using state = int;
  static state exchange(int mode) noexcept {
    const state previous_state = std::fegetround();
    set(mode);
    return previous_state;
  }
  static void set(state new_state) noexcept { std::fesetround(new_state); }
#endif

  state previous_state_;
};

}  // namespace skerry::emulation
