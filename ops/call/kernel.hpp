// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/config.hpp"
#include "device/kernel.hpp"

namespace skerry {

/// What memory is to a kernel. An `untouched` operand lends a plan its strides and nothing else.
enum class Role : std::uint8_t {
  input,
  optional_input,
  output,
  optional_output,
  workspace,
  untouched,
};

/// A pointer in a kernel's parameters: a T* to the kernel, at no cost. Only a launch makes one
/// (OperandList), and it notes the use of the memory that the role says. There is no default, so
/// parameters whose initialiser leaves an operand out don't compile.
template <class T, Role R>
class OperandPointer {
 public:
  SKERRY_HD SKERRY_INLINE constexpr operator T*() const noexcept { return address_; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE constexpr T* get() const noexcept { return address_; }

 private:
  friend class OperandList;
  explicit OperandPointer(T* address) noexcept : address_(address) {}

  T* address_;
};

template <class T>
using InputPointer = OperandPointer<const T, Role::input>;
/// Null where the operand is absent.
template <class T>
using OptionalInputPointer = OperandPointer<const T, Role::optional_input>;
/// Also of memory that is read before it is written.
template <class T>
using OutputPointer = OperandPointer<T, Role::output>;
template <class T>
using OptionalOutputPointer = OperandPointer<T, Role::optional_output>;
/// Of the host form only: a native form has LaunchContext::workspace.
template <class T>
using WorkspacePointer = OperandPointer<T, Role::workspace>;

/// A plan in a kernel's parameters, of operands in these roles and in this order. Likewise made by
/// launches only. Without roles it is a plan of as many operands as there are at run time, which
/// says itself how many of them are outputs.
template <class Plan, Role... Roles>
class PlannedOperands {
 public:
  SKERRY_HD SKERRY_INLINE constexpr operator const Plan&() const noexcept { return plan_; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE constexpr const Plan& plan() const noexcept {
    return plan_;
  }

 private:
  friend class OperandList;
  explicit PlannedOperands(const Plan& plan) noexcept : plan_(plan) {}
  /// What `make()` returns, made in its place.
  template <class Make>
  PlannedOperands(std::in_place_t, const Make& make) : plan_(make()) {}

  Plan plan_;
};

/// Where a kernel stores what is wrong with the values of its operands. Only an ErrorRecord makes
/// one (ops/call/error_record.hpp): no use is noted, since the word outlives the launch.
class ErrorWord {
 public:
  SKERRY_HD SKERRY_INLINE constexpr operator std::int64_t*() const noexcept { return word_; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE constexpr std::int64_t* get() const noexcept {
    return word_;
  }

 private:
  friend class ErrorRecord;
  explicit ErrorWord(std::int64_t* word) noexcept : word_(word) {}

  std::int64_t* word_;
};

/// What the native forms of a kernel ask of its operands, beyond what its host form does. It stands
/// beside the parameters, as `Params::native_limits`.
struct NativeLimits {
  /// Arrays are whole and in C order.
  bool dense_operands = false;
  /// Operands begin at multiples of a whole complex number, not only of its parts.
  bool complex_alignment = false;
  /// Most items that are numbered.
  std::int64_t max_count = INT64_MAX;
};

/// A kernel whose forms take `const Params&`. It has the layout of AnyKernel, which is what devices
/// run: tables of kernels cross the border to the CUDA module.
template <class Params>
class Kernel : AnyKernel {
 public:
  template <void (*Form)(const Params&)>
  constexpr void set_host() {
    host = [](const void* params) { Form(*static_cast<const Params*>(params)); };
  }
  /// A form that takes what Params begins with: callers of the host form may have no more than
  /// that.
  template <class Header, void (*Form)(const Header&)>
    requires std::is_base_of_v<Header, Params>
  constexpr void set_host() {
    host = [](const void* params) { Form(*static_cast<const Header*>(params)); };
  }
  template <int (*Form)(const Params&, LaunchContext*)>
  constexpr void set_native() {
    native = [](const void* params, LaunchContext* context) {
      return Form(*static_cast<const Params*>(params), context);
    };
  }
  /// The inner loop of the host form, where the parameters are a plan: see AnyKernel. Inlined, as
  /// units for every x86-64 level call it.
  SKERRY_INLINE constexpr void set_body(decltype(AnyKernel::body) loop_body, unsigned single_sets) {
    body = loop_body;
    accepts = single_sets;
  }
  template <const char* (*Form)(const Params&)>
  constexpr void set_unsupported_reason() {
    unsupported_reason = [](const void* params) {
      return Form(*static_cast<const Params*>(params));
    };
  }
  [[nodiscard]] constexpr bool has_host() const noexcept { return host != nullptr; }
  [[nodiscard]] constexpr bool has_native() const noexcept { return native != nullptr; }
  /// For what runs kernels (ops/call, ops/fuse) and for their tests.
  [[nodiscard]] constexpr const AnyKernel& untyped() const noexcept { return *this; }
  [[nodiscard]] constexpr AnyKernel& untyped() noexcept { return *this; }
};

/// Runs a kernel on the host at once, where nothing has to be noted. Inlined, as set_body().
template <class Params>
SKERRY_INLINE void run_on_host(const Kernel<Params>& kernel,
                               const std::type_identity_t<Params>& params) {
  kernel.untyped().host(&params);
}

}  // namespace skerry
